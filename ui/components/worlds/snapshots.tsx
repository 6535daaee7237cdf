import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { createSnapshotApi } from "../../models/snapshots/api.ts";
import { createSnapshots } from "../../models/snapshots/snapshots.ts";
import { useApp, useReading } from "../context.ts";
import { Dialog, DialogForm } from "../dialog.tsx";
import { Field } from "../field.tsx";
import { Button, Empty, Loaded, Text, Time } from "../parts.tsx";

function useSnapshots() {
  const { api, toasts } = useApp();
  return useMemo(() => {
    const snapshotApi = createSnapshotApi(api.transport);
    return { api: snapshotApi, ...createSnapshots(snapshotApi, toasts) };
  }, [api]);
}

/** Saves the world as it is now. */
export function SaveDialog({ onClose }: { onClose: () => void }) {
  const snapshots = useSnapshots();
  const name = useSignal("");
  const problem = useSignal<string | undefined>(undefined);
  const save = async () => {
    problem.value = await snapshots.save(name.value.trim());
    if (problem.value === undefined) onClose();
  };
  return (
    <DialogForm title="Save this world" action="Save" onSend={save} onClose={onClose}>
      <Field
        label="Name of the snapshot"
        of={name}
        placeholder="generated if left empty"
        error={problem.value}
        hint="Data, clock, planned retries, chance, faults and journal. Without --data-dir it ends with the server."
      />
    </DialogForm>
  );
}

/** The saved worlds, the latest first; a click goes back to one, and Undo takes that back. */
export function RestoreDialog({ onClose }: { onClose: () => void }) {
  const snapshots = useSnapshots();
  const { toasts } = useApp();
  const list = useReading(snapshots.api.snapshots);
  const restore = (name: string) => async () => {
    await toasts.attempt(() => snapshots.restore(name));
    onClose();
  };
  const remove = (name: string) => async () => {
    await toasts.attempt(() => snapshots.api.remove(name));
    await list.read();
  };
  return (
    <Dialog title="Restore a saved world" onClose={onClose}>
      <Loaded of={list}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="Nothing is saved yet.">
              Save this world, then make a payment or advance the clock. Restore brings all of it back.
            </Empty>
          ) : (
            <ul class="rows snapshots" aria-label="Snapshots, the latest first">
              {[...all].reverse().map(({ name, now, problem }) => (
                <li key={name} class="row">
                  <div class="row-main">
                    <Text as="b" of={name} />
                    <p class={problem === null ? "note" : "field-error"}>
                      {problem ?? <Time at={now!} exact />}
                    </p>
                  </div>
                  <Button disabled={problem !== null} onSend={restore(name)} aria-label={`Restore ${name}`}>
                    Restore
                  </Button>
                  <Button look="quiet" onSend={remove(name)} aria-label={`Delete ${name}`}>
                    Delete
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Dialog>
  );
}
