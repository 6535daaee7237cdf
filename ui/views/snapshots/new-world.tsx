import { useSignal } from "@preact/signals";
import { useApp } from "../../components/context.ts";
import { Dialog, DialogForm } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { Button } from "../../components/parts.tsx";
import { nameProblem } from "../../models/snapshots/names.ts";
import type { Worlds } from "../../models/snapshots/worlds.ts";

interface NewWorldDialogProps {
  worlds: Worlds;
  /** The world or snapshot to go on from; without it the world begins with a seed. */
  from?: string | undefined;
  onClose: () => void;
}

/** A second world beside this one: from a seed, from fixtures or a scenario, or going on from what there is. */
export function NewWorldDialog({ worlds, from, onClose }: NewWorldDialogProps) {
  const { status } = useApp();
  const name = useSignal("");
  const seed = useSignal("");
  const start = useSignal("");
  const beginning = useSignal("");
  const made = useSignal<string | undefined>(undefined);
  const problem = nameProblem(name.value.trim());
  const create = async () => {
    if (problem) return;
    const filled = Object.entries({
      name: name.value.trim(),
      ...(from === undefined
        ? { from: beginning.value.trim(), seed: seed.value.trim(), startAt: start.value.trim() }
        : { from }),
    }).filter(([, value]) => value !== "");
    made.value = (await worlds.create(Object.fromEntries(filled))).world;
  };
  if (made.value !== undefined)
    return (
      <Dialog title={`The world ${made.value}`} onClose={onClose}>
        <p>It has its own data, clock and journal, and its own page.</p>
        <div class="actions">
          <a class="button main" href={worlds.hrefOf(made.value)}>
            Open its page
          </a>
          <Button onClick={onClose}>Stay here</Button>
        </div>
      </Dialog>
    );
  return (
    <DialogForm
      title={from === undefined ? "New world" : `Fork ${from}`}
      action={from === undefined ? "Create world" : "Fork"}
      onSend={create}
      onClose={onClose}
    >
      {from !== undefined && (
        <p>
          The new world begins as a copy of <b>{from}</b>, with its history. What happens in one of them does
          not change the other.
        </p>
      )}
      <Field
        label="Name of the world"
        of={name}
        error={problem}
        placeholder="generated if left empty"
        hint="Its address is /w/ and this name."
      />
      {from === undefined && (
        <>
          <Field
            label="Begins with"
            of={beginning}
            placeholder="the seed's data"
            hint="A folder of fixtures, a scenario (where it ends), a snapshot, or a world to copy. Paths are relative to the folder where Sandglass was started."
          />
          <Field
            label="Seed"
            of={seed}
            placeholder={status.value.seed}
            hint="The same seed gives the same data; empty creates only organizations and keys."
          />
          <Field
            label="Starts at"
            of={start}
            placeholder="2026-01-15T09:00:00Z"
            hint="Virtual time, ISO 8601. Left empty, it is the server's start."
          />
        </>
      )}
    </DialogForm>
  );
}
