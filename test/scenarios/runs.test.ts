import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifySignature } from "../../src/payments/webhooks/signature.ts";
import type { ScenarioReport } from "../../src/reports/scenario-report.ts";
import { startBuiltProcess } from "../support/built.ts";
import { clientOf } from "../support/sandbox.ts";
import { eventsOf, runToEnd, scenarioText, sharedFolder } from "../support/scenarios.ts";
import type { SharedSandbox } from "../support/shared.ts";
import { startSubscriber } from "../support/subscriber.ts";

const pay = 'await sandbox.payments.pay("coffee");';
const STORIES: Record<string, string> = {
  story: scenarioText(
    "story",
    `    const hook = await step("A webhook", () =>
      sandbox.webhooks.create({ url: sandbox.inbox("shop").url, events: ["payment.completed"] }));
    await step("A payment, and a failure", async () => {
      await sandbox.webhooks.fail(hook.id, { kind: "status", status: params.status, times: 1 });
      ${pay}
      log("paid " + hook.url);
      await sandbox.clock.advance("1m");
      log("a minute later");
      expect((await sandbox.inbox("shop").messages()).length).toBe(1);
    });
    log("outside");`,
    '\n  seed: "sandglass",\n  params: { status: { default: 503, choices: [500, 503] }, loud: { default: false } },',
  ),
  delivered: scenarioText(
    "delivered",
    `    const { id } = await sandbox.webhooks.create({ url: sandbox.inbox("shop").url, events: ["payment.completed"] });
    ${pay}
    expect((await sandbox.webhooks.timeline(id)).attempts[0]).toMatchObject({ status: "success" });`,
    '\n  seed: "sandglass",',
  ),
  unmet: scenarioText("unmet", '    await step("Sums", () => {\n      expect(1 + 1).toBe(3);\n    });'),
  helper: `import { sum } from "./_sum.ts";\n${scenarioText("helper", "    expect(sum(1)).toBe(2);")}`,
  throws: scenarioText(
    "throws",
    '    expect(1).toBe(1);\n    await step("Asks", () => sandbox.webhooks.timeline("wh_none"));',
  ),
  refused: scenarioText(
    "refused",
    `    await step("Reads", async () => {
      expect((await sandbox.platform.request("GET", "/payment-links")).status).toBe(200);
    });
    await step("Makes a link", async () => {
      await sandbox.platform.request("GET", "/payment-links?api_key=sk_live_1");
      const made = await sandbox.platform.request("POST", "/payment-links", { body: {} });
      expect(made.status).toBe(201);
    });`,
  ),
  nothing: scenarioText("nothing", '    await step("Looks on", () => {});'),
  loose: scenarioText(
    "loose",
    '    expect(1).toBe(1);\n    step("Left alone", () => new Promise(() => {}));\n    await new Promise((go) => setImmediate(go));',
  ),
  nested: scenarioText(
    "nested",
    '    expect(1).toBe(1);\n    await step("Outer", () => step("Inner", () => {}));',
  ),
  idle: scenarioText("idle", '    expect(1).toBe(1);\n    await step("Only a title");'),
  caught: scenarioText(
    "caught",
    '    await step("Sums", () => {\n      expect(1 + 1).toBe(3);\n    }).catch(() => {});\n    await step("And on", () => {});',
  ),
  chatty: scenarioText(
    "chatty",
    '    expect(1).toBe(1);\n    log("x".repeat(100_000));\n    for (let line = 0; line < 20_000; line += 1) log("line " + line);',
  ),
  "throws-nothing": scenarioText("throws-nothing", "    expect(1).toBe(1);\n    throw undefined;"),
  "throws-data": scenarioText(
    "throws-data",
    '    expect(1).toBe(1);\n    await step("Asks", () => { throw { code: "E1", at: { line: 3 } }; });',
  ),
  exits: scenarioText(
    "exits",
    '    expect(1).toBe(1);\n    await step("Leaves", () => { expect(2).toBe(2); process.exit(7); });',
  ),
  unhandled: scenarioText(
    "unhandled",
    '    Promise.reject(new Error("nobody listens"));\n    await new Promise(() => setInterval(() => {}, 1000));',
  ),
  spins: scenarioText(
    "spins",
    '    expect(1).toBe(1);\n    await step("Round and round", () => { for (;;); });',
  ),
  waits: scenarioText("waits", '    await step("Waits", () => new Promise(() => {}));'),
  back: scenarioText(
    "back",
    `    await step("There", async () => {
      const before = await sandbox.snapshot("before");
      await sandbox.clock.advance("3h");
      await sandbox.restore(before);
      await sandbox.clock.advance("1h");
      expect(1).toBe(1);
    });
    await step("And on", () => sandbox.reset());`,
  ),
  branches: scenarioText(
    "branches",
    `    const other = await sandbox.fork();
    for (const world of [sandbox, other, await sandbox.open(), await other.open({ seed: "empty" }), await other.fork()]) {
      expect(await world.clock.state()).toEqual({ mode: "paused", rate: 1, now: "2027-03-01T00:00:00.000Z" });
      const { id } = await world.webhooks.create(world.inbox("shop").url);
      expect((await world.webhooks.timeline(id)).retry_delays).toEqual([5000]);
    }
    await other.clock.advance("2h");
    expect(await sandbox.clock.now()).not.toBe(await other.clock.now());`,
    '\n  startAt: "2027-03-01T00:00:00Z",\n  config: { webhooks: { retryDelays: ["5s"] } },',
  ),
};

