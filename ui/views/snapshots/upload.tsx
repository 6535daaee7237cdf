import { useSignal } from "@preact/signals";
import { useId, useRef } from "preact/hooks";
import { Button, Problem } from "../../components/parts.tsx";
import { useSubmit } from "../../components/sending.ts";
import { nameOfFile } from "../../models/snapshots/names.ts";
import { type Snapshots, takenName } from "../../models/snapshots/snapshots.ts";

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
  const taken = takenName(error.value);
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
      {error.value && <Problem error={error.value} />}
      {taken && (
        <Button look="danger" onSend={() => send(chosen.value!, true)}>
          Replace {taken}
        </Button>
      )}
    </div>
  );
}
