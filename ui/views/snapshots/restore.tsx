import { useApp } from "../../components/context.ts";
import { DialogForm } from "../../components/dialog-form.tsx";
import { Text } from "../../components/parts.tsx";
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
  const restore = async () => {
    await snapshots.restore(name);
    onClose();
  };
  return (
    <DialogForm title="Restore a snapshot" action="Restore" look="danger" onSend={restore} onClose={onClose}>
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
        : data, clock, timers, faults and journal. Requests in flight are dropped.
      </p>
      <p class="note">
        The present state is saved first, as <b>{guardName(world, name)}</b>, so you can undo this. The next
        restore replaces that snapshot.
      </p>
    </DialogForm>
  );
}
