import { useSignal } from "@preact/signals";
import type { RetriedFailed, Webhook } from "../../api-types.ts";
import { useApp } from "../../components/context.ts";
import { DialogForm } from "../../components/dialog-form.tsx";
import { Field } from "../../components/field.tsx";
import { count } from "../../models/format.ts";

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
