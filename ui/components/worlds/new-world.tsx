import { useSignal } from "@preact/signals";
import { part } from "../../models/binding.ts";
import { createSnapshotApi, rootOf, worldBase } from "../../models/snapshots/api.ts";
import { nameProblem } from "../../models/snapshots/snapshots.ts";
import { useApp } from "../context.ts";
import { DialogForm } from "../dialog.tsx";
import { Field } from "../field.tsx";

/** Another world beside this one: from a seed and a start date, from fixtures, a scenario, a snapshot or a world. */
export function NewWorldDialog({ onClose }: { onClose: () => void }) {
  const { api, status } = useApp();
  const draft = useSignal({ name: "", from: "", seed: "", startAt: "" });
  const problem = nameProblem(draft.value.name.trim());

  const create = async () => {
    if (problem) return;
    const filled = Object.entries(draft.value)
      .map(([name, value]) => [name, value.trim()] as const)
      .filter(([, value]) => value !== "");
    const { world } = await createSnapshotApi(api.transport).create(Object.fromEntries(filled));
    location.assign(worldBase(rootOf(api.transport.base), world));
  };
  return (
    <DialogForm title="New world" action="Create and open" onSend={create} onClose={onClose}>
      <Field
        label="Name"
        of={part(draft, "name")}
        param="name"
        error={problem}
        placeholder="generated if left empty"
        hint="Its address is /w/ and this name."
      />
      <Field
        label="Start date"
        of={part(draft, "startAt")}
        param="startAt"
        placeholder="2026-01-15T09:00:00Z"
        hint="Virtual time, ISO 8601. Left empty, it is the server's start."
      />
      <Field
        label="Seed"
        of={part(draft, "seed")}
        param="seed"
        placeholder={status.value.seed}
        hint="The same seed gives the same data."
      />
      <Field
        label="Begins with"
        of={part(draft, "from")}
        param="from"
        placeholder="the seed's data"
        hint="A folder of fixtures, a scenario (where it ends), a snapshot, or a world to copy."
      />
    </DialogForm>
  );
}
