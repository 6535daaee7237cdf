import { useSignal } from "@preact/signals";
import { useApp } from "../../components/context.ts";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { Button, Problem } from "../../components/parts.tsx";
import { createSnapshotApi } from "../../models/snapshots/api.ts";
import { keepBefore } from "../../models/snapshots/guard.ts";
import { guardName } from "../../models/snapshots/names.ts";

/** Asks before everything goes back to the fixtures. */
export function ResetDialog({ onClose }: { onClose: () => void }) {
  const { api, status, toasts } = useApp();
  const seed = useSignal(status.value.seed);
  const error = useSignal<Error | undefined>(undefined);
  const { world } = status.value;
  const reset = async () => {
    try {
      const snapshots = createSnapshotApi(api.transport);
      const kept = await keepBefore(snapshots, world, undefined);
      const done = await api.reset(seed.value.trim());
      toasts.done(
        `The world is back at the fixtures of the seed ${done.seed}. As it was before, it is kept as ${kept}.`,
        () => snapshots.restore(kept),
      );
      onClose();
    } catch (reason) {
      error.value = reason as Error;
    }
  };
  return (
    <Dialog title="Reset the world" onClose={onClose}>
      <Form class="stack" onSend={reset}>
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
        {error.value && <Problem error={error.value} />}
        <div class="actions">
          <Button look="danger" type="submit">
            Reset
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </Form>
    </Dialog>
  );
}
