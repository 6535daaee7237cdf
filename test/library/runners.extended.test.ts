import { expect, test } from "vitest";
import { AWAIT_USING, binOf, consumerProject } from "./consumer.ts";

/** What a user's test does under each test runner. It uses every part of a sandbox that sends or receives requests. */
const STORY = `
import { createServer } from "node:http";
import { createSandbox, SandboxError, verifySignature } from "sandglass";
import { connect } from "sandglass/client";
import { portless } from "./portless.mjs";

/** Uses the user's own subscriber, a retry an hour later, and the same sandbox over HTTP. */
export async function story(check) {
  const sandbox = await createSandbox();
  const receiver = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    got.push({ body, signature: request.headers["x-platform-signature"] });
    response.end();
  });
  const got = [];
  await new Promise((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const url = "http://127.0.0.1:" + receiver.address().port;
  try {
    const webhook = await sandbox.webhooks.create({ url, events: ["payment.completed"] });
    await sandbox.webhooks.fail(webhook.id, { kind: "status", status: 503, times: 2 });
    await sandbox.payments.pay("coffee");
    await sandbox.clock.advance("1h");
    const { attempts } = await sandbox.webhooks.timeline(webhook.id);
    check(attempts.map((attempt) => attempt.response_code).join() === "503,503,200", "three attempts");
    check(got.length === 1 && verifySignature(got[0].body, got[0].signature, webhook.secret), "signed");
    const holdings = await sandbox.data.setHoldings("0x" + "1".repeat(40), []);
    check(holdings.rows === 0, "chain data");
    check((await sandbox.game.token()).token.split(".").length === 3, "a token");

    const far = await connect(sandbox.url);
    check((await far.clock.now()) === "2026-01-15T10:00:00.000Z", "virtual time");
    await far.close();
    const fork = await sandbox.fork();
    check((await fork.clock.now()) === "2026-01-15T10:00:00.000Z", "a fork");
    await fork.close();
    const refused = await fork.clock.now().catch((error) => error);
    check(refused instanceof SandboxError && refused.code === "not_found", "its errors");
    const port = Number(new URL(sandbox.url).port);
    const taken = await createSandbox({ port }).catch((error) => error);
    check(taken instanceof SandboxError && taken.code === "port_taken" && taken.hint !== "", "a taken port");
    const wrong = await createSandbox({ port: -1 }).catch((error) => error);
    check(wrong instanceof SandboxError && wrong.code === "invalid_config", "a wrong port");
  } finally {
    await sandbox.close();
    receiver.closeAllConnections();
    receiver.close();
  }
  await portless(check);
}
`;

/** Everything that a sandbox without a port does internally. */
const PORTLESS = `
import { createSandbox } from "sandglass";

export async function portless(check) {
  const sandbox = await createSandbox({ port: false });
  try {
    const inbox = sandbox.inbox("shop");
    const webhook = await sandbox.webhooks.create({ url: inbox.url, events: ["payment.completed"] });
    await sandbox.webhooks.fail(webhook.id, { kind: "status", status: 503, times: 1 });
    await sandbox.payments.pay("coffee");
    const fork = await sandbox.fork();
    await fork.clock.advance("1h");
    check((await fork.inbox("shop").messages()).length === 1, "a retry, to an inbox behind the socket");
    check((await inbox.messages()).length === 0, "in the fork alone");
    check(sandbox.url === "http://sandglass.localhost", "no port");
  } finally {
    await sandbox.close();
  }
}
`;

/** The user's own nock and msw, which reject every request that they do not know. */
const MOCKS = `
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import nock from "nock";

const mine = async (check) => check((await (await fetch("https://api.example/")).text()) === "mine", "a mock");

export async function withNock(check, work) {
  nock.disableNetConnect();
  nock("https://api.example").get("/").reply(200, "mine");
  await work();
  await mine(check);
  nock.cleanAll();
  nock.restore();
}

export async function withMsw(check, work) {
  const server = setupServer(http.get("https://api.example/", () => HttpResponse.text("mine")));
  server.listen({ onUnhandledRequest: "error" });
  await work();
  await mine(check);
  server.close();
}
`;

