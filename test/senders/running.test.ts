import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { createSandbox } from "../../src/index.ts";
import { readSender } from "../../src/senders/files.ts";
import { folderOf, runAt, runCli } from "../support/cli.ts";
import { expectRefusal } from "../support/control-errors.ts";
import { type Json, startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";

const ACME = `
name: acme
events:
  order.created: { body: { id: ord_1, type: order.created, created: 1, data: { amount: 5, note: first } } }
  order.paid: { body: { id: ord_2, type: order.paid, created: 1, data: { amount: 5 } } }
type: body.type
id: body.id
time: body.created
headers: { X-Acme-Event: "{type}", X-Acme-Delivery: "{delivery}" }
signature: { header: "Acme-Signature: t={time},v1={signature}", over: "{time}.{body}", clock: virtual }
retries: { delays: [1h, 4h] }
timeout: 10s
gone: 410
disable: { failures: 4 }
`;

const acmeFile = (text = ACME): string => join(folderOf({ "acme.yaml": text }), "acme.yaml");

/** The entries that end an event's retry schedule. */
const ENDS = new Set(["delivery.succeeded", "delivery.exhausted", "delivery.skipped", "retry.skipped"]);

async function startAcme(text?: string) {
  const sandbox = await startSandbox({ settleTimeout: "5s", senders: [acmeFile(text)] });
  const subscriber = await startSubscriber();
  const register = (sender: string, rest: object = {}) =>
    sandbox.control("POST", "/webhooks", { url: subscriber.url, sender, ...rest });
  const send = (type: string, data?: object, sender = "acme") =>
    sandbox.control("POST", `/senders/${sender}/events`, { type, ...(data && { data }) });
  return { sandbox, subscriber, register, send };
}

const startsOf = async (sandbox: TestSandbox, id: string): Promise<number[]> => {
  const { body } = await sandbox.control("GET", `/webhooks/${id}/timeline`);
  const [first] = body.attempts;
  return body.attempts.map(
    (one: Json) => (Date.parse(one.started_at) - Date.parse(first.started_at)) / 1_000,
  );
};

test("the sandbox does not retry an event type that the sender's file excludes from retries", async () => {
  const { sandbox, subscriber, register, send } = await startAcme();
  subscriber.answer = 500;
  await register("mailgun");
  await send("delivered", undefined, "mailgun");
  await send("opened", undefined, "mailgun");
  await sandbox.advance("5m");
  const types = subscriber.received.map(({ body }) => JSON.parse(body)["event-data"].event);
  expect(types.toSorted()).toEqual(["delivered", "opened", "opened"]);
});

test("the sandbox rejects data that is misplaced or of the wrong type, and adds new fields", async () => {
  const { send } = await startAcme();
  const refused: [data: object, says: string][] = [
    [{ amount: 7 }, "order.paid has no amount: acme sends it at data.amount."],
    [{ data: { created: 7 } }, "order.paid has no data.created: acme sends it at created."],
    [{ type: "order.created" }, "The data has the type order.created, but the event is order.paid."],
  ];
  for (const [data, says] of refused) {
    const answer = await send("order.paid", data);
    expectRefusal(answer, 400, "bad_request", says);
    expect(answer.body.error).toMatchObject({ message: says, param: "data" });
  }
  const data = { type: "order.paid", shop: { id: 4, amount: 2 }, data: { tip: 1 } };
  expect((await send("order.paid", data)).body.body).toMatchObject({ ...data, data: { amount: 5, tip: 1 } });
});

test("an event has the example's body with the caller's data, a new id and the current time", async () => {
  const { sandbox, subscriber, register, send } = await startAcme();
  await register("acme");
  const first = await send("order.created", { data: { note: "second" } });
  const other = await send("order.created");
  const { now } = await sandbox.sandbox.clock.state();
  expect(JSON.parse(subscriber.received[0]!.body)).toEqual({
    id: expect.stringMatching(/^ord_\d{8}$/),
    type: "order.created",
    created: Math.floor(Date.parse(now) / 1_000),
    data: { amount: 5, note: "second" },
  });
  expect(subscriber.received[0]!.headers).toMatchObject({
    "x-acme-event": "order.created",
    "x-acme-delivery": first.body.deliveries[0].id,
    "acme-signature": expect.stringMatching(/^t=\d+,v1=[0-9a-f]{64}$/),
  });
  expect(other.body.id).not.toBe(first.body.id);
});

test("the sandbox retries a failed event on the sender's schedule, not on the platform's", async () => {
  const { sandbox, subscriber, register, send } = await startAcme();
  const { id } = (await register("acme")).body;
  subscriber.answer = 503;
  await send("order.paid");
  await sandbox.advance("7d");
  expect(await startsOf(sandbox, id)).toEqual([0, 3_600, 5 * 3_600]);
  const bodies = new Set(subscriber.received.map(({ body }) => body));
  expect(bodies.size).toBe(1);
});

test("the sandbox disables an endpoint after the sender's number of failures, as the forecast shows", async () => {
  const { sandbox, subscriber, register, send } = await startAcme();
  const { id, threshold } = (await register("acme")).body;
  expect(threshold).toBe(4);
  subscriber.answer = 500;
  await send("order.paid");
  await send("order.created");
  const { body: before } = await sandbox.control("GET", `/webhooks/${id}/timeline`);
  expect(before.counter).toMatchObject({ consecutive_failures: 2, threshold: 4 });
  await sandbox.advance("1h");
  const { body: after } = await sandbox.control("GET", `/webhooks/${id}/timeline`);
  expect(after.changes.at(-1)).toMatchObject({
    type: "disabled",
    reason: "consecutive_failures",
    at: before.forecast.disabled_at,
  });
});

test('a response status that means "gone" disables the endpoint immediately', async () => {
  const { sandbox, subscriber, register, send } = await startAcme();
  const { id } = (await register("acme")).body;
  subscriber.answer = 410;
  await send("order.paid");
  const [endpoint] = (await sandbox.control("GET", "/webhooks")).body.data;
  expect(endpoint).toMatchObject({ id, status: "disabled", disabled_reason: "gone" });
  await sandbox.advance("7d");
  expect(subscriber.received).toHaveLength(1);
});

test("the sandbox disables an endpoint once it has failed for the sender's time limit, which a success resets", async () => {
  const { sandbox, subscriber, register, send } = await startAcme(
    ACME.replace("{ failures: 4 }", "{ failing-for: 2d }"),
  );
  const { id, threshold } = (await register("acme")).body;
  expect(threshold).toBeNull();
  const statusNow = async () =>
    (await sandbox.control("GET", "/webhooks")).body.data.find((one: Json) => one.id === id).status;
  subscriber.answer = 500;
  await send("order.paid");
  await sandbox.advance("47h");
  subscriber.answer = 200;
  await send("order.paid");
  subscriber.answer = 500;
  await send("order.paid");
  await sandbox.advance("47h");
  await send("order.paid");
  expect(await statusNow()).toBe("enabled");
  await sandbox.advance("2h");
  expect(await statusNow()).toBe("disabled");
});

test("two senders and the platform do not affect each other", async () => {
  const { sandbox, register, send } = await startAcme();
  await register("acme");
  await register("stripe");
  await sandbox.control("POST", "/webhooks", { url: `${sandbox.served.url}/_sandbox/inbox/shop` });
  const acme = await send("order.paid");
  const stripe = await send("checkout.session.completed", undefined, "stripe");
  expect(acme.body.deliveries).toHaveLength(1);
  expect(stripe.body.deliveries).toMatchObject([{ event: "checkout.session.completed", status: "success" }]);
  const listed = await sandbox.api("GET", "/webhooks");
  expect(listed.body.data).toHaveLength(1);
  const { body } = await sandbox.control("GET", "/webhooks");
  expect(body.data.map(({ sender }: Json) => sender).sort()).toEqual(["acme", "platform", "stripe"]);
});

test("faults, resends, tests and inboxes work for a sender as they do for the platform", async () => {
  const { sandbox, subscriber, register, send } = await startAcme();
  const { id } = (await register("acme")).body;
  const inbox = `${sandbox.served.url}/_sandbox/inbox/acme`;
  await sandbox.control("POST", "/webhooks", { url: inbox, sender: "acme" });
  await sandbox.control("PUT", `/webhooks/${id}/fault`, { status: 503, times: 1 });
  const sent = await send("order.paid");
  expect(sent.body.deliveries.map(({ status }: Json) => status).sort()).toEqual(["failed", "success"]);
  await sandbox.advance("1h");
  expect(subscriber.received).toHaveLength(1);
  await sandbox.control("POST", `/deliveries/${sent.body.id}/resend`, {});
  expect(subscriber.received).toHaveLength(2);
  const tested = await sandbox.control("POST", `/webhooks/${id}/test`);
  expect(tested.body.success).toBe(true);
  const { body } = await sandbox.control("GET", "/inbox/acme");
  expect(body.data).toMatchObject([{ signature: "valid" }, { signature: "valid" }]);
  const { body: story } = await sandbox.control("GET", `/deliveries/${tested.body.delivery_id}`);
  expect(story).toMatchObject({ signature: "valid", event: "order.created", trigger: "test" });
});

/** Moves a sandbox's world to another sandbox, which does not have the sender's file. */
async function moveAway({ control, served }: TestSandbox): Promise<TestSandbox> {
  await control("POST", "/snapshots", { name: "moved" });
  const file = await fetch(`${served.url}/_sandbox/snapshots/moved/download`);
  const elsewhere = await startSandbox({ settleTimeout: "5s" });
  const uploaded = await elsewhere.call("POST", "/_sandbox/snapshots/upload?name=moved", {
    body: new Uint8Array(await file.arrayBuffer()),
    headers: { "content-type": "application/octet-stream" },
  });
  expect(uploaded.status).toBe(201);
  expect((await elsewhere.control("POST", "/snapshots/moved/restore")).status).toBe(200);
  return elsewhere;
}

test("a snapshot includes its senders, so a sandbox without the file continues with them", async () => {
  const { sandbox, subscriber, register, send } = await startAcme();
  await register("acme");
  subscriber.answer = 503;
  await send("order.paid");
  const elsewhere = await moveAway(sandbox);
  subscriber.answer = 200;
  await elsewhere.advance("1h");
  expect(subscriber.received).toHaveLength(2);
  expect(subscriber.received[1]!.body).toBe(subscriber.received[0]!.body);
});

test("a snapshot contains no code, so a sandbox without a sender's module asks for it", async () => {
  const code = `export default ${JSON.stringify(parse(ACME)).replace(/}$/, ", sign: ({ body }, secret) => secret + body.length }")};`;
  const sandbox = await startSandbox({ senders: [join(folderOf({ "acme.ts": code }), "acme.ts")] });
  await sandbox.control("POST", "/webhooks", { url: "http://127.0.0.1:1/", sender: "acme" });
  const elsewhere = await moveAway(sandbox);
  const answer = await elsewhere.control("POST", "/senders/acme/events", { type: "order.paid" });
  expectRefusal(answer, 404, "not_found", "The sender acme signs with code, which worlds do not store.");
  expect(answer.body.error.hint).toBe(
    "Start the sandbox with its file: npx sandglass --sender ./senders/acme.ts",
  );
});

test("sandbox.send() accepts just an event type, and reports mistakes", async () => {
  await using sandbox = await createSandbox({
    seed: "empty",
    clock: { mode: "paused" },
    senders: [acmeFile(), "github"],
  });
  const subscriber = await startSubscriber();
  await sandbox.webhooks.create({ url: subscriber.url, sender: "acme" });
  const { deliveries, sender } = await sandbox.send("order.paid", { data: { amount: 7 } });
  expect([sender, deliveries.length]).toEqual(["acme", 1]);
  expect(JSON.parse(subscriber.received[0]!.body).data).toEqual({ amount: 7 });
  await expect(sandbox.send("order.payd")).rejects.toMatchObject({
    code: "not_found",
    hint: "Did you mean order.paid?",
  });
  const used = (await sandbox.senders.list()).filter(({ in_use }) => in_use);
  expect(used.map(({ name }) => name)).toEqual(["acme", "github"]);
});

test("the sandbox rejects an invalid event or endpoint of a sender and suggests a fix", async () => {
  const sandbox = await startSandbox({ settleTimeout: "5s" });
  const url = "http://127.0.0.1:1/";
  for (const [path, body, status, hint] of [
    ["/webhooks", { url, sender: "strpe" }, 404, "Did you mean stripe?"],
    // Files cannot be read over HTTP.
    ["/webhooks", { url, sender: "./acme.yaml" }, 404, "Senders: "],
    ["/webhooks", { url, sender: "stripe", events: ["push"] }, 400, ""],
    ["/webhooks", { url, sender: "stripe", organization: "org_1" }, 400, "Leave out organization."],
    ["/senders/stripe/events", { type: "push" }, 400, "Its events: checkout.session.completed"],
  ] as const) {
    const answer = await sandbox.control("POST", path, body);
    expect([answer.status, answer.body.error.hint]).toEqual([status, expect.stringContaining(hint)]);
  }
});

test("a new world, a fork and a snapshot each continue with the sender", async () => {
  await using sandbox = await createSandbox({
    ...{ seed: "empty", clock: { mode: "paused" }, senders: [acmeFile()] },
  });
  const subscriber = await startSubscriber();
  const world = await sandbox.open({ name: "other" });
  await world.webhooks.create({ url: subscriber.url, sender: "acme" });
  subscriber.answer = 503;
  await world.send("order.paid");
  const snapshot = await world.snapshot("failing");
  const fork = await world.fork("branch");
  subscriber.answer = 200;
  await fork.clock.advance("1h");
  expect(subscriber.received).toHaveLength(2);
  await world.clock.advance("1h");
  expect(subscriber.received).toHaveLength(3);
  await world.restore(snapshot.name);
  await world.clock.advance("1h");
  expect(new Set(subscriber.received.map(({ body }) => body)).size).toBe(1);
  expect(subscriber.received).toHaveLength(4);
  await expect(sandbox.webhooks.list()).resolves.not.toContainEqual(
    expect.objectContaining({ sender: "acme" }),
  );
});

test("a scenario lists its senders, and its subscriber gets their secret", async () => {
  const scenario = (file: string) => `import { defineScenario } from "sandglass";
export default defineScenario({
  name: "acme-late",
  title: "A paid order arrives late",
  seed: "empty",
  config: { senders: [${JSON.stringify(file)}] },
  async run({ sandbox, step, expect }) {
    const { id } = await sandbox.webhooks.create({ url: sandbox.inbox("shop").url, sender: "acme" });
    await sandbox.webhooks.fail(id, { kind: "refused", times: 1 });
    await step("An order is paid", () => sandbox.send("order.paid"));
    await step("Its retry arrives", () => sandbox.clock.advance("1h"));
    const { attempts } = await sandbox.webhooks.timeline(id);
    expect(attempts.map(({ status }) => status)).toEqual(["failed", "success"]);
  },
});
`;
  const file = acmeFile();
  const path = join(dirname(file), "late.ts");
  writeFileSync(path, scenario(file));
  const subscriber = await startSubscriber();
  const run = await runCli(["run", path, "--subscriber", subscriber.url, "--secret", "acme-secret"]);
  expect(run.code, run.stdout + run.stderr).toBe(0);
  const { headers, body } = subscriber.received[0]!;
  const sender = await readSender(file);
  expect(
    sender.verify({ headers: headers as Record<string, string>, body, url: subscriber.url }, "acme-secret"),
  ).toBe("valid");
});

test("a sender with order: endpoint sends an event only after every older one has succeeded or permanently failed", async () => {
  const { sandbox, subscriber, register, send } = await startAcme(`${ACME}order: endpoint\n`);
  const { id } = (await register("acme")).body;
  const answers = fc.array(fc.constantFrom(200, 500), { minLength: 1, maxLength: 8, size: "max" });
  const sends = { arbitrary: fc.constant("send"), weight: 6 };
  const others = { arbitrary: fc.constantFrom("1h", "4h", "retry", "disable", "enable"), weight: 5 };
  const acts = fc.array(fc.oneof(sends, others), { maxLength: 16, size: "max" });
  /**
   * The number of runs in which two events waited behind a failed one, and in which an event was sent after another had
   * failed permanently.
   */
  const met = { twoWaiting: 0, sentAfterExhausted: 0 };
  await fc.assert(
    fc.asyncProperty(answers, acts, async (statuses, steps) => {
      await sandbox.control("POST", `/webhooks/${id}/enable`);
      const first = (await sandbox.journal()).length;
      let requests = 0;
      subscriber.answer = (_received, response) => {
        response.writeHead(statuses[requests++ % statuses.length]!).end();
      };
      const sent: string[] = [];
      let waiting = 0;
      let mostWaiting = 0;
      for (const step of steps) {
        if (step === "send") {
          const { id: event, deliveries, disabled } = (await send("order.paid")).body;
          sent.push(event);
          if (disabled.length === 0 && deliveries.length === 0) waiting += 1;
          mostWaiting = Math.max(mostWaiting, waiting);
          continue;
        }
        waiting = 0;
        if (step === "retry") await sandbox.control("POST", "/deliveries/retry", { since: "1h" });
        else if (step.endsWith("able")) await sandbox.control("POST", `/webhooks/${id}/${step}`);
        else await sandbox.advance(step);
      }
      await sandbox.advance("10d");

      const ended = new Set<unknown>();
      let exhausted: string | undefined;
      let sentAfterExhausted = false;
      for (const { type, at, data } of (await sandbox.journal()).slice(first)) {
        if (ENDS.has(type)) ended.add(data.event_id);
        if (type === "delivery.exhausted") exhausted = at;
        if (type !== "delivery.started" || data.trigger !== "automatic") continue;
        const older = sent.slice(0, sent.indexOf(String(data.event_id)));
        expect(older.filter((one) => !ended.has(one))).toEqual([]);
        sentAfterExhausted ||= data.attempt === 1 && exhausted === at;
      }
      expect([...ended].sort()).toEqual([...sent].sort());
      if (mostWaiting > 1) met.twoWaiting += 1;
      if (sentAfterExhausted) met.sentAfterExhausted += 1;
    }),
    {
      numRuns: 40,
      examples: [
        [
          [500, 500, 500, 200],
          ["send", "send", "send"],
        ],
      ],
    },
  );
  console.info(
    `Of 40 runs, ${met.twoWaiting} had two events waiting behind a failure, and ${met.sentAfterExhausted} sent the next event once one had failed for good.`,
  );
  expect(met.twoWaiting).toBeGreaterThan(0);
  expect(met.sentAfterExhausted).toBeGreaterThan(0);
});

test("jitter lengthens and shortens delays by at most the configured fraction", async () => {
  const { sandbox, subscriber, register, send } = await startAcme(
    ACME.replace("delays: [1h, 4h]", "delays: [1h], jitter: 0.25").replace("{ failures: 4 }", "never"),
  );
  const { id } = (await register("acme")).body;
  subscriber.answer = 500;
  for (let count = 0; count < 20; count += 1) await send("order.paid");
  await sandbox.advance("2h");
  const delays = (await startsOf(sandbox, id)).slice(20);
  expect(delays).toHaveLength(20);
  expect(delays.filter((delay) => delay < 45 * 60 || delay > 75 * 60)).toEqual([]);
  expect(delays.some((delay) => delay < 3_600)).toBe(true);
  expect(delays.some((delay) => delay > 3_600)).toBe(true);
});

test("a story plays its events on the virtual clock, with the retries that fall due in between", async () => {
  const { sandbox, subscriber, register } = await startAcme(`${ACME}
stories:
  sale:
    - { type: order.created, data: { data: { note: a sale } } }
    - order.paid
    - { type: order.paid, after: 2h }
`);
  const { id } = (await register("acme")).body;
  await sandbox.control("PUT", `/webhooks/${id}/fault`, { status: 503, times: 1 });
  const played = await runAt(sandbox, "send", "--story", "sale", "--json");
  expect(played.code).toBe(1);
  const { from, to, events } = JSON.parse(played.stdout);
  expect(Date.parse(to) - Date.parse(from)).toBe(7_200_000);
  expect(events.map(({ type }: Json) => type)).toEqual(["order.created", "order.paid", "order.paid"]);
  const bodies = subscriber.received.map(({ body }) => JSON.parse(body));
  expect(bodies.map(({ type }) => type)).toEqual(["order.paid", "order.created", "order.paid"]);
  expect(bodies[1].data).toEqual({ amount: 5, note: "a sale" });
  expect(bodies[2].created - bodies[0].created).toBe(7_180);
  expectRefusal(
    await sandbox.control("POST", "/senders/acme/stories/sal"),
    404,
    "not_found",
    "acme has no story sal.",
  );
  const listed = (await sandbox.control("GET", "/senders")).body.data;
  expect(listed.find(({ name }: Json) => name === "acme").stories).toEqual([
    { name: "sale", events: ["order.created", "order.paid", "order.paid"] },
  ]);
  expect((await runAt(sandbox, "send", "--story", "sales")).stderr).toContain("Did you mean sale?");
  expect((await runAt(sandbox, "send")).stderr).toContain("or --story");
});

test("a story delivers simultaneous events only after all of them have happened", async () => {
  const { sandbox, register } = await startAcme(`${ACME}
stories:
  sale: [{ type: order.created, after: 0s }, { type: order.paid, after: 0s }]
`);
  await register("acme");
  expect((await sandbox.control("POST", "/senders/acme/stories/sale")).status).toBe(200);
  const steps = (await sandbox.journal()).flatMap(({ type }) =>
    type === "delivery.started" || type === "delivery.succeeded" ? [type.slice("delivery.".length)] : [],
  );
  expect(steps).toEqual(["started", "started", "succeeded", "succeeded"]);
});
