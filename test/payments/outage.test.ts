import { expect, test } from "vitest";
import { createSandbox } from "../../src/index.ts";
import { folderOf, runCli } from "../support/cli.ts";
import { startSandbox } from "../support/sandbox.ts";
import { type Answering, startSubscriber } from "../support/subscriber.ts";

/** A handler that fails for the checkout event of an order. */
const broken: Answering = ({ body }, response) => {
  response.statusCode = /checkout\.(?:completed|session)/.test(body) ? 500 : 204;
  response.end();
};

async function startBroken(options?: Parameters<typeof startSandbox>[0]) {
  const sandbox = await startSandbox(options);
  const subscriber = await startSubscriber(broken);
  const { id } = await sandbox.createWebhook(subscriber.url);
  const outage = async (body: object) => {
    const answer = await sandbox.control("POST", `/webhooks/${id}/outage`, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body;
  };
  return { sandbox, subscriber, id, outage };
}

test("a three-hour outage is one journal entry, can be undone in one step, and is followed by the subscriber's own responses", async () => {
  const { sandbox, subscriber, id, outage } = await startBroken();
  // A fault that was already set must not affect the result.
  await sandbox.control("PUT", `/webhooks/${id}/fault`, { kind: "timeout", times: 2 });
  const played = await outage({});
  expect(played).toMatchObject({
    ...{ kind: "503", story: null, from: "2026-01-15T09:00:00.000Z", to: "2026-01-15T12:00:00.000Z" },
    ...{ disabled_at: "2026-01-15T10:01:00.000Z", failures: 10, events: 4, arrived: 2, unsent: 0 },
    missing: [{ event: "checkout.completed", response_code: 500 }, { event: "checkout.completed" }],
    ...{ now: "2026-01-15T12:00:00.000Z", cancelled: false },
  });
  expect(subscriber.received).toHaveLength(4);
  expect((await sandbox.control("GET", `/webhooks/${id}/fault`)).body.spec).toBeNull();
  const { data } = (await sandbox.control("GET", "/events?types=webhook.outage")).body;
  expect(data).toMatchObject([{ data: { id, events: 4, arrived: 2 } }]);
  expect(played.ledger.at(-1).type).toBe("webhook.outage");

  await sandbox.control("POST", "/undo");
  expect((await sandbox.control("GET", "/clock")).body.now).toBe("2026-01-15T09:00:00.000Z");
  expect((await sandbox.control("GET", `/webhooks/${id}/timeline`)).body.attempts).toEqual([]);
  expect((await sandbox.control("GET", `/webhooks/${id}/fault`)).body.spec).toMatchObject({
    kind: "timeout",
  });
});

test.each([
  ["503", "status"],
  ["timeout", "timeout"],
  ["refused", "connection_refused"],
  ["reset", "connection_reset"],
])("an outage can be simulated with the failure %s", async (kind, error) => {
  const { sandbox, id, outage } = await startBroken();
  const played = await outage({ kind, duration: "125s" });
  expect(played).toMatchObject({ kind, disabled_at: null, events: 4, arrived: 2 });
  const { attempts } = (await sandbox.control("GET", `/webhooks/${id}/timeline`)).body;
  expect(attempts[0].error).toBe(error);
});

test("a sender's story starts at the beginning of an outage and continues after it", async () => {
  const { sandbox } = await startBroken();
  const subscriber = await startSubscriber();
  const { id } = (await sandbox.control("POST", "/webhooks", { url: subscriber.url, sender: "stripe" })).body;
  const story = (await sandbox.control("GET", "/senders")).body.data
    .find((one: { name: string }) => one.name === "stripe")
    .stories.find((one: { name: string }) => one.name === "subscription");
  const { body } = await sandbox.control("POST", `/webhooks/${id}/outage`, {
    ...{ story: "subscription", duration: "1h" },
  });
  expect(body).toMatchObject({ story: "subscription", to: "2026-01-15T10:00:00.000Z", missing: [] });
  expect(Date.parse(body.now)).toBeGreaterThan(Date.parse(body.to));
  expect(subscriber.received.map((one) => JSON.parse(one.body).type).toSorted()).toEqual(
    story.events.toSorted(),
  );
});

test("an invalid outage is rejected before anything changes", async () => {
  const { sandbox, id } = await startBroken();
  const refused = async (of: string, body: object) =>
    (await sandbox.control("POST", `/webhooks/${of}/outage`, body)).body.error;
  expect(await refused(id, { duration: 0 })).toMatchObject({ code: "bad_request", param: "duration" });
  expect(await refused(id, { duration: "soon" })).toMatchObject({ code: "invalid_duration" });
  expect(await refused(id, { story: "subscription" })).toMatchObject({ param: "story" });
  expect(await refused("wh_none", {})).toMatchObject({ code: "not_found" });
  const [first, second] = await Promise.all([refused(id, {}), refused(id, {})]);
  expect([first?.code, second?.code].filter(Boolean)).toEqual(["conflict"]);
});

test("an outage in a sandbox with a data folder can be undone", async () => {
  const dataDir = folderOf();
  const subscriber = await startSubscriber();
  await using sandbox = await createSandbox({ dataDir, seed: "empty", clock: { mode: "paused" } });
  const { id } = await sandbox.webhooks.create(subscriber.url);
  const { arrived } = await sandbox.webhooks.outage(id, { duration: "10m" });
  expect(arrived).toBe(4);
  await fetch(`${sandbox.url}/_sandbox/undo`, { method: "POST" });
  expect((await sandbox.webhooks.timeline(id)).attempts).toEqual([]);
});

test("sandglass outage prints a summary with the subscriber's responses", async () => {
  const { sandbox } = await startBroken();
  const { stdout, code } = await runCli(["outage", "3h", "--url", sandbox.url]);
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^Down for 3 h: disabled after 1 h 1 min at the 10th failure; 2 of 4 events arrived after the fix; your handler responded with 500 to 2 of them\.\n(?:del_\w+ +checkout\.completed +500\n){2}$/,
  );
});
