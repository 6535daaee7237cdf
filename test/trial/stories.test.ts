import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ACME } from "../explore/acme.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";

const folder = () => mkdtempSync(join(tmpdir(), "sandglass-findings-"));

async function endpointOf(sandbox: TestSandbox, sender: string, behaviour?: number) {
  const subscriber = await startSubscriber(behaviour);
  const { body } = await sandbox.control("POST", "/webhooks", { url: subscriber.url, sender });
  return { subscriber, id: body.id as string };
}

async function call(sandbox: TestSandbox, method: string, path: string, sent?: object) {
  const answer = await sandbox.control(method, path, sent);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}

const typesOf = ({ received }: Awaited<ReturnType<typeof startSubscriber>>) =>
  received.map(({ body }) => JSON.parse(body).type);

/** Writes a custom sender file. */
function acmeFile(text: string) {
  const file = join(folder(), "acme.yaml");
  writeFileSync(file, text);
  return file;
}

test("the sandbox plays a Stripe story against an endpoint with the user's changes, and one undo removes it", async () => {
  const sandbox = await startSandbox();
  const { subscriber, id } = await endpointOf(sandbox, "stripe");
  const outline = await call(sandbox, "GET", `/webhooks/${id}/stories/checkout`);
  expect(outline.events).toMatchObject([
    { event: "payment_intent.succeeded", after_ms: 0, can: ["arrives", "lost", "twice", "late", "swapped"] },
    { event: "charge.succeeded" },
    { event: "checkout.session.completed", can: ["arrives", "lost", "twice", "late"] },
  ]);
  expect(subscriber.received).toEqual([]);

  const played = await call(sandbox, "POST", `/webhooks/${id}/stories/checkout`, {
    arrivals: ["swapped", "twice", "lost"],
  });
  expect(played).toMatchObject({ story: "checkout", finding: null, webhook_id: id });
  expect(played.schedule).toEqual(["swap@1", "resend@2", "lost@3"]);
  expect(typesOf(subscriber)).toEqual([
    ...["charge.succeeded", "charge.succeeded", "payment_intent.succeeded"],
    "checkout.session.completed",
  ]);
  expect(
    played.steps.map(({ differs, words }: { differs: string; words: string }) => [differs, words]),
  ).toEqual([
    ["swap@1", "200, after the next one"],
    ["resend@2", "200, sent twice under one delivery id"],
    ["lost@3", "lost: the request never arrives"],
    [null, "200"],
  ]);
  expect(played.ledger.at(-1)).toMatchObject({ type: "webhook.story", data: { id, story: "checkout" } });
  const timeline = await call(sandbox, "GET", `/webhooks/${id}/timeline`);
  expect(timeline.attempts.map(({ delivery_id: one }: { delivery_id: string }) => one).toSorted()).toEqual(
    played.steps.map(({ delivery_id: one }: { delivery_id: string }) => one).toSorted(),
  );

  await call(sandbox, "POST", "/undo");
  expect((await call(sandbox, "GET", `/webhooks/${id}/timeline`)).attempts).toEqual([]);
});

test("each event in a story arrives as the user configured it, even if the handler fails and earlier events repeat", async () => {
  const sandbox = await startSandbox({ senders: [acmeFile(ACME.replace("delays: [1h]", "delays: [10s]"))] });
  const { id } = await endpointOf(sandbox, "acme", 500);
  const played = await call(sandbox, "POST", `/webhooks/${id}/stories/refunds`, {
    arrivals: ["arrives", "arrives", "twice"],
  });
  expect(played.schedule).toEqual(["resend@5"]);
  expect(played.steps[4]).toMatchObject({ event: "order.refunded", response_code: 500, answer: null });
});

test("the sandbox plays a platform story with its payments, and sends the events listed in its outline", async () => {
  const sandbox = await startSandbox();
  const subscriber = await startSubscriber();
  const { id } = await sandbox.createWebhook(subscriber.url);
  const { data } = await call(sandbox, "GET", `/webhooks/${id}/stories`);
  expect(data).toContainEqual({ name: "checkout", title: "A customer pays for an order" });
  const { events } = await call(sandbox, "GET", `/webhooks/${id}/stories/refused-then-paid`);
  const played = await call(sandbox, "POST", `/webhooks/${id}/stories/refused-then-paid`, {
    arrivals: ["lost"],
  });
  expect(played.steps[0]).toMatchObject({ differs: "lost@1", response_code: null });
  const first = new Set(played.steps.map(({ event }: { event: string }) => event));
  expect(first).toEqual(new Set(events.map(({ event }: { event: string }) => event)));
  expect(subscriber.received).toHaveLength(events.length);
});

