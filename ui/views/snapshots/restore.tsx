import { useSignal } from "@preact/signals";
import { useApp } from "../../components/context.ts";
import { Dialog } from "../../components/dialog.tsx";
import { Form } from "../../components/form.tsx";
import { Button, Problem, Text } from "../../components/parts.tsx";
import { Time } from "../../components/time.tsx";
import type { Snapshot } from "../../models/snapshots/api.ts";
import { guardName } from "../../models/snapshots/names.ts";
import type { Snapshots } from "../../models/snapshots/snapshots.ts";

interface RestoreDialogProps {
  snapshot: Snapshot;
  snapshots: Snapshots;
  onClose: () => void;
}

/** Asks before the world goes back. */
export function RestoreDialog({ snapshot: { name, now }, snapshots, onClose }: RestoreDialogProps) {
  const { status } = useApp();
  const { world } = status.value;
  const error = useSignal<Error | undefined>(undefined);
  const restore = async () => {
    try {
      await snapshots.restore(name);
      onClose();
    } catch (reason) {
      error.value = reason as Error;
    }
  };
  return (
    <Dialog title="Restore a snapshot" onClose={onClose}>
      <Form class="stack" onSend={restore}>
        <p>
          The world <b>{world}</b> goes back to{" "}
          <b>
            <Text of={name} />
          </b>
          {now && (
            <>
              , at <Time at={now} exact />
            </>
          )}
          : data, clock, timers, faults and journal. What is under way is dropped.
        </p>
        <p class="note">
          As it is now, it is kept as <b>{guardName(world, name)}</b> first, so this can be undone. Only the
          latest is kept so.
        </p>
        {error.value && <Problem error={error.value} />}
        <div class="actions">
          <Button look="danger" type="submit">
            Restore
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </Form>
    </Dialog>
  );
}
