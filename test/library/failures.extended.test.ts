import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Ended } from "../support/child.ts";
import { AWAIT_USING, binOf, consumerProject } from "./consumer.ts";

/** The time limit for a test in the child process, in real milliseconds. The server takes longer than this to start. */
const LIMIT = 6_000;

const HINT = 'Did you mean "coffee"?';

/** A test file as a user would write it, whose server takes longer to start than a test may take. */
const OPTIONS = `
import { setTimeout } from "node:timers/promises";
import { describe, expect, test as sandboxTest } from "sandglass/vitest";

const startAt = "2027-01-01T00:00:00Z";
const held = sandboxTest.extend({
  sandboxOptions: [
    async ({}, use) => {
      await setTimeout(${LIMIT});
      await use({ seed: "empty", startAt, webhooks: { headerPrefix: "X-Mine-" } });
    },
    { scope: "file" },
  ],
});
const test = held.extend({ link: async ({ sandbox }, use) => use(await sandbox.payments.createLink({ name: "Tea", amount: "1" })) });

describe("a suite whose tests come from a table", () => {
  test.for([1, 2])("options hold, and the start does not count, %i", async (_number, { sandbox, link }) => {
    expect(await sandbox.clock.now()).toBe("2027-01-01T00:00:00.000Z");
    const { data } = await sandbox.platform.call("GET", "/payment-links");
    expect(data.map(({ id }) => id)).toEqual([link.id]);
    await sandbox.webhooks.create(sandbox.inbox("shop").url);
    await sandbox.payments.pay(link.id);
    const [{ headers }] = await sandbox.inbox("shop").messages();
    expect(Object.keys(headers)).toContain("x-mine-signature");
  });
});

held.concurrent("one beside it", async ({ sandbox }) => expect(sandbox.world).not.toBe("default"));
`;

const OVERRIDE = `
import { expect, test } from "sandglass/vitest";

test.override({ sandboxOptions: { seed: "empty", port: false } });
test("options are overridden for the file", async ({ sandbox, sandboxServer }) => {
  expect(sandboxServer.url).toBe("http://sandglass.localhost");
  expect((await sandbox.platform.call("GET", "/payment-links")).data).toEqual([]);
});
`;

const FROM = `
import { test } from "sandglass/vitest";

test.override({ sandboxOptions: { from: "./nope" } });
test("begins with nothing that is there", ({ sandbox }) => sandbox.world);
`;

const FAILING = `
import { describe, expect, test } from "sandglass/vitest";

describe("a shop", () => {
  test("sells tea", async ({ sandbox }) => {
    await sandbox.payments.createLink({ name: "Left behind", amount: "1" });
    await sandbox.payments.pay("coffe");
  });
  test("is refused by the platform", async ({ sandbox }) => {
    const { status } = await sandbox.platform.request("POST", "/payment-links", { body: {} });
    expect(status).toBe(201);
  });
  test("names a cause", async ({ sandbox }) => {
    const cause = await sandbox.payments.pay("coffe").catch((error) => error);
    throw new Error("on purpose", { cause });
  });
});
let attempts = 0;
test("passes in the end", { retry: 1 }, async ({ sandbox }) => {
  attempts += 1;
  expect(attempts).toBe(2);
});
test.fails("is expected to fail", async ({ sandbox }) => expect(sandbox.world).toBe(""));
test("is skipped", ({ sandbox, skip }) => skip());
test("asks for no world", () => expect(1).toBe(2));
`;

const NAMESAKES = `
import { describe, expect, test } from "sandglass/vitest";

test.for([1, 2])("one of a table", async (number, { sandbox }) => {
  await sandbox.payments.openSession("coffee", { client_reference_id: "Namesake " + number });
  expect(number).toBe(2);
});
for (const number of [1, 2])
  describe("a suite", () => {
    test("fails in the end", { retry: 1 }, async ({ sandbox }) => {
      await sandbox.payments.openSession("coffee", { client_reference_id: "Namesake " + number });
      expect(number).toBe(0);
    });
  });
`;

