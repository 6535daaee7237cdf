import { useSignal } from "@preact/signals";
import type { DisabledReason } from "../../../src/timeline/endpoint-state.ts";
import { STATE_REASONS } from "../../../src/timeline/states.ts";
import { listed } from "../../../src/timeline/text.ts";
import type { RetriedFailed, Webhook } from "../../api-types.ts";
import { useApp } from "../../components/context.ts";
import { DialogForm } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { Button, Text, Time } from "../../components/parts.tsx";
import { count, roughly, senderTitle, toMs } from "../../models/format.ts";
import type { TimelineModel } from "../../models/timeline/timeline.ts";
import { type Disabling, disablingOf } from "../../models/webhooks/disabling.ts";
import { recover, retriedWords } from "../../models/webhooks/outage.ts";
import type { FaultSwitch } from "../../models/webhooks/switch.ts";

interface DisablingProps {
  webhook: Webhook;
  model: TimelineModel;
  fault: FaultSwitch;
}

/**
 * A banner for a disabled endpoint. It says when and why the endpoint was disabled, the consequences, how to recover,
 * and whether it has recovered.
 */
export function DisablingBanner({ webhook, model, fault }: DisablingProps) {
  const { api } = useApp();
  const report = useRetried();
  const dismissed = useSignal<string | undefined>(undefined);
  const timeline = model.timeline.value;
  const disabling = timeline && disablingOf(timeline);
  if (!disabling || timeline.status === "deleted") return null;
  const { at, missed, missedSince, enabledAt, failures } = disabling;
  const disabled = timeline.status === "disabled";
  const since = disabled ? at : enabledAt;
  if (dismissed.value === since || (!disabled && failures === 0)) return null;
  const failing = fault.failing.value;
  // An endpoint that fails again no longer counts as recovered.
  if (!disabled && missed === 0 && (failing || timeline.counter.consecutive_failures > 0)) return null;

  const state = disabled ? "disabled" : missed > 0 ? "recovering" : "recovered";
  const action = listed(
    [failing && "fix", disabled && "enable", (missed > 0 || failing) && "retry"].filter(
      (step) => step !== false,
    ),
  );
  return (
    <section
      class={`flow disabling ${TONES[state]}`}
      role={disabled ? "alert" : "status"}
      aria-label="Disabled endpoint"
    >
      <div>
        <h2>
          {state === "disabled" ? `${senderTitle(webhook.sender)} disabled this endpoint` : HEADLINES[state]}
        </h2>
        {disabled ? <Costs of={disabling} /> : <Recovery of={disabling} />}
      </div>
      <div class="actions">
        {state !== "recovered" && (
          <Button look="main" onSend={() => report(() => recover(api, webhook, missedSince ?? at))}>
            {action.charAt(0).toUpperCase() + action.slice(1)}
            {action === "retry" && " what failed"}
          </Button>
        )}
        <Button look="quiet" icon="cross" aria-label="Dismiss" onClick={() => (dismissed.value = since)} />
      </div>
    </section>
  );
}

const HEADLINES = {
  recovering: "Enabled again",
  recovered: "Recovered",
};
/** The colour of each state. No state counts as good while anything is still failing. */
const TONES = { disabled: "bad", recovering: "plain", recovered: "good" };

/** Reports the result of a retry. It counts as a success only if everything was delivered. */
export function useRetried() {
  const { toasts } = useApp();
  return async (retry: () => Promise<RetriedFailed>): Promise<RetriedFailed | undefined> => {
    const result = await toasts.attempt(retry);
    if (result) (result.succeeded === result.retried ? toasts.done : toasts.note)(retriedWords(result));
    return result;
  };
}

/** Explains how to obtain the events that will never be sent. */
function Unsent({ of: { unsent } }: { of: Disabling }) {
  if (unsent === 0) return null;
  return (
    <>
      {" "}
      {count(unsent, "event")} that happened while it was disabled{" "}
      {unsent === 1 ? "was not sent and never will be" : "were not sent and never will be"}: your server has
      to read what happened from the API.
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
          Its owner got an e-mail: “<Text of={mail} />
          ”.{" "}
        </>
      )}
      {skipped > 0 && `${count(skipped, "retry was", "retries were")} skipped. `}
      {missed > 0 && `${count(missed, "event")} failed and can be retried.`}
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
        ? `${count(missed, "event")} failed and can be retried.`
        : recovered > 0
          ? `${recovered === 1 ? "The event" : `All ${recovered} events`} that failed arrived.`
          : unsent > 0
            ? ""
            : "It missed nothing."}
      <Unsent of={of} />
    </p>
  );
}

/** Retries everything that has failed at an endpoint since a given time, for example after an outage. */
export function RetryFailed({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { api } = useApp();
  const report = useRetried();
  const since = useSignal("1d");
  const send = async () => {
    const result = await api.retryFailed(webhook.id, since.value.trim());
    await report(async () => result);
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
