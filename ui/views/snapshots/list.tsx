import { useApp } from "../../components/context.ts";
import { DialogForm } from "../../components/dialog.tsx";
import { Button, Empty, Loaded, Text, Time } from "../../components/parts.tsx";
import { useDialog } from "../../components/use-dialog.ts";
import { bytes as sizeText } from "../../models/format.ts";
import { downloadPath, type Snapshot } from "../../models/snapshots/api.ts";
import type { Snapshots } from "../../models/snapshots/snapshots.ts";
import type { Worlds } from "../../models/snapshots/worlds.ts";
import { NewWorldDialog } from "./worlds.tsx";

/** What is saved, the latest first. */
export function SnapshotList({ snapshots, worlds }: { snapshots: Snapshots; worlds: Worlds }) {
  const restoring = useDialog<Snapshot>();
  const forking = useDialog<Snapshot>();
  return (
    <>
      <Loaded of={snapshots.list}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No snapshots yet.">
              Save this world, then change something: make a payment, advance the clock. Restore, and it is as
              if nothing had happened.
            </Empty>
          ) : (
            <>
              {all.some(({ durable }) => !durable) && (
                <p class="note">
                  They end with the server. Download those that you need later, or start it with{" "}
                  <code>--data-dir</code>.
                </p>
              )}
              <ul class="rows" aria-label="Snapshots, the latest first">
                {[...all].reverse().map((snapshot) => (
                  <Row
                    key={snapshot.name}
                    snapshot={snapshot}
                    snapshots={snapshots}
                    onRestore={() => restoring.open(snapshot)}
                    onFork={() => forking.open(snapshot)}
                  />
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
      {restoring.target.value && (
        <RestoreDialog snapshot={restoring.target.value} snapshots={snapshots} onClose={restoring.close} />
      )}
      {forking.target.value && (
        <NewWorldDialog worlds={worlds} from={forking.target.value.name} onClose={forking.close} />
      )}
    </>
  );
}

interface RowProps {
  snapshot: Snapshot;
  snapshots: Snapshots;
  onRestore: () => void;
  onFork: () => void;
}

function Row({ snapshot, snapshots, onRestore, onFork }: RowProps) {
  const { toasts } = useApp();
  const { name, now, seed, bytes, problem } = snapshot;
  const usable = problem === null;
  return (
    <li class="row snapshot" aria-label={name}>
      <div class="row-main">
        <Text as="b" of={name} />
        {usable ? (
          <p class="note">
            seed <Text of={seed ?? ""} />
          </p>
        ) : (
          <p class="field-error">{problem}</p>
        )}
      </div>
      <span class="snapshot-at">{now && <Time at={now} exact />}</span>
      <span class="note snapshot-size">{sizeText(bytes)}</span>
      <div class="actions">
        <Button disabled={!usable} onClick={onRestore} aria-label={`Restore ${name}`}>
          Restore…
        </Button>
        <Button disabled={!usable} onClick={onFork} aria-label={`Fork ${name}`}>
          Fork…
        </Button>
        {usable && (
          <a
            class="button"
            href={downloadPath(name)}
            download={`${name}.sandglass`}
            aria-label={`Download ${name}`}
          >
            Download
          </a>
        )}
        <Button
          look="quiet"
          onSend={() => toasts.attempt(() => snapshots.remove(snapshot))}
          aria-label={`Delete ${name}`}
        >
          Delete
        </Button>
      </div>
    </li>
  );
}

interface RestoreDialogProps {
  snapshot: Snapshot;
  snapshots: Snapshots;
  onClose: () => void;
}

/** Asks before the world goes back. */
function RestoreDialog({ snapshot: { name, now }, snapshots, onClose }: RestoreDialogProps) {
  const { status } = useApp();
  const { world } = status.value;
  const restore = async () => {
    await snapshots.restore(name);
    onClose();
  };
  return (
    <DialogForm title="Restore a snapshot" action="Restore" look="danger" onSend={restore} onClose={onClose}>
      <p>
        The world <b>{world}</b> goes back to <Text as="b" of={name} />
        {now && (
          <>
            , at <Time at={now} exact />
          </>
        )}
        : data, clock, timers, faults and journal. Requests in flight are dropped.
      </p>
      <p class="note">You can undo this, until the next restore or reset.</p>
    </DialogForm>
  );
}