/** Scenarios that tests run individually. */
const OTHERS: Record<string, string> = {
  elsewhere: scenarioText(
    "elsewhere",
    `    for (const world of [await sandbox.fork(), await sandbox.open()]) {
      const { id } = await world.webhooks.create({ url: world.inbox("shop").url, events: ["payment.completed"] });
      await world.payments.pay("coffee");
      expect((await world.webhooks.timeline(id)).attempts[0]).toMatchObject({ status: "success" });
    }`,
    '\n  seed: "sandglass",',
  ),
  unmatched: scenarioText("unmatched", '    await step("Forgets", () => {\n      expect(1 === 2);\n    });'),
};

/** Scenarios that return while some of their calls are still in progress. */
const LATE: Record<string, string> = {
  "late-expectation": scenarioText(
    "late-expectation",
    "    expect(1).toBe(1);\n    expect(Promise.resolve(3)).resolves.toBe(4);",
  ),
  "late-helper": scenarioText(
    "late-helper",
    `    const links = async () => (await sandbox.platform.call("GET", "/payment-links")).data;
    async function check() {
      await links();
      await expect(sandbox.webhooks.timeline("wh_none")).rejects.toThrow();
      expect(await links()).toHaveLength(12345);
    }
    expect(1).toBe(1);
    check();`,
  ),
  "late-refusal": scenarioText(
    "late-refusal",
    '    expect(1).toBe(1);\n    sandbox.webhooks.timeline("wh_none");',
  ),
  "late-step": scenarioText(
    "late-step",
    `    const check = async () => {
      await sandbox.webhooks.list();
      await step("Afterwards", () => {});
    };
    expect(1).toBe(1);
    check();`,
  ),
  "late-and-met": scenarioText(
    "late-and-met",
    "    sandbox.webhooks.list().then((endpoints) => expect(endpoints).toEqual([]));",
  ),
  "never-settles": scenarioText(
    "never-settles",
    "    expect(1).toBe(1);\n    expect(new Promise(() => {})).resolves.toBe(4);",
  ),
};

const folder = sharedFolder({
  ...Object.fromEntries(
    Object.entries({ ...STORIES, ...OTHERS, ...LATE }).map(([name, text]) => [`scenarios/${name}.ts`, text]),
  ),
  "scenarios/_sum.ts":
    "export function sum(n: number): number {\n  if (n === 1) throw new TypeError('no sums today');\n  return n;\n}\n",
});
const sandbox = {} as SharedSandbox;
let endServer = () => {};
afterAll(() => endServer());
beforeAll(async () => {
  const ending = (end: () => void) => {
    endServer = end;
  };
  const { url } = await startBuiltProcess(["--port", "0", "--seed", "empty"], { cwd: folder, ending });
  Object.assign(sandbox, clientOf(url));
});

