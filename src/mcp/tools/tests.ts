import { Type } from "typebox";
import { nullable, oneOf } from "../../http/shapes.ts";
import type { ScenarioReport } from "../../reports/scenario-report.ts";
import { scenarioLines } from "../../reports/terminal.ts";
import { optional, text } from "../schemas.ts";
import { tool } from "../tool.ts";

const plain = (line: string) => line;
const PLAIN = { bold: plain, dim: plain, green: plain, red: plain, yellow: plain };

interface Run {
  id: string;
  url: string;
  report: ScenarioReport | null;
}

/** Tests of a webhook handler: hazards and scenarios. */
export const testTools = [
  tool({
    name: "check_subscriber",
    title: "Test a webhook handler",
    description:
      "Sends forged, repeated, reordered and malformed events to a webhook handler and judges each response. Takes up to a minute. Use a development server: it must verify with the secret.",
    effect: "changes",
    reachesOut: true,
    input: {
      url: text("Where the handler takes webhooks."),
      secret: optional(text("The secret it verifies with. Default: SANDGLASS_WEBHOOK_SECRET.")),
      sender: optional(
        text("Whose webhooks it takes: stripe, github, … or a sender's file. Default: the platform's."),
      ),
      events: optional(text("Which of the sender's events to send: types, or a capture. Default: all.")),
      state: optional(
        text(
          "A URL whose response changes when an event is processed; shows what was processed twice. Without it, that is unknown.",
        ),
      ),
      only: optional(Type.Array(Type.String(), { description: "Only these hazards, by name." })),
    },
    output: {
      verdict: oneOf(["pass", "unknown", "fail"]),
      finding: nullable(text("What to fix first.")),
      counts: Type.Record(Type.String(), Type.Integer()),
      hazards: Type.Array(
        Type.Object({
          name: Type.String(),
          verdict: Type.String(),
          summary: text("What was found."),
          fix: nullable(text("What to change, or how to see what is unknown; null if it passed.")),
          assumed: Type.Array(Type.String(), {
            description: "What it rests on and the sender does not publish.",
          }),
        }),
      ),
      left_out: Type.Array(Type.Object({ name: Type.String(), reason: Type.String() }), {
        description: "Hazards that the sender cannot cause.",
      }),
    },
    async run({ check }, request, { inWords }) {
      const { verdict, finding, counts, hazards, left_out: leftOut } = await check(request);
      return {
        verdict,
        finding: finding && inWords(finding),
        counts: { ...counts },
        left_out: leftOut.map(({ name, reason }) => ({ name, reason })),
        hazards: hazards.map(({ name, verdict, summary, fix, note, assumed }) => ({
          ...{ name, assumed: [...assumed] },
          verdict,
          summary: inWords(summary),
          fix: verdict === "pass" || verdict === "skipped" ? null : inWords(note ?? fix),
        })),
      };
    },
  }),
  tool({
    name: "scenarios",
    title: "List scenarios",
    description:
      "Lists the scenarios that run_scenario can run: the project's own and those shipped with Sandglass. Reads the project's files as code.",
    // Reading a scenario runs its file.
    effect: "changes",
    input: {},
    output: {
      scenarios: Type.Array(
        Type.Object({
          name: Type.String(),
          title: Type.String(),
          file: Type.String(),
          params: Type.Record(Type.String(), Type.Unknown(), { description: "Defaults by name." }),
        }),
      ),
      problems: Type.Array(Type.String(), { description: "Files that are not valid scenarios." }),
    },
    async run({ sandbox }) {
      const { data, problems } = await (await sandbox()).control<{
        data: { name: string; title: string; file: string; params: Record<string, { default: unknown }> }[];
        problems: { message: string }[];
      }>("GET", "/scenarios", { fields: ["data", "problems"] });
      return {
        scenarios: data.map(({ name, title, file, params }) => ({
          name,
          title,
          file,
          params: Object.fromEntries(Object.entries(params).map(([param, spec]) => [param, spec.default])),
        })),
        problems: problems.map(({ message }) => message),
      };
    },
  }),
  tool({
    name: "run_scenario",
    title: "Run a scenario",
    description:
      "Runs a scenario in a fresh world with its clock paused, and returns its report. Other worlds are not touched.",
    effect: "changes",
    reachesOut: true,
    input: {
      name: text("A name from `scenarios`."),
      params: optional(
        Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
      ),
      subscriber: optional(text("Your own webhook handler's URL, instead of the built-in inbox.")),
      secret: optional(text("The secret that it verifies with.")),
    },
    output: {
      status: oneOf(["passed", "failed"]),
      failure: nullable(
        Type.Object({ message: Type.String(), hint: Type.String(), step: nullable(Type.String()) }),
      ),
      report: text("Each step and what it caused."),
      html: text("The report with timelines, as a web page."),
    },
    async run({ sandbox }, { name, ...request }) {
      const client = await sandbox();
      const { id } = await client.control<Run>("POST", `/scenarios/${encodeURIComponent(name)}/runs`, {
        body: request,
        fields: ["id"],
      });
      // The stream of a run's events ends with the run.
      await client.request("GET", `/_sandbox/scenarios/runs/${id}/events`);
      const { report } = await client.control<Run>("GET", `/scenarios/runs/${id}`, { fields: ["report"] });
      const { status, failure } = report!;
      return {
        status,
        failure: failure && { message: failure.message, hint: failure.hint, step: failure.step },
        report: scenarioLines(report!, { paint: PLAIN, verbose: true }).join("\n"),
        html: `${client.url}/_sandbox/scenarios/runs/${id}/report.html`,
      };
    },
  }),
];
