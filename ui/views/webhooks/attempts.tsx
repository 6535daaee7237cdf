import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import type { Mark } from "../../../src/timeline/marks.ts";
import { useApp } from "../../components/context.ts";
import { Field } from "../../components/field.tsx";
import { Empty, Loading, Time } from "../../components/parts.tsx";
import { VirtualList } from "../../components/virtual-list.tsx";
import { count, DAY, hasWords, roughly, stamp } from "../../models/format.ts";
import type { TimelineModel } from "../../models/timeline/timeline.ts";
import { isGhost } from "../../models/webhooks/story.ts";

const ROW = 2.25;

interface AttemptsProps {
  model: TimelineModel;
  webhookId: string;
  selected: string | undefined;
}

/** The list of attempts, with the newest first, below the planned ones. */
export function Attempts({ model, webhookId, selected }: AttemptsProps) {
  const { clock } = useApp();
  const { data, earlier } = model;
  const search = useSignal("");
  const searches = useComputed(() => search.value.trim() !== "");
  useSignalEffect(() => {
    // A search must cover all attempts, so load the older ones as well.
    if (searches.value && data.timeline.value) void data.readOlder();
  });
  const all = useComputed(() =>
    model.marks.value
      .filter(({ kind, eventId }) => kind === "attempt" || (kind === "planned" && !isGhost(eventId)))
      .reverse(),
  );
  const rows = useComputed(() =>
    searches.value ? all.value.filter((mark) => hasWords(textOf(mark), search.value)) : all.value,
  );
  // If all attempts are from today, omit the date to save space.
  const oneDay = useComputed(() =>
    all.value.every(({ at }) => at >= clock.day.value && at < clock.day.value + DAY),
  );
  // The endpoint's page already shows this error.
  if (!model.timeline.value) return data.error.value ? null : <Loading />;
  if (all.value.length === 0)
    return <Empty title="Nothing has been sent yet.">Send an event, or a test.</Empty>;
  return (
    <div class={oneDay.value ? "one-day" : undefined}>
      {all.value.length >= SEARCHED && (
        <Field
          label="Event, code or time"
          type="search"
          of={search}
          placeholder={`${all.value[0]!.event} 503 09:1`}
        />
      )}
      {rows.value.length === 0 ? (
        <p class="note">{data.hasOlder.value ? "Reading older attempts…" : "No attempt matches."}</p>
      ) : (
        <VirtualList
          label="Attempts, newest first"
          items={rows.value}
          keyOf={({ key }) => key}
          row={ROW}
          render={(mark) => <Row mark={mark} webhookId={webhookId} selected={selected} />}
          onEnd={() => void data.readOlder()}
        />
      )}
      {data.hasOlder.value && !searches.value && (
        <p class="note">{count(earlier.value.attempts, "older attempt")}: scroll down to read them.</p>
      )}
    </div>
  );
}

/** The search field appears when there are at least this many attempts. */
const SEARCHED = 6;

const textOf = ({ event, eventId, label, at, trigger, result, deliveryId }: Mark): string =>
  `${event} ${eventId} ${label} ${stamp(at)} ${trigger} ${result} ${deliveryId ?? ""}`;

/** The address segments for an attempt, whether it was made or is planned. */
export const placeOf = ({ deliveryId, eventId, attempt }: Mark): string[] =>
  deliveryId ? [deliveryId] : ["ahead", eventId, `${attempt}`];

function Row({ mark, webhookId, selected }: { mark: Mark; webhookId: string; selected: string | undefined }) {
  const { router } = useApp();
  const { kind, tone, label, event, attempt, at, took, trigger, deliveryId } = mark;
  return (
    <a
      class={`pick attempt-row ${kind}`}
      href={router.inEndpoint(webhookId, ...placeOf(mark))}
      aria-current={(selected === deliveryId && !!deliveryId) || undefined}
    >
      <Time at={at} />
      <span class={`code-mark ${kind} ${tone} ${trigger}`}>{kind === "planned" ? "due" : label}</span>
      <span class="ellipsis">{event}</span>
      <span class="attempt-number">{trigger === "automatic" ? `#${attempt}` : trigger}</span>
      <span class="attempt-took">{took === null ? "" : roughly(took)}</span>
    </a>
  );
}
