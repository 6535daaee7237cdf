import { useSignal } from "@preact/signals";
import type { DisabledReason } from "../../../src/timeline/endpoint-state.ts";
import { STATE_REASONS } from "../../../src/timeline/states.ts";
import type { RetriedFailed, Webhook } from "../../api-types.ts";
import { useApp } from "../../components/context.ts";
import { DialogForm } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { Button, Text, Time } from "../../components/parts.tsx";
import { count, roughly, toMs } from "../../models/format.ts";
import type { TimelineModel } from "../../models/timeline/timeline.ts";
import { type Disabling, disablingOf } from "../../models/webhooks/disabling.ts";

interface DisablingProps {
  webhook: Webhook;
  model: TimelineModel;
  onEnable: () => Promise<unknown>;
}

/** The end that every failing endpoint comes to: when, why and what it costs; the ways out; and that it recovered. */
export function DisablingBanner({ webhook, model, onEnable }: DisablingProps) {
  const { api, toasts } = useApp();
  const dismissed = useSignal<string | undefined>(undefined);
  const timeline = model.timeline.value;
  const disabling = timeline && disablingOf(timeline);
  if (!disabling || timeline.status === "deleted") return null;
  const { at, missed, missedSince, unsent, enabledAt } = disabling;
  const disabled = timeline.status === "disabled";
  const since = disabled ? at : enabledAt;
  if (dismissed.value === since || (!disabled && disabling.failures === 0)) return null;

  const retry = async () => {
    const result = await toasts.attempt(() => api.retryFailed(webhook.id, missedSince ?? at));
    if (result) toasts.done(retriedWords(result));
  };
  const state = disabled ? "disabled" : missed > 0 || unsent > 0 ? "recovering" : "recovered";
  return (
    <section
      class={`spread disabling ${state} ${disabled ? "bad" : "good"}`}
      role={disabled ? "alert" : "status"}
      aria-label="Disabled endpoint"
    >
      <div>
        <h2>{HEADLINES[state]}</h2>
        {disabled ? <Costs of={disabling} /> : <Recovery of={disabling} />}
      </div>
      <div class="actions">
        {disabled && (
          <Button look="main" onSend={onEnable}>
            Enable again
          </Button>
        )}
        {missed > 0 && (
          <Button look={disabled ? "plain" : "main"} onSend={retry}>
            Retry what failed
          </Button>
        )}
        <Button look="quiet" icon="cross" aria-label="Dismiss" onClick={() => (dismissed.value = since)} />
      </div>
    </section>
  );
}

const HEADLINES = {
  disabled: "The platform disabled this endpoint",
  recovering: "Enabled again",
  recovered: "Recovered",
};

/** The way to learn of what is never sent. */
function Unsent({ of: { unsent } }: { of: Disabling }) {
  if (unsent === 0) return null;
  return (
    <>
      {" "}
      {count(unsent, "event", "events")} that happened while it was disabled{" "}
      {unsent === 1 ? "was not sent, and never is" : "were not sent, and never are"}: your server has to fetch
      its <a href="#/payments">payments and sessions</a>.
    </>
  );
}

function Costs({ of }: { of: Disabling }) {
  const { at, reason, failures, mail, skipped, missed } = of;
  return (
    <p>
      At <Time at={at} />,{" "}
      {reason === "consecutive_failures"
        ? `after ${count(failures, "failure")} in a row`
        : STATE_REASONS[reason as DisabledReason]}
      .{" "}
      {mail !== undefined && (
        <>
          Its owner got an e-mail:{" "}
          <a href="#/mail">
            “<Text of={mail} />”
          </a>
          .{" "}
        </>
      )}
      {skipped > 0 && `${count(skipped, "retry was", "retries were")} skipped. `}
      {missed > 0 && `${count(missed, "event", "events")} failed and can be retried.`}
      <Unsent of={of} />
    </p>
  );
}

function Recovery({ of }: { of: Disabling }) {
  const { at, enabledAt, missed, recovered, unsent } = of;
  return (
    <p>
      At <Time at={enabledAt!} />, {roughly(toMs(enabledAt!) - toMs(at))} after it was disabled; failures are
      counted from 0.{" "}
      {missed > 0
        ? `${count(missed, "event", "events")} failed and can be retried.`
        : recovered > 0
          ? `${recovered === 1 ? "The event" : `All ${recovered} events`} that failed arrived.`
          : unsent > 0
            ? ""
            : "It missed nothing."}
      <Unsent of={of} />
    </p>
  );
}

/** Retries what failed at an endpoint since a time, as its owner does after an outage. */
export function RetryFailed({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { api, toasts } = useApp();
  const since = useSignal("1d");
  const send = async () => {
    const result = await api.retryFailed(webhook.id, since.value.trim());
    toasts.done(retriedWords(result));
    onClose();
  };
  return (
    <DialogForm title="Retry all failed deliveries" action="Retry all" onSend={send} onClose={onClose}>
      <p>Each event that failed here and did not arrive later gets one attempt now, oldest first.</p>
      <Field
        label="Failed since"
        of={since}
        hint="How far back: 30m, 2h, 1d. Or a virtual time: 2026-01-15T09:00:00Z."
      />
    </DialogForm>
  );
}

/** What a retry of all that failed came to. */
export function retriedWords({ retried, succeeded, failed, pending }: RetriedFailed): string {
  if (retried === 0) return "Nothing to retry: every event that failed since then has been delivered.";
  const parts = [
    succeeded > 0 ? `${succeeded} delivered` : "",
    failed > 0 ? `${failed} failed` : "",
    pending > 0 ? `${pending} not answered yet` : "",
  ];
  return `Retried ${count(retried, "delivery", "deliveries")}: ${parts.filter(Boolean).join(", ")}.`;
}
