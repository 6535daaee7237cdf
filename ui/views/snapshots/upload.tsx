import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { Problem } from "../../components/parts.tsx";
import { nameOfFile } from "../../models/snapshots/names.ts";
import type { Snapshots } from "../../models/snapshots/snapshots.ts";

/** A snapshot that comes as a file, from another machine. */
export function Upload({ snapshots }: { snapshots: Snapshots }) {
  const id = useId();
  const error = useSignal<Error | undefined>(undefined);
  const upload = async (input: HTMLInputElement) => {
    const file = input.files?.[0];
    if (!file) return;
    try {
      await snapshots.upload(nameOfFile(file.name), file);
      error.value = undefined;
    } catch (reason) {
      error.value = reason as Error;
    }
    input.value = "";
  };
  return (
    <div class="card tool">
      <div class="field">
        <label for={id}>From a file</label>
        <input
          id={id}
          type="file"
          accept=".sandglass"
          aria-describedby={`${id}-hint`}
          onChange={({ currentTarget }) => void upload(currentTarget)}
        />
        <p id={`${id}-hint`} class="note">
          A download of this version of Sandglass; the file's name is the snapshot's.
        </p>
      </div>
      {error.value && <Problem error={error.value} />}
    </div>
  );
}
