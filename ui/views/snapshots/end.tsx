import { useSignal } from "@preact/signals";
import { Dialog } from "../../components/dialog.tsx";
import { Form } from "../../components/form.tsx";
import { Button, Problem } from "../../components/parts.tsx";
import { lastName } from "../../models/snapshots/names.ts";
import type { Worlds } from "../../models/snapshots/worlds.ts";

interface EndDialogProps {
  name: string;
  worlds: Worlds;
  onEnded: () => Promise<void>;
  onClose: () => void;
}

/** Asks before a world ends. */
export function EndDialog({ name, worlds, onEnded, onClose }: EndDialogProps) {
  const error = useSignal<Error | undefined>(undefined);
  const end = async () => {
    try {
      await worlds.end(name);
      await onEnded();
      onClose();
    } catch (reason) {
      error.value = reason as Error;
    }
  };
  return (
    <Dialog title={`End the world ${name}`} onClose={onClose}>
      <Form class="stack" onSend={end}>
        <p>Everything in it is deleted. Calls to it then get a 404.</p>
        <p class="note">
          It is kept as the snapshot <b>{lastName(name)}</b> first, so this can be undone.
        </p>
        {error.value && <Problem error={error.value} />}
        <div class="actions">
          <Button look="danger" type="submit">
            End it
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </Form>
    </Dialog>
  );
}
