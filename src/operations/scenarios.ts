import { operationsOf } from "./operation.ts";
import { dataOf, idOf, nameOf } from "./schemas/common.ts";
import * as shapes from "./schemas/scenarios.ts";

const operation = operationsOf("Scenarios");

/** The scenarios of the server; they are the same through every world. See docs/scenarios.md, "Run". */
export const scenarioOperations = [
  operation("scenarios.list", "GET /scenarios", {
    id: "listScenarios",
    // Reading a scenario runs its file.
    effect: "changes",
    summary: "Your own scenarios, and those that come with Sandglass",
    answer: shapes.ScenarioList,
  }),
  operation("scenarios.run", "POST /scenarios/:name/runs", {
    id: "runScenario",
    reachesOut: true,
    summary: "Run a scenario in a fresh world, its clock standing still",
    params: nameOf("a scenario"),
    body: shapes.NewRun,
    answer: shapes.Run,
    status: 201,
  }),
  operation("runs.list", "GET /scenarios/runs", {
    id: "listScenarioRuns",
    summary: "The latest runs of scenarios, oldest first, without their reports",
    answer: dataOf(shapes.Run, "ScenarioRuns"),
  }),
  operation("runs.get", "GET /scenarios/runs/:id", {
    id: "getScenarioRun",
    summary: "A run, and its report once it ended",
    params: idOf("a run"),
    answer: shapes.Run,
  }),
  operation("runs.delete", "DELETE /scenarios/runs/:id", {
    id: "deleteScenarioRun",
    effect: "ends",
    summary: "Stop a run if it is under way, and end its world",
    params: idOf("a run"),
    answer: shapes.RunRemoved,
  }),
];