test("failing Vitest tests save their worlds, options apply, and the server's start does not count towards any test's time limit [fidelity: Data › Failed tests]", async () => {
  const project = consumerProject(
    {
      "package.json": '{"type": "module"}',
      "vitest.config.mjs": `export default { test: { testTimeout: ${LIMIT}, maxWorkers: 2 } };`,
      "options.test.ts": OPTIONS,
      "override.test.ts": OVERRIDE,
      "failing.test.ts": FAILING,
      "from.test.ts": FROM,
      "namesakes.test.ts": NAMESAKES,
    },
    ["vitest"],
  );
  const ended = await project.node([binOf("vitest/vitest.mjs"), "run", "--root", project.folder]);
  expect(ended.output).toMatch(/Tests +7 failed \| 6 passed \| 1 expected fail \| 2 skipped/);
  expect(ended.output).toContain(`There is no payment link coffe.\n\n${HINT}`);
  expect(ended.output).toMatch(
    /API calls:\n +POST {2}\/platform\/api\/v1\/payment-links {2}400 {2}missing_required_field: \S/,
  );
  expect(ended.output).toContain(`Error: on purpose\n\n${HINT}`);

  expect(ended.output).toMatch(/no file or folder \.\/nope\.\n\nList the scenarios/);

  const [refused, cause, tea] = keptOf(project.folder, ended);
  expect(refused).toMatch(/^failing\.test\.ts-a-shop-is-refused-by-the-platform-\w{6}$/);
  expect(cause).toMatch(/^failing\.test\.ts-a-shop-names-a-cause-\w{6}$/);
  expect(tea).toMatch(/^failing\.test\.ts-a-shop-sells-tea-\w{6}$/);
  const page = readFileSync(join(project.folder, `sandglass-failed/${tea}.html`), "utf8");
  expect(page).toContain("failing.test.ts &gt; a shop &gt; sells tea failed");
  expect(page).toContain("payment_link.created");
  // Tests with the same name have separate worlds.
  expect(savedOrders(project.folder, ended.output)).toEqual(
    expect.arrayContaining([
      "a-suite-fails-in-the-end-2: Namesake 2",
      "a-suite-fails-in-the-end: Namesake 1",
      "one-of-a-table: Namesake 1",
    ]),
  );
});

const SHARED = `
export const fails = (sandbox) => async () => {
  await sandbox.payments.createLink({ name: "Left behind", amount: "1" });
  await sandbox.payments.pay("coffe");
};
`;

const NODE_TEST = `
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createSandbox, keepOnFailure } from "sandglass";
import { fails } from "./shared.mjs";

describe("a shop", () => {
  test("sells tea", async (t) => {
    await using sandbox = await createSandbox({ port: false });
    await keepOnFailure(sandbox, t, fails(sandbox));
  });
});
test("a test that has been fixed leaves no saved files behind", async (t) => {
  await using sandbox = await createSandbox({ port: false });
  await assert.rejects(keepOnFailure(sandbox, t, fails(sandbox)), /sandglass-failed/);
  assert.equal(await keepOnFailure(sandbox, t, () => "its result"), "its result");
});
test("an error that cannot be changed is rethrown unchanged", async (t) => {
  await using sandbox = await createSandbox({ port: false });
  const aborts = () => AbortSignal.abort().throwIfAborted();
  await assert.rejects(keepOnFailure(sandbox, t, aborts), { name: "AbortError", message: /aborted\\n\\nWhat happened is in sandglass-failed/ });
  const frozen = Object.freeze(new Error("frozen"));
  await assert.rejects(keepOnFailure(sandbox, "a frozen error", () => Promise.reject(frozen)), (it) => it === frozen);
  await keepOnFailure(sandbox, t, () => {});
});
test("keepOnFailure handles thrown values that are not errors, even after the world is closed", async (t) => {
  await using sandbox = await createSandbox({ port: false });
  await assert.rejects(keepOnFailure(sandbox, "a text " + "é".repeat(300), () => Promise.reject("on purpose")), (it) => it === "on purpose");
  await using world = await sandbox.fork();
  const closes = async () => { await world.close(); throw new Error("on purpose"); };
  await assert.rejects(keepOnFailure(world, "closed", closes), /on purpose\\n\\nThe world could not be saved/);
  await assert.rejects(keepOnFailure({}, t, () => {}), { code: "bad_request" });
});
`;

test("keepOnFailure saves the world of a failing test in node:test [fidelity: Data › Failed tests]", async () => {
  const project = consumerProject({
    "package.json": '{"type": "module"}',
    "shared.mjs": SHARED,
    "shop.test.ts": NODE_TEST,
  });
  const ended = await project.node([...AWAIT_USING, "shop.test.ts"]);
  expect(ended.output).toMatch(/pass 3\b/);
  expect(ended.output).toMatch(/fail 1\b/);
  const [frozen, tea, text] = keptOf(project.folder, ended);
  expect(frozen).toMatch(/^shop\.test\.ts-a-frozen-error-\w{6}$/);
  expect(tea).toMatch(/^shop\.test\.ts-a-shop-sells-tea-\w{6}$/);
  expect(text).toMatch(/^shop\.test\.ts-a-text-é{50}-\w{6}$/);
});

