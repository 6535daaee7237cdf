import { useSignal } from "@preact/signals";
import { useApp } from "../../components/context.ts";
import { DialogForm } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { createSnapshotApi } from "../../models/snapshots/api.ts";

/** Asks before everything goes back to the fixtures. */
export function ResetDialog({ onClose }: { onClose: () => void }) {
  const { api, status, toasts } = useApp();
  const seed = useSignal(status.value.seed);
  const reset = async () => {
    const done = await api.reset(seed.value.trim());
    toasts.done(
      `The world was reset to the fixtures of the seed ${done.seed}.`,
      createSnapshotApi(api.transport).undo,
    );
    onClose();
  };
  return (
    <DialogForm title="Reset the world" action="Reset" look="danger" onSend={reset} onClose={onClose}>
      <p>
        Removes everything made since the start: payments, endpoints, deliveries, faults and the journal. The
        clock returns to the start of the fixtures.
      </p>
      <p class="note">You can undo this, until the next reset or restore.</p>
      <Field
        label="Seed"
        of={seed}
        hint="The same seed gives the same data; empty creates only organizations and keys."
      />
    </DialogForm>
  );
}
