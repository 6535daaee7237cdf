import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import type { ScenarioReport } from "../../src/reports/scenario-report.ts";
import type { SharedSandbox } from "./shared.ts";

/** The text of a scenario's file whose `run` has this body. */
export function scenarioText(name: string, body: string, fields = ""): string {
  return `import { defineScenario } from "sandglass";

export default defineScenario({
  name: "${name}",
  title: "The story of ${name}",${fields}
  async run({ sandbox, step, expect, params, log }) {
${body}
  },
});
`;
}

/** Within this package, so that `sandglass` means it. */
const PLACE = fileURLToPath(new URL("../../test-artifacts/", import.meta.url));

/** A folder with these files, for all tests of a file; `scenarios` in it is where scenarios are looked for. */
export function sharedFolder(files: Record<string, string>): string {
  mkdirSync(PLACE, { recursive: true });
  const folder = mkdtempSync(join(PLACE, "scenarios-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return folder;
}

/** Events of a run, as they come over the wire, until it ends. */
export async function eventsOf(sandbox: { url: string }, id: string, after?: number) {
  const response = await fetch(`${sandbox.url}/_sandbox/scenarios/runs/${id}/events`, {
    headers: after === undefined ? {} : { "last-event-id": String(after) },
  });
  const text = await response.text();
  return text
    .split("\n\n")
    .flatMap((event) => event.split("\n").filter((line) => line.startsWith("data: ")))
    .map((line) => JSON.parse(line.slice("data: ".length)) as { seq: number; type: string });
}

/** Runs a scenario to its end. */
export async function runToEnd(
  sandbox: SharedSandbox,
  name: string,
  request: Record<string, unknown> = {},
): Promise<{ id: string; url: string; world: string; report: ScenarioReport }> {
  const begun = await sandbox.control("POST", `/scenarios/${name}/runs`, request);
  if (begun.status !== 201) throw new Error(`Answered ${begun.status}: ${begun.text}`);
  await eventsOf(sandbox, begun.body.id);
  return (await sandbox.control("GET", `/scenarios/runs/${begun.body.id}`)).body;
}
