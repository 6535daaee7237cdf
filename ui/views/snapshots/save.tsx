import { useSignal } from "@preact/signals";
import { Field } from "../../components/field.tsx";
import { Button, Problem } from "../../components/parts.tsx";
import { nameProblem } from "../../models/snapshots/names.ts";
import type { Snapshots } from "../../models/snapshots/snapshots.ts";

/** Saves this world, at this instant. */
export function SaveForm({ snapshots }: { snapshots: Snapshots }) {
  const name = useSignal("");
  const error = useSignal<Error | undefined>(undefined);
  const busy = useSignal(false);
  const wanted = name.value.trim();
  const replaces = (snapshots.list.value.value ?? []).some((one) => one.name === wanted);
  const problem = nameProblem(wanted);
  const save = async () => {
    if (problem || busy.value) return;
    busy.value = true;
    try {
      await snapshots.save(wanted);
      name.value = "";
      error.value = undefined;
    } catch (reason) {
      error.value = reason as Error;
    }
    busy.value = false;
  };
  return (
    <form
      class="card tool"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Field
        label="Name of the snapshot"
        value={name.value}
        placeholder="one is made without it"
        error={problem}
        hint={replaces ? "It takes the place of the one of that name." : "This world as it is now."}
        onInput={(text) => {
          name.value = text;
        }}
      />
      <Button look="main" type="submit" aria-busy={busy.value}>
        Save this world
      </Button>
      {error.value && <Problem error={error.value} />}
    </form>
  );
}
