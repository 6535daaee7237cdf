import { createParts, useApp } from "../../components/context.ts";
import { href } from "../../models/router.ts";
import type { RunRequest, ScenarioApi } from "../../models/scenarios/api.ts";
import type { Scenarios } from "../../models/scenarios/scenarios.ts";

interface ScenariosParts {
  api: ScenarioApi;
  scenarios: Scenarios;
}

export const [ScenariosProvider, useScenarios] = createParts<ScenariosParts>("the scenarios view");

export const runHref = (id: string): string => href(["scenarios", "runs", id]);

/** Starts a run and goes to it; says so if it is refused. */
export function useStart(): (scenario: string, request: RunRequest) => Promise<void> {
  const { router, toasts } = useApp();
  const { scenarios } = useScenarios();
  return async (scenario, request) => {
    const run = await toasts.attempt(() => scenarios.start(scenario, request));
    if (run) router.go(runHref(run.id));
  };
}
