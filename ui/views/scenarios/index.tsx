import { useEffect, useMemo } from "preact/hooks";
import { useApp, useModel } from "../../components/context.ts";
import { createScenarioApi } from "../../models/scenarios/api.ts";
import { Scenarios } from "../../models/scenarios/scenarios.ts";
import type { ViewProps } from "../registry.ts";
import { ScenariosProvider } from "./context.ts";
import { ScenarioBoard } from "./list.tsx";
import { RunPage } from "./run.tsx";
import { ScenarioPage } from "./scenario.tsx";
import "./scenarios.css";
import "./run.css";
import "./stage.css";

/** Stories that can be run: what there is, one of them, and a run of one as it goes on. */
export default function ScenariosView({ parts: [name, run], query }: ViewProps) {
  const { api: control, live, machine } = useApp();
  const api = useMemo(() => createScenarioApi(control.transport), [control]);
  const scenarios = useModel(() => new Scenarios(api, machine), [api]);
  useEffect(() => {
    const read = () => {
      // Files may have been changed in an editor meanwhile.
      void scenarios.list.read();
      void scenarios.runs.read();
    };
    read();
    addEventListener("focus", read);
    const stop = live.connection.subscribe(({ state }) => {
      if (state === "open") void scenarios.runs.read();
    });
    return () => {
      removeEventListener("focus", read);
      stop();
    };
  }, [scenarios]);
  return (
    <ScenariosProvider value={{ api, scenarios }}>
      {name === "runs" && run !== undefined ? (
        <RunPage key={run} id={run} />
      ) : name !== undefined ? (
        <ScenarioPage key={`${name}?${query}`} name={name} query={query} />
      ) : (
        <ScenarioBoard />
      )}
    </ScenariosProvider>
  );
}
