import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import type { ScenarioReport } from "../../src/reports/scenario-report.ts";
import type { SharedSandbox } from "./shared.ts";

/** The source of a scenario file whose `run` function has this body. */
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

/** The folder is inside this package, so that `sandglass` refers to this package. */
const PLACE = fileURLToPath(new URL("../../test-artifacts/", import.meta.url));

/**
 * Creates a folder with these files, shared by all tests of a file. Its `scenarios` folder is where scenarios are
 * looked up.
 */
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

/** The events of a run until its end, as they are sent to clients. */
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

/** Runs a scenario until it ends. */
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
