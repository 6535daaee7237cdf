import type { Advance } from "../../api-types.ts";
import { IDLE, NEXT, STEPS } from "../../models/advances.ts";
import { relative } from "../../models/format.ts";
import { useApp } from "../context.ts";
import { Preview } from "./preview.tsx";

/** The buttons that move the clock. Resting on one shows what it would cause. */
export function AdvanceButtons({ onToDate }: { onToDate: () => void }) {
  const { ledger, clock } = useApp();
  const { nextDue } = clock.state.value;

  const step = (request: Advance, label: string, hint?: string) => (
    <button
      type="button"
      class="step"
      onClick={() => void ledger.advance(request)}
      onPointerEnter={() => ledger.consider(request)}
      onFocus={() => ledger.consider(request)}
    >
      <span class="vh">Advance: </span>
      {label}
      {hint !== undefined && <small aria-hidden="true">{hint}</small>}
    </button>
  );

  const due =
    nextDue === undefined ? "" : nextDue === null ? "nothing due" : relative(nextDue, clock.second.value);
  return (
    <div class="advance" onPointerLeave={ledger.forget} onFocusOut={ledger.forget}>
      <fieldset class="steps">
        <legend class="vh">Advance the clock</legend>
        {STEPS.map(({ request, label }) => step(request, label))}
        {step(NEXT, "Next due", due)}
        {step(IDLE, "Run everything due")}
        <button type="button" class="step" onClick={onToDate} aria-haspopup="dialog">
          <span class="vh">Advance: </span>Jump to…
        </button>
      </fieldset>
      <Preview />
    </div>
  );
}
