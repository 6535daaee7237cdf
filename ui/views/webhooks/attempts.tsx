import { useComputed } from "@preact/signals";
import type { Mark } from "../../../src/story/marks.ts";
import { useApp } from "../../components/context.ts";
import { Empty, Loading } from "../../components/parts.tsx";
import { Time } from "../../components/time.tsx";
import { VirtualList } from "../../components/virtual-list.tsx";
import { dateText, roughly } from "../../models/format.ts";
import { href } from "../../models/router.ts";
import type { TimelineModel } from "../../models/timeline/timeline.ts";

const ROW = 2.25;

/** The attempts, newest first, below those that are planned. */
export function Attempts({
  model,
  webhookId,
  selected,
}: {
  model: TimelineModel;
  webhookId: string;
  selected: string | undefined;
}) {
  const { clock } = useApp();
  const rows = useComputed(() =>
    model.marks.value.filter(({ kind }) => kind === "attempt" || kind === "planned").reverse(),
  );
  const today = dateText(clock.second.value);
  // Where no day has to be named, there is more room for the rest.
  const oneDay = useComputed(() => rows.value.every(({ at }) => dateText(at) === today));
  if (!model.timeline.value) return <Loading />;
  if (rows.value.length === 0)
    return (
      <Empty title="Nothing was sent yet.">
        <p>Make a payment, or send a test.</p>
      </Empty>
    );
  return (
    <div class={oneDay.value ? "one-day" : undefined}>
      <VirtualList
        label="Attempts, newest first"
        items={rows.value}
        keyOf={({ key }) => key}
        row={ROW}
        render={(mark) => <Row mark={mark} webhookId={webhookId} selected={selected} />}
      />
    </div>
  );
}

function Row({ mark, webhookId, selected }: { mark: Mark; webhookId: string; selected: string | undefined }) {
  const { kind, tone, label, event, attempt, at, took, trigger, deliveryId, eventId } = mark;
  const address = deliveryId
    ? href(["webhooks", webhookId, deliveryId])
    : href(["webhooks", webhookId, "ahead", eventId, String(attempt)]);
  return (
    <a
      class={`attempt-row ${kind}`}
      href={address}
      aria-current={(selected === deliveryId && !!deliveryId) || undefined}
    >
      <Time at={at} />
      <span class={`code-mark ${kind} ${tone} ${trigger}`}>{kind === "planned" ? "due" : label}</span>
      <span class="ellipsis">{event}</span>
      <span class="attempt-number">{trigger === "automatic" ? `${attempt}.` : trigger}</span>
      <span class="attempt-took">{took === null ? "" : roughly(took)}</span>
    </a>
  );
}
