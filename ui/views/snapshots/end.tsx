import { DialogForm } from "../../components/dialog-form.tsx";
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
  const end = async () => {
    await worlds.end(name);
    await onEnded();
    onClose();
  };
  return (
    <DialogForm title={`End the world ${name}`} action="End it" look="danger" onSend={end} onClose={onClose}>
      <p>Everything in it is deleted. Calls to it then get a 404.</p>
      <p class="note">
        It is saved as the snapshot <b>{lastName(name)}</b> first, so you can undo this.
      </p>
    </DialogForm>
  );
}