test("the sandbox saves a custom sender's story as a finding, and replays it in a fork", async () => {
  const findings = folder();
  const sandbox = await startSandbox({
    senders: [acmeFile(ACME.replace(/stories:\n(?: {2}.*\n)+/, ""))],
    findings,
  });
  const { subscriber, id } = await endpointOf(sandbox, "acme");
  const played = await call(sandbox, "POST", `/webhooks/${id}/stories/acme`, { arrivals: ["lost"] });
  const saved = await call(sandbox, "POST", "/findings", {
    ...{ webhook_id: id, story: "acme", schedule: played.schedule },
  });
  expect(saved).toMatchObject({ name: "acme-lost", sender: "acme", schedule: ["lost@1"], needs: null });
  const text = readFileSync(join(findings, "acme-lost.yaml"), "utf8");
  expect(text).toContain("schedule: [lost@1]\n");
  expect(text).toContain("events: [order.paid, order.refunded@20s, order.cancelled@40s]");
  expect((await call(sandbox, "GET", "/findings")).data).toEqual([saved]);

  const before = subscriber.received.length;
  const now = (await call(sandbox, "GET", "/clock")).now;
  const first = await call(sandbox, "POST", "/findings/acme-lost/play", { webhook_id: id });
  const again = await call(sandbox, "POST", "/findings/acme-lost/play", { webhook_id: id });
  expect(first).toMatchObject({ finding: "acme-lost", schedule: ["lost@1"], webhook_id: id });
  expect(first.world).not.toBe(again.world);
  expect((await call(sandbox, "GET", "/clock")).now).toBe(now);
  // The server is not reset, so it would treat events as duplicates if it has already seen their ids.
  const ids = subscriber.received.slice(before).map(({ body }) => body);
  expect(new Set(ids).size).toBe(6);
  const { attempts } = (await sandbox.control("GET", `/webhooks/${id}/timeline`)).body;
  expect(attempts).toHaveLength(played.steps.length);
});

test("a world does not offer a story that needs a different confirmation delay, but a finding's fork gets that delay", async () => {
  const findings = folder();
  writeFileSync(join(findings, "late.yaml"), "finding: late\nstory: late-payment\nschedule: [lost@1]\n");
  const sandbox = await startSandbox({ findings });
  const subscriber = await startSubscriber();
  const { id } = await sandbox.createWebhook(subscriber.url);
  const { data } = await call(sandbox, "GET", `/webhooks/${id}/stories`);
  expect(data.map(({ name }: { name: string }) => name)).not.toContain("late-payment");
  expect((await sandbox.control("POST", `/webhooks/${id}/stories/late-payment`, {})).status).toBe(404);
  for (const { name } of data) await call(sandbox, "POST", `/webhooks/${id}/stories/${name}`, {});

  const before = subscriber.received.length;
  const { steps } = await call(sandbox, "POST", "/findings/late/play", { webhook_id: id });
  expect(steps.map(({ event }: { event: string }) => event)).toEqual([
    ...["checkout.expired", "payment.completed", "checkout.expired"],
  ]);
  expect(subscriber.received).toHaveLength(before + 2);
});

test("a finding that interrupts statements cannot be replayed against a URL, and the error names the command", async () => {
  const findings = folder();
  writeFileSync(
    join(findings, "paid-twice.yaml"),
    'finding: paid-twice\nstory: checkout\nschedule: ["crash@1.2"]\nstatements: ["update orders set paid = ?"]\n',
  );
  const sandbox = await startSandbox({ findings });
  const subscriber = await startSubscriber();
  const { id } = await sandbox.createWebhook(subscriber.url);
  expect((await call(sandbox, "GET", "/findings")).data).toMatchObject([
    { needs: "crash@1.2 needs a server that Sandglass starts, with its database" },
  ]);
  const answer = await sandbox.control("POST", "/findings/paid-twice/play", { webhook_id: id });
  expect(answer).toMatchObject({
    status: 409,
    body: { error: { hint: expect.stringContaining("run paid-twice") } },
  });
  expect(subscriber.received).toEqual([]);
});

test("the sandbox refuses to play a story while a fault is active or the endpoint is disabled", async () => {
  const sandbox = await startSandbox();
  const { id } = await endpointOf(sandbox, "stripe");
  await sandbox.control("PUT", `/webhooks/${id}/fault`, { kind: "status", status: 503 });
  expect((await sandbox.control("POST", `/webhooks/${id}/stories/refund`, {})).status).toBe(409);
  await sandbox.control("DELETE", `/webhooks/${id}/fault`);
  await sandbox.control("POST", `/webhooks/${id}/disable`);
  expect((await sandbox.control("POST", `/webhooks/${id}/stories/refund`, {})).status).toBe(409);
  const swapped = await sandbox.control("POST", `/webhooks/${id}/stories/refund`, { arrivals: ["swapped"] });
  expect(swapped).toMatchObject({ status: 400, body: { error: { param: "arrivals[0]" } } });
});
