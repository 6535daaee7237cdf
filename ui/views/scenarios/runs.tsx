import { Empty, Loading, Problem, Text } from "../../components/parts.tsx";
import type { Run } from "../../models/scenarios/api.ts";
import { runHref, useScenarios } from "./context.ts";
import { ParamList } from "./param-list.tsx";
import { StateWord } from "./state.tsx";

interface RunsProps {
  label: string;
  runs: Run[] | undefined;
  /** Whether all of them are of one scenario. */
  ofOne?: boolean;
}

/** Runs in a line each, newest first. */
export function Runs({ label, runs, ofOne }: RunsProps) {
  const { scenarios } = useScenarios();
  const error = scenarios.runs.error.value;
  if (!runs) return error ? <Problem error={error} retry={() => void scenarios.runs.read()} /> : <Loading />;
  if (runs.length === 0)
    return (
      <Empty title={ofOne ? "Not run yet." : "No runs yet."}>
        <p>Run {ofOne ? "it" : "a scenario"}, and watch the steps as they come.</p>
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
