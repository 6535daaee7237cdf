import { Type } from "typebox";
import { text } from "../../http/shapes.ts";
import { scenarioLines, UNPAINTED } from "../../reports/terminal.ts";
import { type CheckRequest, inputOf, operationTool, optional, resultOf, type Tool } from "../tool.ts";
import { pick } from "../views.ts";

/** Tools that test a webhook handler: hazards and scenarios. */
export const testTools: readonly Tool[] = [
  {
    name: "check_subscriber",
    title: "Test a webhook handler",
    description:
      "Sends forged, repeated, reordered and malformed events to a webhook handler and judges each response: the verdict is pass, unknown or fail, and `finding` says what to fix first. Takes up to a minute. Use a development server that verifies with the same secret.",
    effect: "changes",
    reachesOut: true,
    input: inputOf({
      url: text("The handler's webhook URL."),
      secret: optional(text("The secret that the handler verifies with. Default: SANDGLASS_WEBHOOK_SECRET.")),
      sender: optional(
        text(
          "The sender whose webhooks the server receives: stripe, github, … or a sender's file. Default: the platform.",
        ),
      ),
      events: optional(
        text("Which of the sender's events to send: a list of types, or a capture. Default: all."),
      ),
      state: optional(
        text(
          "A URL whose response changes when an event is processed. It shows whether an event was processed twice. Without it, that is unknown.",
        ),
      ),
      only: optional(
        Type.Array(Type.String(), { description: "The hazards to check, by name. Default: all." }),
      ),
    }),
    output: resultOf(["verdict", "finding", "counts", "hazards", "left_out"]),
    async run({ check }, request: CheckRequest, { inWords }) {
      const { finding, hazards, left_out: leftOut, ...report } = await check(request);
      return {
        ...pick(report, "verdict", "counts"),
        finding: finding && inWords(finding),
        left_out: leftOut.map((one) => pick(one, "name", "reason")),
        hazards: hazards.map(({ summary, fix, note, ...hazard }) => ({
          ...pick(hazard, "name", "assumed", "verdict"),
          summary: inWords(summary),
          fix: /pass|skipped/.test(hazard.verdict) ? null : inWords(note ?? fix),
        })),
      };
    },
  },
  operationTool({
    name: "scenarios",
    does: "scenarios.list",
    title: "List scenarios",
    description:
      "Lists the scenarios that run_scenario can run: the project's own and those shipped with Sandglass. Reads the project's files as code.",
    gives: ["scenarios", "problems"],
    view: ({ data, problems }) => ({
      scenarios: data.map(({ params, ...one }) => ({
        ...pick(one, "name", "title", "file"),
        params: Object.fromEntries(Object.entries(params).map(([param, spec]) => [param, spec.default])),
      })),
      problems: problems.map(({ message }) => message),
    }),
  }),
  operationTool({
    name: "run_scenario",
    does: "scenarios.run",
    title: "Run a scenario",
    description:
      "Runs a scenario in a fresh world with its clock paused, and returns its report, also as a web page (html). Other worlds are not touched.",
    takes: ["name", "params", "subscriber", "secret"],
    gives: ["status", "failure", "report", "html"],
    async view({ id }, { client }) {
      // Wait until the run ends. Its event stream ends at the same time.
      await client.request("GET", `/_sandbox/scenarios/runs/${id}/events`);
      const { report } = await client.run("runs.get", { id });
      const { status, failure } = report!;
      return {
        status,
        failure: failure && pick(failure, "message", "hint", "step"),
        report: scenarioLines(report!, { paint: UNPAINTED, verbose: true }).join("\n"),
        html: `${client.url}/_sandbox/scenarios/runs/${id}/report.html`,
      };
    },
  }),
];
