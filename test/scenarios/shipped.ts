import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { verifySignature } from "../../src/payments/webhooks/signature.ts";
import type { ScenarioReport } from "../../src/reports/scenario-report.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { runWarmCli } from "../support/warm-cli.ts";

export const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

/** The shipped scenarios by name, with their source code. */
export const STORIES = new Map(
  readdirSync(path("scenarios"))
    .filter((file) => file.endsWith(".ts"))
    .sort()
    .map((file) => [file.slice(0, -".ts".length), readFileSync(path(`scenarios/${file}`), "utf8")]),
);
export const names = [...STORIES.keys()];
export const folder = mkdtempSync(join(tmpdir(), "sandglass-shipped-"));
// Test files share this module, and therefore the folder.
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Runs the built `sandglass run` in a folder that contains no scenarios. Returns its result. */
export async function runBuilt(args: string[] = [], cwd = folder) {
  const { code, stdout, stderr } = await runWarmCli(["run", "--json", ...args], { cwd, keep: true });
  expect(stdout, stderr).toMatch(/^\{/);
  return { code, scenarios: JSON.parse(stdout).scenarios as ScenarioReport[] };
}

/** The result of each scenario and, if it failed, the reason. */
export const results = (scenarios: readonly ScenarioReport[]) =>
  scenarios.map(({ name, status, failure }) => [name, status, failure]);
export const passed = (expected: readonly string[]) => expected.map((name) => [name, "passed", null]);

/** The scenarios in which a subscriber can replace the inbox. */
export const WITH_INBOX = names.filter((name) => STORIES.get(name)!.includes("sandbox.inbox("));

/** Expects these scenarios to pass with a subscriber that verifies signatures. */
export async function passWithSubscriber(some: readonly string[], flags: readonly string[] = []) {
  const secret = "whsec_of_the_receiver";
  const subscriber = await startSubscriber(({ headers, body }, response) => {
    const signed = verifySignature(body, String(headers["x-platform-signature"]), secret);
    response.writeHead(signed ? 204 : 401).end();
  });
  const receiver = ["--subscriber", subscriber.url, "--secret", secret];
  const { scenarios } = await runBuilt([...some, ...receiver, ...flags]);
  expect(results(scenarios)).toEqual(passed(some));
  const called = subscriber.received.filter(({ headers }) => headers["x-platform-webhook-id"]);
  expect(called.length).toBeGreaterThanOrEqual(some.length);
}