const MODULES = {
  "package.json": '{"type": "module"}',
  "story.mjs": STORY,
  "portless.mjs": PORTLESS,
  "mocks.mjs": MOCKS,
};

const JEST = `
import { afterEach, expect, jest, test } from "@jest/globals";
import { withMsw, withNock } from "./mocks.mjs";
import { story } from "./story.mjs";

const check = (holds, what) => expect({ what, holds }).toEqual({ what, holds: true });
afterEach(() => jest.useRealTimers());

test("with fake timers, at another time", async () => {
  jest.useFakeTimers({ now: Date.UTC(1999, 0, 1) });
  await story(check);
  jest.advanceTimersByTime(86_400_000);
  expect(new Date().getUTCFullYear()).toBe(1999);
  expect(jest.getTimerCount()).toBe(0);
});
test("with nock", () => withNock(check, () => story(check)));
test("with msw", () => withMsw(check, () => story(check)));
`;

const JEST_COMMON = `
test("from CommonJS, with fake timers", async () => {
  jest.useFakeTimers();
  const { story } = await import("./story.mjs");
  await story((holds, what) => expect({ what, holds }).toEqual({ what, holds: true }));
});
`;

test("a sandbox in Jest leaves no open handle even if fake timers, nock and msw are active", async () => {
  const project = consumerProject({ ...MODULES, "modules.test.mjs": JEST, "common.test.cjs": JEST_COMMON }, [
    "@jest/globals",
    "msw",
    "nock",
  ]);
  const { code, output } = await project.node([
    "--experimental-vm-modules",
    binOf("jest/bin/jest.js"),
    "--testMatch=**/*.test.?js",
    // Run in a single process, which either exits or hangs at the end: looking for open handles takes three times as
    // long.
    "--runInBand",
    "--testTimeout=120000",
  ]);
  expect(output).toMatch(/Tests: +4 passed, 4 total/);
  expect(output).not.toMatch(/did not exit/);
  expect(code).toBe(0);
});

const NODE_TEST = `
import assert from "node:assert/strict";
import test, { mock } from "node:test";
import { createSandbox } from "sandglass";
import { withMsw, withNock } from "./mocks.mjs";
import { story } from "./story.mjs";

test("with mocked timers, at another time", async () => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "setImmediate", "Date"], now: Date.UTC(1999, 0, 1) });
  await story(assert.ok);
  mock.timers.tick(86_400_000);
  mock.timers.reset();
});
test("with nock", () => withNock(assert.ok, () => story(assert.ok)));
test("with msw", () => withMsw(assert.ok, () => story(assert.ok)));
test("two at once", () => Promise.all([1, 2].map(() => story(assert.ok))));
test("await using ends the sandbox even if the test fails", async () => {
  let url = "";
  async function fails(): Promise<void> {
    await using sandbox = await createSandbox({ seed: "empty" });
    url = sandbox.url;
    assert.ok((await fetch(url)).ok);
    throw new Error("on purpose");
  }
  await assert.rejects(fails, /on purpose/);
  await assert.rejects(fetch(url));
});
`;

test("a node:test process with a sandbox exits even if mocked timers, nock and msw are active", async () => {
  const project = consumerProject({ ...MODULES, "modules.test.ts": NODE_TEST }, ["msw", "nock"]);
  const { code, output } = await project.node([...AWAIT_USING, "modules.test.ts"]);
  expect(output).toMatch(/pass 5\b/);
  expect(code).toBe(0);
});

