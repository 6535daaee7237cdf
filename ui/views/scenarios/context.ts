import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { useApp } from "../../components/context.ts";
import { href } from "../../models/router.ts";
import type { RunRequest, ScenarioApi } from "../../models/scenarios/api.ts";
import type { Scenarios } from "../../models/scenarios/scenarios.ts";

interface ScenariosParts {
  api: ScenarioApi;
  scenarios: Scenarios;
}

const Context = createContext<ScenariosParts | undefined>(undefined);
export const ScenariosProvider = Context.Provider;

export function useScenarios(): ScenariosParts {
  const parts = useContext(Context);
  if (!parts) throw new Error("A part of the scenarios is shown outside of them.");
  return parts;
}

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
