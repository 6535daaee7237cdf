import { useSignal } from "@preact/signals";
import { useApp } from "../../components/context.ts";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { Button } from "../../components/parts.tsx";

/** Asks before everything goes back to the fixtures. */
export function ResetDialog({ onClose }: { onClose: () => void }) {
  const { api, status, toasts } = useApp();
  const seed = useSignal(status.value.seed);
  const reset = async () => {
    const done = await toasts.attempt(() => api.reset(seed.value.trim()));
    if (done) toasts.done(`The world is back at the fixtures of the seed ${done.seed}.`);
    onClose();
  };
  return (
    <Dialog title="Reset the world" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void reset();
        }}
      >
        <p>
          All that was made since the start goes: payments, endpoints, deliveries, faults, journal. The clock
          goes back to where the fixtures begin.
        </p>
        <Field
          label="Seed"
          value={seed.value}
          hint="The same seed gives the same data; empty makes organizations and keys only."
          onInput={(text) => {
            seed.value = text;
          }}
        />
        <div class="actions">
          <Button look="danger" type="submit">
            Reset
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}
