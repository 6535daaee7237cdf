import { useSignal } from "@preact/signals";
import { Field } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { Button, Problem } from "../../components/parts.tsx";
import { useSubmit } from "../../components/sending.ts";
import { nameProblem } from "../../models/snapshots/names.ts";
import type { Snapshots } from "../../models/snapshots/snapshots.ts";

/** Saves this world, at this instant. */
export function SaveForm({ snapshots }: { snapshots: Snapshots }) {
  const name = useSignal("");
  const wanted = name.value.trim();
  const replaces = (snapshots.list.value.value ?? []).some((one) => one.name === wanted);
  const problem = nameProblem(wanted);
  const { error, send } = useSubmit(async () => {
    if (problem) return;
    await snapshots.save(wanted);
    name.value = "";
  });
  return (
    <Form class="card tool" onSend={send}>
      <Field
        label="Name of the snapshot"
        of={name}
        placeholder="generated if left empty"
        error={problem}
        hint={replaces ? "Replaces the snapshot of that name." : "This world as it is now."}
      />
      <Button look="main" type="submit">
        Save this world
      </Button>
      {error.value && <Problem error={error.value} />}
    </Form>
  );
}
