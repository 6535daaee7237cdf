import { useSignal } from "@preact/signals";
import { useId, useRef } from "preact/hooks";
import { Field } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { Button, Problem, Submit } from "../../components/parts.tsx";
import { useSubmit } from "../../components/sending.ts";
import { nameOfFile, nameProblem, type Snapshots, takenName } from "../../models/snapshots/snapshots.ts";

/** Why nothing was saved; a snapshot that has the name can be replaced. */
function Refused({ error, onReplace }: { error: Error | undefined; onReplace: () => Promise<void> }) {
  const taken = takenName(error);
  return (
    <>
      {error && <Problem error={error} />}
      {taken && (
        <Button look="danger" onSend={onReplace}>
          Replace {taken}
        </Button>
      )}
    </>
  );
}

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
      <Submit>Save this world</Submit>
      <Refused error={shown} onReplace={() => send(true)} />
    </Form>
  );
}

/** A snapshot that comes as a file, from another machine. */
export function Upload({ snapshots }: { snapshots: Snapshots }) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const { error, send } = useSubmit(async (file: File, replace: boolean) => {
    await snapshots.upload(nameOfFile(file.name), file, replace);
  });
  const chosen = useSignal<File | undefined>(undefined);
  const choose = () => {
    const file = input.current?.files?.[0];
    if (!file) return;
    input.current!.value = "";
    chosen.value = file;
    void send(file, false);
  };
  return (
    <div class="card tool">
      <div class="field">
        <label for={id}>From a file</label>
        <input
          ref={input}
          id={id}
          type="file"
          accept=".sandglass"
          aria-describedby={`${id}-hint`}
          onChange={choose}
        />
        <p id={`${id}-hint`} class="note">
          A snapshot that was downloaded from this version of Sandglass. It gets the file's name.
        </p>
      </div>
      <Refused error={error.value} onReplace={() => send(chosen.value!, true)} />
    </div>
  );
}
