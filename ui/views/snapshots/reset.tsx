import { useSignal } from "@preact/signals";
import { useApp } from "../../components/context.ts";
import { DialogForm } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { createSnapshotApi } from "../../models/snapshots/api.ts";
import { goBackTo, guardName, keepBefore } from "../../models/snapshots/guard.ts";

/** Asks before everything goes back to the fixtures. */
export function ResetDialog({ onClose }: { onClose: () => void }) {
  const { api, status, toasts } = useApp();
  const seed = useSignal(status.value.seed);
  const { world } = status.value;
  const reset = async () => {
    const snapshots = createSnapshotApi(api.transport);
    const guard = await keepBefore(snapshots, world, undefined);
    const done = await api.reset(seed.value.trim());
    toasts.done(
      `The world was reset to the fixtures of the seed ${done.seed}. Its earlier state is the snapshot ${guard}.`,
      () => goBackTo(snapshots, world, guard),
    );
    onClose();
  };
  return (
    <DialogForm title="Reset the world" action="Reset" look="danger" onSend={reset} onClose={onClose}>
      <p>
        Removes everything made since the start: payments, endpoints, deliveries, faults and the journal. The
        clock returns to the start of the fixtures.
      </p>
      <p class="note">
        The present state is saved first, as the snapshot <b>{guardName(world, undefined)}</b>, so you can
        undo this. The next reset replaces that snapshot.
      </p>
      <Field
        label="Seed"
        of={seed}
        hint="The same seed gives the same data; empty creates only organizations and keys."
      />
    </DialogForm>
  );
}
