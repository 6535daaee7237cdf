import { useSignal } from "@preact/signals";
import { useApp } from "../../components/context.ts";
import { DialogForm } from "../../components/dialog-form.tsx";
import { Field } from "../../components/field.tsx";
import { createSnapshotApi } from "../../models/snapshots/api.ts";
import { keepBefore } from "../../models/snapshots/guard.ts";
import { guardName } from "../../models/snapshots/names.ts";

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
      `The world is back at the fixtures of the seed ${done.seed}. As it was before, it is kept as ${guard}.`,
      () => snapshots.restore(guard),
    );
    onClose();
  };
  return (
    <DialogForm title="Reset the world" action="Reset" look="danger" onSend={reset} onClose={onClose}>
      <p>
        All that was made since the start goes: payments, endpoints, deliveries, faults, journal. The clock
        goes back to where the fixtures begin.
      </p>
      <p class="note">
        As it is now, it is kept as the snapshot <b>{guardName(world, undefined)}</b> first, so this can be
        undone. Only the latest is kept so.
      </p>
      <Field
        label="Seed"
        of={seed}
        hint="The same seed gives the same data; empty makes organizations and keys only."
      />
    </DialogForm>
  );
}
