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

/** Stories by name, with their texts. */
export const STORIES = new Map(
  readdirSync(path("scenarios"))
    .filter((file) => file.endsWith(".ts"))
    .sort()
    .map((file) => [file.slice(0, -".ts".length), readFileSync(path(`scenarios/${file}`), "utf8")]),
);
export const names = [...STORIES.keys()];
export const folder = mkdtempSync(join(tmpdir(), "sandglass-shipped-"));
// Files of tests share this module, and the folder with it.
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

/** What `sandglass run`, as it was built, ends with in a folder that has no scenarios. */
export async function runBuilt(args: string[] = [], cwd = folder) {
  const { code, stdout, stderr } = await runWarmCli(["run", "--json", ...args], { cwd, keep: true });
  expect(stdout, stderr).toMatch(/^\{/);
  return { code, scenarios: JSON.parse(stdout).scenarios as ScenarioReport[] };
}

/** Each scenario's result, with the reason where it failed. */
export const results = (scenarios: readonly ScenarioReport[]) =>
  scenarios.map(({ name, status, failure }) => [name, status, failure]);
export const passed = (expected: readonly string[]) => expected.map((name) => [name, "passed", null]);

/** The stories that a subscriber can be put into. */
export const WITH_INBOX = names.filter((name) => STORIES.get(name)!.includes("sandbox.inbox("));

/** Expects these to pass with a subscriber that verifies signatures. */
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
