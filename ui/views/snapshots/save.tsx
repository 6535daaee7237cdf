import { useSignal } from "@preact/signals";
import { Field } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { Button, Problem } from "../../components/parts.tsx";
import { nameProblem } from "../../models/snapshots/names.ts";
import type { Snapshots } from "../../models/snapshots/snapshots.ts";

/** Saves this world, at this instant. */
export function SaveForm({ snapshots }: { snapshots: Snapshots }) {
  const name = useSignal("");
  const error = useSignal<Error | undefined>(undefined);
  const wanted = name.value.trim();
  const replaces = (snapshots.list.value.value ?? []).some((one) => one.name === wanted);
  const problem = nameProblem(wanted);
  const save = async () => {
    if (problem) return;
    try {
      await snapshots.save(wanted);
      name.value = "";
      error.value = undefined;
    } catch (reason) {
      error.value = reason as Error;
    }
  };
  return (
    <Form class="card tool" onSend={save}>
      <Field
        label="Name of the snapshot"
        of={name}
        placeholder="one is made without it"
        error={problem}
        hint={replaces ? "It takes the place of the one of that name." : "This world as it is now."}
      />
      <Button look="main" type="submit">
        Save this world
      </Button>
      {error.value && <Problem error={error.value} />}
    </Form>
  );
}
