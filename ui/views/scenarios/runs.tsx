import { Icon, type IconName } from "../../components/icon.tsx";
import { Empty, Text, Unread } from "../../components/parts.tsx";
import type { Run } from "../../models/scenarios/api.ts";
import type { RunState } from "../../models/scenarios/course.ts";
import { runHref, useScenarios } from "./context.ts";

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

interface RunsProps {
  label: string;
  runs: Run[] | undefined;
  /** Whether all of them are of one scenario. */
  ofOne?: boolean;
}

/** Runs in a line each, newest first. */
export function Runs({ label, runs, ofOne }: RunsProps) {
  const { scenarios } = useScenarios();
  if (!runs) return <Unread of={scenarios.runs} />;
  if (runs.length === 0)
    return (
      <Empty title={ofOne ? "Not run yet." : "No runs yet."}>
        Run {ofOne ? "it" : "a scenario"}, and watch the steps as they come.
      </Empty>
    );
  return (
    <ul class="rows" aria-label={label}>
      {runs.map((run) => (
        <li key={run.id}>
          <a class="row pick run-row" href={runHref(run.id)}>
            <StateWord of={run.status} />
            <span class="row-main">
              {!ofOne && <Text of={run.title} lines={2} />}
              <span class="flow run-facts">
                <span class={ofOne ? undefined : "note"}>{run.id}</span>
                <ParamList of={run.params} lines={1} />
              </span>
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Values of parameters: `failures 2, status 503`. */
export function ParamList({ of, lines = 3 }: { of: Run["params"]; lines?: number }) {
  const all = Object.entries(of);
  if (all.length === 0) return null;
  return (
    <span class="note flow param-list">
      {all.map(([name, value]) => (
        <span key={name}>
          <span>{name}</span>
          <Text as="b" of={String(value) || "empty"} lines={lines} />
        </span>
      ))}
    </span>
  );
}