describe("runs of a scenario", () => {
  const reports = new Map<string, ScenarioReport>();
  const runs = new Map<string, { id: string; url: string; world: string }>();

  beforeAll(async () => {
    const ended = Object.keys(STORIES).map(async (name) => {
      const timeout = name === "spins" || name === "waits" ? { timeout: "1s" } : {};
      const { report, ...run } = await runToEnd(sandbox, name, timeout);
      reports.set(name, report);
      runs.set(name, run);
    });
    await Promise.all(ended);
  });

  test("a passed run reports its steps and what they caused", () => {
    const report = reports.get("story")!;
    expect(report).toMatchObject({
      status: "passed",
      failure: null,
      seed: "sandglass",
      subscriber: null,
      params: { status: 503, loud: false },
      expectations: 1,
      started_at: "2026-01-15T09:00:00.000Z",
      ended_at: "2026-01-15T09:01:00.000Z",
      log: [{ at: "2026-01-15T09:01:00.000Z", text: "outside" }],
    });
    const [first, second] = report.steps;
    expect(first).toMatchObject({ title: "A webhook", result: "passed", expectations: 0 });
    expect(report.steps.map(({ position }) => position)).toEqual(
      [9, 11].map((line) => ({ file: report.file, line, column: expect.any(Number) })),
    );
    expect(first!.ledger.map(({ type }) => type)).toEqual(["webhook.created"]);
    expect(second!.ledger.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["fault.set", "payment.completed", "delivery.failed", "delivery.succeeded"]),
    );
    expect(second!.log).toEqual([
      { at: "2026-01-15T09:00:00.000Z", text: "paid http://sandbox/_sandbox/inbox/shop" },
      { at: "2026-01-15T09:01:00.000Z", text: "a minute later" },
    ]);
    const mine = report.endpoints.find(({ url }) => url.endsWith("/inbox/shop"));
    expect(mine!.timeline.attempts.map((attempt) => attempt.response_code)).toEqual([503, 200]);
  });

  test("the list of runs omits their reports", async () => {
    const { body } = await sandbox.control("GET", "/scenarios/runs");
    expect(body.data[0]).toMatchObject({ id: "run_1", report: null });
  });

  test("the stream of a run's events starts at the beginning, or after a given entry", async () => {
    const { id } = runs.get("story")!;
    const events = await eventsOf(sandbox, id);
    expect(events.map(({ type }) => type)).toEqual([
      "run.started",
      "step.started",
      "step.ended",
      "step.started",
      "log",
      "log",
      "step.ended",
      "log",
      "run.ended",
    ]);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
    expect(await eventsOf(sandbox, id, 7)).toEqual(events.slice(7));
  });

  test.each<[string, object, { line: number; column: number; file?: string } | null]>([
    ["unmet", { code: "expectation", step: "Sums" }, { line: 8, column: 21 }],
    ["helper", { code: "error", message: "TypeError: no sums today", step: null }, { line: 8, column: 12 }],
    ["throws", { code: "error", step: "Asks" }, null],
    ["throws-nothing", { code: "error", message: "It threw undefined.", step: null }, null],
    ["throws-data", { message: "It threw { code: 'E1', at: { line: 3 } }.", step: "Asks" }, null],
    ["nothing", { code: "nothing_expected" }, null],
    ["loose", { code: "step_not_awaited", step: "Left alone" }, null],
    ["nested", { code: "error", step: "Outer" }, { line: 8, column: 31 }],
    [
      "idle",
      { message: "The step 'Only a title' needs a function, not undefined." },
      { line: 8, column: 11 },
    ],
    ["caught", { code: "expectation", step: "Sums" }, { line: 8, column: 21 }],
    [
      "exits",
      { code: "error", message: "The scenario ended its process with exit code 7.", step: "Leaves" },
      null,
    ],
    ["unhandled", { code: "error", message: "nobody listens" }, { line: 7, column: 20 }],
    ["spins", { code: "time_limit", step: "Round and round" }, null],
    ["waits", { code: "time_limit", step: "Waits" }, null],
  ])("a failed run of the scenario %s reports its step and position", (name, failure, position) => {
    const report = reports.get(name)!;
    expect(report.status).toBe("failed");
    expect(report.failure).toMatchObject(failure);
    if (position)
      expect(report.failure!.position).toEqual({
        file: expect.stringMatching(`scenarios/${name}.ts$`),
        ...position,
      });
    const { step } = report.failure!;
    if (step) expect(report.steps.find(({ title }) => title === step)).toBeDefined();
  });

  test("a failed run reports the API calls of its failed step, without secrets", () => {
    const { calls, failure } = reports.get("refused")!;
    expect(failure).toMatchObject({ step: "Makes a link", code: "expectation" });
    expect(calls).toEqual([
      { method: "GET", path: "/platform/api/v1/payment-links?api_key=…", status: 200, error: null },
      {
        method: "POST",
        path: "/platform/api/v1/payment-links",
        status: 400,
        error: { code: "missing_required_field", message: expect.stringMatching(/\S/) },
      },
    ]);
    expect(reports.get("story")!.calls).toEqual([]);
  });

  test("a run counts its expectations even if it crashes or hangs", () => {
    expect(reports.get("exits")!.expectations).toBe(2);
    expect(reports.get("spins")!.expectations).toBe(1);
  });

  test("a run stores the beginning of an endless log and says how much it omits", () => {
    const { log, status } = reports.get("chatty")!;
    expect(status).toBe("passed");
    expect(log).toHaveLength(5_001);
    expect(log[0]!.text.length).toBeLessThan(10_100);
    expect(log.at(-1)!.text).toMatch(/omitted/);
  });

  test("a run neither loses nor duplicates the effects of a step when its world is restored", () => {
    const { steps, status } = reports.get("back")!;
    expect(status).toBe("passed");
    expect(steps[0]!.ledger.map(({ type }) => type)).toEqual(["world.restored"]);
    expect(steps[0]!.ended_at).toBe("2026-01-15T10:00:00.000Z");
    expect(steps[1]!.ledger.map(({ type }) => type)).toEqual(["world.reset"]);
  });

  test("a run starts at its scenario's time, and its additional worlds are closed with it", async () => {
    expect(reports.get("branches")).toMatchObject({
      status: "passed",
      started_at: "2027-03-01T00:00:00.000Z",
      ended_at: "2027-03-01T00:00:00.000Z",
    });
    const worlds = (await sandbox.control("GET", "/worlds")).body.data.map(
      ({ name }: { name: string }) => name,
    );
    expect(worlds.sort()).toEqual(["default", ...[...runs.values()].map(({ world }) => world)].sort());
  });

  test("a run leaves its world and an HTML report for inspection", async () => {
    const { id, url, world } = runs.get("story")!;
    expect(url).toBe(`${sandbox.url}/w/${world}`);
    const clock = await sandbox.call("GET", `/w/${world}/_sandbox/clock`);
    expect(clock.body).toMatchObject({ mode: "paused", now: "2026-01-15T09:01:00.000Z" });
    const page = await sandbox.call("GET", `/_sandbox/scenarios/runs/${id}/report.html`);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(page.text).toContain("The story of story");
  });
});