/** Two files with the same tests. The tests in one of the files pass, and two of the tests share a title. */
const SAME_NAMES = (passes: boolean) => `
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSandbox, keepOnFailure } from "sandglass";

const attempt = async (name, order, holds) => {
  await using sandbox = await createSandbox({ port: false });
  await keepOnFailure(sandbox, name, async () => {
    await sandbox.payments.openSession("coffee", { client_reference_id: order });
    assert.ok(holds);
  });
};
test("an order is shipped", (t) => attempt(t, "Shipped", ${passes}));
for (const number of [1, 2]) test("one of a table", (t) => attempt(t, "Namesake " + number, ${passes} || number === 2));
test("a name is a string", async () => {
  await using sandbox = await createSandbox({ port: false });
  for (const attempt of [1, 2])
    await keepOnFailure(sandbox, "by name", () => assert.equal(attempt, 2)).catch(() => {});
  await keepOnFailure(sandbox, "two by name", () => assert.ok(${passes})).catch((error) => console.log(error.message));
  await keepOnFailure(sandbox, "two by name", () => "passes");
});
`;

test("a passing test in node:test does not delete the files of a failing one with the same name [fidelity: Data › Failed tests]", async () => {
  const project = consumerProject({
    "package.json": '{"type": "module"}',
    "fails.test.ts": SAME_NAMES(false),
    "passes.test.ts": SAME_NAMES(true),
  });
  const run = (file: string) => project.node([...AWAIT_USING, file]);
  const failed = await run("fails.test.ts");
  expect(failed.output).toMatch(/fail 2\b/);
  expect((await run("passes.test.ts")).output).toMatch(/fail 0\b/);
  expect(savedOrders(project.folder, failed.output)).toEqual([
    "an-order-is-shipped: Shipped",
    "one-of-a-table: Namesake 1",
    "two-by-name: null",
  ]);
});

const JEST = `
let sandbox, keepOnFailure, fails;
beforeAll(async () => {
  const { createSandbox, ...library } = await import("sandglass");
  ({ keepOnFailure } = library);
  ({ fails } = await import("./shared.mjs"));
  sandbox = await createSandbox({ port: false });
});
afterAll(() => sandbox.close());

const kept = (name, body) => test(name, () => keepOnFailure(sandbox, expect.getState().currentTestName, body));

describe("a shop", () => {
  kept("sells tea", async () => {
    jest.useFakeTimers();
    await fails(sandbox)();
  });
  kept("counts", () => expect(1).toBe(2));
  kept("passes", () => {});
});
`;

test("keepOnFailure saves the world of a failing Jest test with fake timers [fidelity: Data › Failed tests]", async () => {
  const project = consumerProject({
    "package.json": '{"type": "module"}',
    "shared.mjs": SHARED,
    "shop.test.cjs": JEST,
  });
  const ended = await project.node([
    "--experimental-vm-modules",
    binOf("jest/bin/jest.js"),
    "--testMatch=**/*.test.cjs",
    "--runInBand",
    "--testTimeout=120000",
  ]);
  expect(ended.output).toMatch(/Tests: +2 failed, 1 passed/);
  expect(ended.output).toContain("Expected: 2");
  const [counts, tea] = keptOf(project.folder, ended);
  expect(counts).toMatch(/^shop\.test\.cjs-a-shop-counts-\w{6}$/);
  expect(tea).toMatch(/^shop\.test\.cjs-a-shop-sells-tea-\w{6}$/);
});

/**
 * The test that each world in `sandglass-failed` belongs to, and the order that the test created. The output must
 * mention the world's page.
 */
function savedOrders(folder: string, output: string): string[] {
  const failed = join(folder, "sandglass-failed");
  const worlds = readdirSync(failed).filter((name) => name.endsWith(".sandglass"));
  const orders = worlds.map((world) => {
    expect(output).toContain(`sandglass-failed/${world.replace(/sandglass$/, "html")}`);
    const [, test] = /\.test\.ts-(.*)-\w{6}\.sandglass$/.exec(world)!;
    return `${test}: ${/Namesake \d|Shipped/.exec(readFileSync(join(failed, world), "latin1"))}`;
  });
  return orders.sort();
}

/**
 * The names of the files in `sandglass-failed`: a world and a page for each failure. The output must mention both, and
 * the hint.
 */
function keptOf(folder: string, { output, code }: Ended): string[] {
  expect(code).toBe(1);
  expect(output).toContain(HINT);
  const names = readdirSync(join(folder, "sandglass-failed"));
  const kept = [...new Set(names.map((name) => name.replace(/\.(html|sandglass)$/, "")))].sort();
  expect(names.sort()).toEqual(kept.flatMap((name) => [`${name}.html`, `${name}.sandglass`]));
  for (const name of names) expect(output).toContain(`sandglass-failed/${name}`);
  for (const name of kept) {
    const world = readFileSync(join(folder, `sandglass-failed/${name}.sandglass`));
    expect(world.subarray(0, 15).toString()).toBe("SQLite format 3");
  }
  return kept;
}
