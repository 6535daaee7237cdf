import { progressWords } from "../../models/advances.ts";
import { useApp } from "../context.ts";
import { Button } from "../parts.tsx";

/** How far an advance that takes its time is, and the way to end it. */
export function Progress() {
  const { clock, ledger } = useApp();
  const { advance } = clock.state.value;
  if (!advance) return null;
  const { from, now, to } = advance;
  const ending = advance.ending || ledger.ending.value;
  const share = to === null ? {} : { value: now - from, max: Math.max(1, to - from) };
  return (
    <fieldset class="popover progress">
      <legend class="vh">Advance in progress</legend>
      <p>{progressWords(advance)}</p>
      <progress aria-label="Advance" {...share} />
      <Button onSend={() => ledger.cancel()} disabled={ending}>
        {ending ? "Ending…" : "End here"}
      </Button>
    </fieldset>
  );
}