describe("requests for a run", () => {
  test.each<[string, object, string, RegExp]>([
    ["story", { params: { status: 404 } }, "bad_request", /status .* 404/],
    ["story", { params: { loud: "perhaps" } }, "bad_request", /loud/],
    ["story", { params: { color: "red" } }, "bad_request", /no parameter 'color'/],
    ["story", { subscriber: "ftp://x" }, "bad_request", /not a subscriber URL/],
    [
      "story",
      { subscriber: "http://127.0.0.1:9/", secret: "a\nb" },
      "bad_request",
      /secret has 3 characters/,
    ],
    ["story", { timeout: "soon" }, "invalid_duration", /soon/],
    ["no-such", {}, "not_found", /no scenario 'no-such'/],
  ])("a run of the scenario %s with the options %j is rejected", async (name, body, code, message) => {
    const answer = await sandbox.control("POST", `/scenarios/${name}/runs`, body);
    expect(answer.body.error).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(answer.body.error.hint).not.toBe("");
  });

  test("a run converts string parameters to the type of their default", async () => {
    const { report } = await runToEnd(sandbox, "story", { params: { status: "500", loud: "true" } });
    expect(report.params).toEqual({ status: 500, loud: true });
  });

  test("a run's subscriber replaces the inbox and verifies with its own secret", async () => {
    const subscriber = await startSubscriber();
    const secret = "whsec_known_to_both";
    const { report } = await runToEnd(sandbox, "story", {
      subscriber: subscriber.url.replace("http://", ""),
      secret,
    });
    expect(report).toMatchObject({ status: "passed", subscriber: new URL(subscriber.url).href });
    const right = subscriber.received.map(({ body, headers }) =>
      verifySignature(body, String(headers["x-platform-signature"]), secret),
    );
    expect(right).toEqual([true]);
  });

  test("a run's subscriber can verify deliveries from the run's additional worlds", async () => {
    const subscriber = await startSubscriber();
    const secret = "whsec_known_to_both";
    const { report } = await runToEnd(sandbox, "elsewhere", { subscriber: subscriber.url, secret });
    expect(report.status).toBe("passed");
    const right = subscriber.received.map(({ body, headers }) =>
      verifySignature(body, String(headers["x-platform-signature"]), secret),
    );
    expect(right).toEqual([true, true]);
  });

  test("a run does not count an expectation without a matcher", async () => {
    const { report } = await runToEnd(sandbox, "unmatched");
    expect(report).toMatchObject({ expectations: 0, failure: { code: "nothing_expected" } });
  });

  test("a failed run adds a hint about a subscriber that rejected a delivery or did not respond", async () => {
    const subscriber = await startSubscriber(401);
    const { report } = await runToEnd(sandbox, "delivered", {
      subscriber: subscriber.url,
      secret: "another",
    });
    expect(report.failure).toMatchObject({
      code: "expectation",
      hint: expect.stringMatching(/responded with 401.*secret/),
    });
    await subscriber.close();
    const gone = await runToEnd(sandbox, "delivered", { subscriber: subscriber.url });
    expect(gone.report.failure!.hint).toMatch(/no response \(connection_refused\)/);
  });

  test("a run can be stopped and deleted", async () => {
    const { body: run } = await sandbox.control("POST", "/scenarios/waits/runs", {});
    expect((await sandbox.control("DELETE", `/scenarios/runs/${run.id}`)).body).toEqual({
      id: run.id,
      deleted: true,
    });
    expect((await sandbox.control("GET", `/scenarios/runs/${run.id}`)).status).toBe(404);
  });

  test("a run whose world is deleted ends with an error", async () => {
    const { body: run } = await sandbox.control("POST", "/scenarios/waits/runs", {});
    expect((await sandbox.control("DELETE", `/worlds/${run.world}`)).status).toBe(200);
    await eventsOf(sandbox, run.id);
    const { report } = (await sandbox.control("GET", `/scenarios/runs/${run.id}`)).body;
    expect(report).toMatchObject({ status: "failed", failure: { code: "stopped" }, endpoints: [] });
  });
});

