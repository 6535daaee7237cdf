import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { verify } from "@octokit/webhooks-methods";
import Stripe from "stripe";
import { expect, test } from "vitest";
import { check, createSandbox } from "../../src/index.ts";
import { senderFiles } from "../../src/senders/files.ts";
import { folderOf } from "../support/cli.ts";
import { type Received, startSubscriber } from "../support/subscriber.ts";

const THIN = `
name: acme
events:
  order.paid: { body: { id: ord_1, type: order.paid, created: 1 } }
  v2.order.paid: { body: { id: ord_2, type: v2.order.paid, at: "2020-01-01T00:00:00.000Z" } }
  v2.order.lost: { body: { id: ord_3, type: v2.order.lost, at: 1 } }
type: body.type
id: body.id
time: { "*": body.created, "v2.*": body.at }
unit: { "*": seconds, "v2.*": iso, v2.order.lost: milliseconds }
signature: { header: "Acme-Signature: {signature}" }
`;

const fileOf = (text: string) => join(folderOf({ "acme.yaml": text }), "acme.yaml");

async function sentTo(
  sender: string,
  file: string,
  events: [type: string, data?: object][],
  secret = "test_secret",
) {
  const subscriber = await startSubscriber();
  await using sandbox = await createSandbox({
    ...{ port: false, seed: "empty", senders: [file] },
    startAt: "2026-01-15T09:00:00Z",
  });
  await sandbox.webhooks.create({ url: subscriber.url, sender, secret });
  for (const [type, data] of events) await sandbox.send(type, data as never);
  return subscriber.received;
}

test("a sender writes an event's time in the location and unit that its type requires", async () => {
  const types = ["order.paid", "v2.order.paid", "v2.order.lost"];
  const received = await sentTo(
    "acme",
    fileOf(THIN),
    types.map((type) => [type]),
  );
  const at = Date.parse("2026-01-15T09:00:00Z");
  expect(received.map(({ body }) => JSON.parse(body))).toMatchObject([
    { created: at / 1_000 },
    { at: "2026-01-15T09:00:00.000Z" },
    { at },
  ]);
});

test("the sandbox rejects a time unit for an unknown event type in a sender's file", async () => {
  const file = fileOf(THIN.replace("v2.order.lost: milli", "v2.order.losst: milli"));
  await expect(createSandbox({ port: false, senders: [file] })).rejects.toMatchObject({
    code: "invalid_config",
    message: expect.stringContaining("unit.v2.order.losst must be an event type"),
    hint: "Did you mean v2.order.lost?",
  });
});

/** A copy of GitHub's file that sends forms, which requires only one more line. */
const githubForms = (): string => {
  const folder = folderOf({});
  mkdirSync(join(folder, "github"));
  for (const { path, text } of senderFiles("github"))
    writeFileSync(join(folder, path), path === "github.yaml" ? `${text}form: payload\n` : text);
  return join(folder, "github.yaml");
};

const payloadOf = ({ body }: Pick<Received, "body">) => JSON.parse(new URLSearchParams(body).get("payload")!);

test("a GitHub sender configured for forms sends and signs each delivery as a form", async () => {
  const [sent] = await sentTo("github", githubForms(), [["issues", { action: "closed" }]]);
  expect(sent!.headers["content-type"]).toBe("application/x-www-form-urlencoded");
  expect([...new URLSearchParams(sent!.body).keys()]).toEqual(["payload"]);
  expect(payloadOf(sent!)).toMatchObject({ action: "closed", issue: { state: "open" } });
  expect(await verify("test_secret", sent!.body, String(sent!.headers["x-hub-signature-256"]))).toBe(true);
});

test("check sends events about a single issue to a handler that accepts GitHub's events as forms", async () => {
  const seen: number[] = [];
  const subscriber = await startSubscriber(async (request, response) => {
    const isSigned = await verify(
      "test_secret",
      request.body,
      String(request.headers["x-hub-signature-256"]),
    );
    if (isSigned) seen.push(payloadOf(request).issue.number);
    response.writeHead(isSigned ? 200 : 401).end();
  });
  const { hazards } = await check({
    ...{ subscriber: subscriber.url, secret: "test_secret", sender: githubForms(), events: "issues" },
    only: ["changed-body", "extra-fields"],
  });
  expect(hazards.map(({ name, verdict }) => `${name} ${verdict}`)).toEqual([
    "valid-event pass",
    "changed-body pass",
    "extra-fields pass",
  ]);
  expect(new Set(seen).size).toBe(1);
});

const CONNECT = "whsec_account whsec_connect";
const signedWith = ({ headers, body }: Received): string | undefined =>
  ["whsec_account", "whsec_connect"].find((secret) => {
    try {
      return Stripe.webhooks.constructEvent(body, String(headers["stripe-signature"]), secret);
    } catch {
      return undefined;
    }
  });

test("Stripe signs events of connected accounts with the second secret of an endpoint", async () => {
  const events: [string, object?][] = [["customer.created"], ["account.updated", { account: "acct_1" }]];
  const received = await sentTo("stripe", "stripe", events, CONNECT);
  expect(received.map((one) => [signedWith(one), JSON.parse(one.body).account])).toEqual([
    ["whsec_account", undefined],
    ["whsec_connect", "acct_1"],
  ]);
});

test("the diagnosis reports that a handler verifies with the other secret of its address", async () => {
  const subscriber = await startSubscriber((request, response) => {
    response.writeHead(signedWith(request) === "whsec_account" ? 200 : 400).end();
  });
  await using sandbox = await createSandbox({ port: false, seed: "empty", senders: ["stripe"] });
  await sandbox.webhooks.create({ url: subscriber.url, sender: "stripe", secret: CONNECT });
  const { deliveries } = await sandbox.send("account.updated", { account: "acct_1" });
  expect(await sandbox.webhooks.diagnose(deliveries[0]!.id)).toMatchObject({
    cause: expect.stringContaining("It verifies with the other secret of this address"),
  });
});

test.each(["whsec_account sk_test_1", "whsec_account  whsec_connect", "whsec_account whsec_"])(
  "the sandbox rejects an invalid pair of Stripe secrets: %j",
  async (secret) => {
    await using sandbox = await createSandbox({ port: false, seed: "empty", senders: ["stripe"] });
    const url = "http://127.0.0.1:1/";
    await expect(sandbox.webhooks.create({ url, sender: "stripe", secret })).rejects.toMatchObject({
      code: "bad_request",
    });
  },
);
