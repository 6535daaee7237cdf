import { Icon, type IconName } from "../../components/icon.tsx";
import type { RunState } from "../../models/scenarios/course.ts";

export type ShownState = RunState | "pending";

const ICONS: Record<ShownState, IconName> = {
  pending: "minus",
  waiting: "pause",
  running: "play",
  passed: "check",
  failed: "cross",
  stopped: "minus",
};

/** How something stands, as a sign; the word stands beside it. */
export function StateMark({ of }: { of: ShownState }) {
  return (
    <span class="state-mark" data-state={of} aria-hidden="true">
      <Icon name={ICONS[of]} />
    </span>
  );
}

/** How a run stands: sign and word. */
export function StateWord({ of }: { of: RunState }) {
  return (
    <span class="state-word" data-state={of}>
      <StateMark of={of} />
      {of}
    </span>
  );
}