describe("scenarios that return too early", () => {
  test.each<[string, number, object, { line: number; column: number } | null]>([
    ["late-expectation", 2, { code: "expectation", step: null }, { line: 8, column: 41 }],
    ["late-helper", 3, { code: "expectation", step: null }, { line: 11, column: 29 }],
    ["late-refusal", 1, { code: "error", message: expect.stringContaining("wh_none"), step: null }, null],
    ["late-step", 1, { code: "step_not_awaited", step: "Afterwards" }, null],
    [
      "never-settles",
      2,
      {
        code: "time_limit",
        message:
          "The scenario's run returned, but expect(…).resolves.toBe(…) was still in progress at the time limit of 1 s of real time.",
        hint: "Add await before this call, and before each call to the function that contains it.",
      },
      null,
    ],
  ])("the scenario %s fails because it returns too early", async (name, expectations, failure, position) => {
    const { report } = await runToEnd(sandbox, name, name === "never-settles" ? { timeout: "1s" } : {});
    expect(report).toMatchObject({ status: "failed", expectations, failure });
    if (position) expect(report.failure!.position).toMatchObject(position);
  });

  test("a scenario that returns too early passes if its remaining expectations hold", async () => {
    const { report } = await runToEnd(sandbox, "late-and-met");
    expect(report).toMatchObject({ status: "passed", expectations: 1, failure: null });
  });
});
