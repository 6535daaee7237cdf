import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { REPLACEMENTS } from "../../../src/timeline/entries.ts";
import { isOutage, outageSentence, outageText } from "../../../src/timeline/outage.ts";
import type { Webhook } from "../../api-types.ts";
import { useApp, useLiveReading, useReading } from "../../components/context.ts";
import { DialogForm } from "../../components/dialog.tsx";
import { Field, Select } from "../../components/field.tsx";
import { Button, ButtonLink } from "../../components/parts.tsx";
import { type Binding, part } from "../../models/binding.ts";
import { HOUR, PLATFORM, toMs } from "../../models/format.ts";
import { ofTypes } from "../../models/refresh.ts";
import type { TimelineModel } from "../../models/timeline/timeline.ts";
import { type OutageDraft, playOutage, recover, USUAL_OUTAGE } from "../../models/webhooks/outage.ts";
import { useRetried } from "./disabling.tsx";
import { StoryCard } from "./story.tsx";

const KINDS = [
  ["503", "503: returns an error"],
  ["timeout", "Timeout: does not respond"],
  ["refused", "Refused: nothing listens"],
  ["reset", "Reset: the connection breaks"],
] as const;

const HINT = "30m, 3h, 2d";
/** Matches durations such as `3h`, `1h30m` and `PT3H`, and milliseconds. */
const DURATION = "\\s*((\\d+(\\.\\d+)?(ms|s|m|h|d)\\s*)+|P\\w+|\\d+)";

/** Simulates an outage with one button. There are options for its duration, kind and story. */
export function WhatIf({ webhook }: { webhook: Webhook }) {
  const { api, ledger, router } = useApp();
  const { id, sender } = webhook;
  const asks = useSignal(false);
  const play = async (chosen: OutageDraft) => {
    const [missing] = (await playOutage(api, ledger, id, chosen))?.missing ?? [];
    // Show how the handler itself responded to the retry, which explains what is still missing.
    if (missing) router.go(router.inEndpoint(id, missing.delivery_id));
  };
  return (
    <span class="what-if">
      <Button
        aria-label="What if it is down for three hours?"
        title={outageSentence(3 * HOUR)}
        onSend={() => play(USUAL_OUTAGE)}
      >
        <span>
          What if<span class="head-rest"> it is down for three hours?</span>
          <span class="head-dots">…</span>
        </span>
      </Button>
      <Button
        look="quiet"
        icon="down"
        aria-label="Another outage"
        title="Another outage"
        data-testid="another-outage"
        onClick={() => (asks.value = true)}
      />
      {asks.value && <AnotherOutage sender={sender} onPlay={play} onClose={() => (asks.value = false)} />}
    </span>
  );
}

interface AnotherOutageProps {
  sender: string;
  onPlay: (draft: OutageDraft) => Promise<void>;
  onClose: () => void;
}

function AnotherOutage({ sender, onPlay, onClose }: AnotherOutageProps) {
  const draft = useSignal(USUAL_OUTAGE);
  const send = async () => {
    onClose();
    await onPlay(draft.value);
  };
  return (
    <DialogForm title="What if it is down?" action="Play" onSend={send} onClose={onClose}>
      <Field
        label="Down for"
        of={part(draft, "duration")}
        hint={HINT}
        width="8rem"
        required
        pattern={DURATION}
        title={HINT}
      />
      <Select label="How" of={part(draft, "kind")} options={KINDS} />
      {sender !== PLATFORM && <Story sender={sender} draft={draft} />}
    </DialogForm>
  );
}

/** A field for choosing the sender's story that starts the outage. */
function Story({ sender, draft }: { sender: string; draft: Binding<OutageDraft> }) {
  const { api } = useApp();
  const senders = useReading(api.senders);
  const stories = senders.value.value?.find(({ name }) => name === sender)?.stories ?? [];
  return (
    <Select
      label="Story"
      of={part(draft, "story")}
      options={[["", "Two events"], ...stories.map(({ name }) => [name, name] as const)]}
    />
  );
}

/** Entries that create a card, and entries that make its Undo impossible. */
const PLAYED = ["webhook.outage", "webhook.story"];
const READ = [...PLAYED, ...REPLACEMENTS];

interface OutageCardProps {
  webhook: Webhook;
  model: TimelineModel;
  /** Shown instead of the card, unless an outage is the endpoint's latest activity. */
  children: ComponentChildren;
}

/** The latest outage or story, shown below the timeline. */
export function OutageCard({ webhook, model, children }: OutageCardProps) {
  const { id, status } = webhook;
  const { api, clock, ledger, router, undo } = useApp();
  const report = useRetried();
  const dismissed = useSignal(0);
  const outages = useLiveReading(
    ofTypes(...READ),
    () => api.events({ types: READ.join(), order: "desc", limit: 100 }),
    [id],
  );
  const latest = outages.value.value?.find(({ data, type }) => PLAYED.includes(type) && data.id === id);
  const isShown = latest !== undefined && dismissed.value !== latest.seq;
  useEffect(() => {
    const from = toMs(String(latest?.data.from));
    model.played.value = isShown && from ? { from, to: toMs(latest.at) } : undefined;
  }, [latest?.seq, isShown]);
  // The summary row has an Undo of its own, unless the page was reloaded. Once the clock has moved on, undoing would
  // revert more than the outage or story.
  const undoes =
    !ledger.last.value && latest === outages.value.value?.[0] && clock.exact() === toMs(latest?.at ?? "");
  const what = latest?.type === "webhook.story" ? "the story" : "the outage";
  const undoIt = () => {
    undo.kept(what);
    return undo.undo();
  };
  const undoing = undoes && !latest?.data.finding && <Button onSend={undoIt}>Undo {what}</Button>;
  const changes = model.timeline.value?.changes ?? [];
  const isLatest =
    latest && status === "enabled" && !changes.some(({ at, type }) => at > latest.at && type !== "updated");
  if (!isShown) return <>{children}</>;
  const isPlayed = model.until.value === undefined || model.replaying.value;
  if (latest.type === "webhook.story" && isPlayed)
    return (
      <>
        {children}
        <StoryCard
          entry={latest}
          webhook={webhook}
          model={model}
          onDismiss={() => (dismissed.value = latest.seq)}
        >
          {undoing}
        </StoryCard>
      </>
    );
  if (!isLatest || model.until.value !== undefined) return <>{children}</>;
  const outage = latest.data;
  if (!isOutage(outage)) return <>{children}</>;
  const text = outageText(outage);
  const title = text.slice(0, text.indexOf(":"));
  const [missing] = outage.missing;
  return (
    <section class={`flow disabling ${missing ? "bad" : "good"}`} role="status" aria-label="Outage">
      <div>
        <h2>{title}</h2>
        <p>{text.slice(title.length + 2).replace(/^./, (first) => first.toUpperCase())}</p>
      </div>
      <div class="actions">
        {missing && (
          <>
            <ButtonLink to={router.inEndpoint(id, missing.delivery_id)}>See the response</ButtonLink>
            <Button look="main" onSend={() => report(() => recover(api, { id, status }, outage.from))}>
              Retry what failed
            </Button>
          </>
        )}
        {undoing}
        <Button
          look="quiet"
          icon="cross"
          aria-label="Dismiss"
          onClick={() => (dismissed.value = latest.seq)}
        />
      </div>
    </section>
  );
}
