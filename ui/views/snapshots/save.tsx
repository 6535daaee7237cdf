import { useSignal } from "@preact/signals";
import { Field } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { Button, Problem } from "../../components/parts.tsx";
import { useSubmit } from "../../components/sending.ts";
import { nameProblem } from "../../models/snapshots/names.ts";
import { type Snapshots, takenName } from "../../models/snapshots/snapshots.ts";

/** Saves this world, at this instant. */
export function SaveForm({ snapshots }: { snapshots: Snapshots }) {
  const name = useSignal("");
  const wanted = name.value.trim();
  const problem = nameProblem(wanted);
  const save = async (replace: boolean) => {
    if (problem) return;
    await snapshots.save(wanted, replace);
    name.value = "";
  };
  const { error, send } = useSubmit(save);
  const taken = takenName(error.value);
  const shown = taken === undefined || taken === wanted ? error.value : undefined;
  return (
    <Form class="card tool" onSend={() => send(false)}>
      <Field
        label="Name of the snapshot"
        of={name}
        placeholder="generated if left empty"
        error={problem}
        hint="This world as it is now."
      />
      <Button look="main" type="submit">
        Save this world
      </Button>
      {shown && <Problem error={shown} />}
      {shown && taken && (
        <Button look="danger" onSend={() => send(true)}>
          Replace {taken}
        </Button>
      )}
    </Form>
  );
}