/** One of two files that run in parallel. Their tests run in parallel as well, and use the same names and ids. */
const VITEST = (file: string, tests: number) => `
import { beforeAll, describe, expect, test } from "sandglass/vitest";
import { vi } from "vitest";

beforeAll(() => void vi.useFakeTimers({ now: Date.UTC(1999, 0, 1) }));

describe.concurrent("${file}", () => {
  for (let minutes = 1; minutes <= ${tests}; minutes += 1)
    test("a world of its own, " + minutes, async ({ sandbox }) => {
      const name = "${file} " + minutes;
      const link = await sandbox.platform.call("POST", "/payment-links", { name, short_code: "sameas" });
      const inbox = sandbox.inbox("shop");
      await sandbox.webhooks.create({ url: inbox.url, events: ["payment.completed"] });
      await sandbox.clock.advance(minutes + "m");
      await sandbox.payments.pay("sameas", { amount: "1", client_reference_id: name });
      const now = new Date(await sandbox.clock.now());
      expect(now.toISOString()).toBe(new Date(Date.UTC(2026, 0, 15, 9, minutes)).toISOString());
      const messages = await inbox.messages();
      expect(messages.map(({ body }) => JSON.parse(body).data.checkoutSession.clientReferenceId)).toEqual([name]);
      const made = await sandbox.events({ types: ["payment_link.created"] });
      expect(made.map(({ data }) => data.id ?? data.payment_link_id)).toEqual([link.id]);
    });
});

test("each world has its own clock", async ({ sandbox }) => {
  expect(await sandbox.clock.now()).toBe("2026-01-15T09:00:00.000Z");
  await using fork = await sandbox.fork();
  await fork.clock.advance("1d");
  expect(await sandbox.clock.now()).toBe("2026-01-15T09:00:00.000Z");
});
`;

/** Runs both of Vitest's pools in one separate process, because users may have either. */
const POOLS = `
const project = (pool, include) => ({ test: { name: pool, pool, include, maxWorkers: 2 } });
export default {
  test: {
    testTimeout: 120_000,
    projects: [project("forks", ["one.test.ts", "two.test.ts"]), project("vmThreads", ["vm.test.ts"])],
  },
};
`;

test("Vitest runs two test files with sandboxes in parallel, in forks and vmThreads, with fake timers", async () => {
  const project = consumerProject(
    {
      ...MODULES,
      "vitest.config.mjs": POOLS,
      "one.test.ts": VITEST("one", 5),
      "two.test.ts": VITEST("two", 5),
      "vm.test.ts": VITEST("vm", 2),
    },
    ["vitest"],
  );
  const { code, output } = await project.node([binOf("vitest/vitest.mjs"), "run", "--root", project.folder]);
  expect(output).toMatch(/Tests +15 passed/);
  expect(output.match(/\|(?:forks|vmThreads)\|/g)?.sort()).toEqual(["|forks|", "|forks|", "|vmThreads|"]);
  expect(output).not.toMatch(/close timed out|something prevents/i);
  expect(code).toBe(0);
});

/** Calls to a sender's API at its real host, made in the test's process. */
const ROUTED = `
import { expect, test } from "@jest/globals";
import { createSandbox } from "sandglass";

test("the API returns the object from an event that was sent", async () => {
  const sandbox = await createSandbox({ senders: ["stripe"], route: "senders" });
  await sandbox.send("customer.created");
  const { data } = await (await fetch("https://api.stripe.com/v1/customers")).json();
  expect(data.map(({ object }) => object)).toEqual(["customer"]);
  await sandbox.close();
});
`;

test("a Jest test calls its sender's API at that sender's address through a route, and Jest exits", async () => {
  const project = consumerProject({ "package.json": '{ "type": "module" }', "routed.test.mjs": ROUTED }, [
    "@jest/globals",
  ]);
  const { code, output } = await project.node([
    "--experimental-vm-modules",
    binOf("jest/bin/jest.js"),
    "--testMatch=**/*.test.mjs",
    "--runInBand",
    "--testTimeout=120000",
  ]);
  expect([code, output]).toEqual([0, expect.stringMatching(/Tests: +1 passed/)]);
  expect(output).not.toMatch(/did not exit/);
});
