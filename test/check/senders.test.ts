import { createHmac } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { readSender } from "../../src/senders/files.ts";
import { type Signed, VERIFIERS } from "../senders/verifiers.ts";
import { folderOf, runCli } from "../support/cli.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { type Bug, only, SECRET, startHandler } from "./senders.ts";
import { verdictsOf } from "./support/try.ts";

const OLD_SECRET = "whsec_plJ3nmyCDGBKInavdOK15jsl";

const standard = VERIFIERS["standard-webhooks"]!.accepts;
const timeOf = ({ headers }: Signed) => Number(headers["webhook-timestamp"]);
/** Verifies the signature but ignores the request's age, so a bug can check the age in its own way. */
const untimed = (request: Signed, secret: string) => standard(request, secret, timeOf(request));
const signaturesOf = ({ headers }: Signed) => (headers["webhook-signature"] ?? "").split(" ");

const SIGNED = [
  ...["wrong-signature", "missing-signature", "truncated-signature", "malformed-signature", "changed-body"],
  ...["stale-timestamp", "future-timestamp", "two-signatures", "old-secret", "duplicate", "late-retry"],
];

/** Each bug that a handler for the platform cannot have, with all hazards that reveal it. */
const BUGS: [what: string, bug: Bug, shown: string[], options?: object][] = [
  ["no bug", {}, []],
  [
    "accepts any old signature",
    { accepts: async (it, secret, now) => timeOf(it) <= now + 300 && untimed(it, secret) },
    ["stale-timestamp"],
  ],
  [
    "only rejects requests that are too old",
    { accepts: async (it, secret, now) => timeOf(it) >= now - 300 && untimed(it, secret) },
    ["future-timestamp"],
  ],
  [
    "rejects every timestamp ahead of its clock",
    { accepts: async (it, secret, now) => timeOf(it) <= now && standard(it, secret, now) },
    ["future-timestamp"],
  ],
  ["ignores the timestamp", { accepts: untimed }, ["stale-timestamp", "future-timestamp"]],
  [
    "reads only the first signature",
    { accepts: (it, secret, now) => standard(only(it, signaturesOf(it)[0]!), secret, now) },
    ["two-signatures"],
  ],
  [
    "accepts any two signatures",
    { accepts: (it, secret, now) => signaturesOf(it).length > 1 || standard(it, secret, now) },
    ["old-secret"],
  ],
  [
    "still accepts the old secret",
    {
      accepts: async (it, secret, now) => (await standard(it, secret, now)) || standard(it, OLD_SECRET, now),
    },
    ["old-secret"],
    { oldSecret: OLD_SECRET },
  ],
];

describe("check with a sender", () => {
  test.each(BUGS)(
    "check fails a sender's handler on exactly the hazards that its bug causes: %s",
    async (_what, bug, shown, options = {}) => {
      const { check: run } = await startHandler("standard-webhooks", bug);
      expect(verdictsOf(await run({ only: SIGNED, ...options })).fail ?? []).toEqual(shown);
    },
  );

  test("check also sends and forges GitHub's older signature, the only one that many handlers verify", async () => {
    const { check: run } = await startHandler("github", {
      accepts: ({ headers, body }, secret) =>
        headers["x-hub-signature"] === `sha1=${createHmac("sha1", secret).update(body).digest("hex")}`,
    });
    expect(verdictsOf(await run({ only: SIGNED })).fail).toBeUndefined();
  });

  test("check detects in the state that a handler mixes up ids beyond 2^53", async () => {
    const found = await Promise.all(
      [(body: string) => String(JSON.parse(body).id), (body: string) => /"id":(\d+)/.exec(body)![1]!].map(
        async (keyOf) => {
          const { check: run, stateUrl } = await startHandler("shopify", { keyOf });
          const report = await run({ state: stateUrl, only: ["large-ids"] });
          return [verdictsOf(report), report.hazards[1]!.exchanges.map(({ sent }) => sent.body)];
        },
      ),
    );
    const bodies = [
      expect.stringContaining('"id":9007199254740992,'),
      expect.stringContaining('"id":9007199254740993,'),
    ];
    expect(found).toEqual([
      [{ fail: ["large-ids"] }, bodies],
      [{}, bodies],
    ]);
  });

  test("check only warns about rounded ids if the sender's file does not say that ids exceed 2^53", async () => {
    const { url, stateUrl } = await startHandler("shopify", { keyOf: (body) => String(JSON.parse(body).id) });
    const sender = join(folderOf(), "shop.yaml");
    const { facts, example } = await readSender("shopify");
    const { signature, headers } = facts;
    const events = { "orders/paid": { body: JSON.parse(example("orders/paid")) } };
    writeFileSync(sender, JSON.stringify({ name: "shop", events, signature, headers, about: ["body.id"] }));
    const report = await check({
      subscriber: url,
      sender,
      secret: SECRET,
      state: stateUrl,
      only: ["large-ids"],
    });
    expect(verdictsOf(report)).toEqual({ warn: ["large-ids"] });
  });

  test("check does not blame the size of an id if the server rejects each new id", async () => {
    const { example } = await readSender("shopify");
    const { id } = JSON.parse(example("orders/paid"));
    const { check: run } = await startHandler("shopify", { fails: (body) => JSON.parse(body).id !== id });
    const report = await run({ only: ["large-ids"] });
    expect(report.hazards[1]).toMatchObject({
      verdict: "unknown",
      summary:
        "It returned 500, but it also returned 500 to an event with new ids of the usual length, so this shows nothing.",
    });
  });

  test("check omits the hazards that a sender cannot cause, and gives the reason", async () => {
    const { check: run } = await startHandler("github");
    const { left_out: leftOut } = await run({
      only: ["stale-timestamp", "two-signatures", "late-retry", "duplicate"],
    });
    expect(leftOut).toMatchObject([
      { name: "stale-timestamp", reason: "its signature has no time" },
      { name: "two-signatures", reason: "its header never has more than one signature" },
      { name: "late-retry", reason: "it does not retry" },
    ]);
  });

  test("check reports when a verdict relies on a fact that the sender does not document", async () => {
    const timeIn = ({ headers }: Signed) => Number(/ts=(\d+)/.exec(headers["paddle-signature"] ?? "")?.[1]);
    const accepts = (it: Signed, secret: string) => VERIFIERS.paddle!.accepts(it, secret, timeIn(it));
    const { url } = await startHandler("paddle", { accepts });
    const args = ["check", url, "--sender", "paddle", "--secret", SECRET, "--only", "stale-timestamp"];
    const { code, stdout } = await runCli(args);
    expect(code).toBe(1);
    expect(stdout).toContain(
      "This hazard relies on facts that the sender does not publish: signature.tolerance.",
    );
  });

  test("check accepts a ten-line sender file", async () => {
    const file = join(folderOf(), "acme.yaml");
    writeFileSync(
      file,
      'name: acme\nevents: { order.paid: { body: { id: ord_1, type: order.paid } } }\ntype: body.type\nid: body.id\nsignature: { header: "Acme-Signature: {signature}" }\n',
    );
    const { url } = await startHandler("github", {
      accepts: ({ headers, body, url: at }, secret) =>
        VERIFIERS.github!.accepts(
          { headers: { "x-hub-signature-256": `sha256=${headers["acme-signature"]}` }, body, url: at },
          secret,
          0,
        ),
    });
    const report = await check({ subscriber: url, sender: file, secret: SECRET });
    expect(verdictsOf(report).fail).toBeUndefined();
    expect(report.left_out.map(({ name }) => name)).toContain("other-events");
  });
});

describe("the events that check sends", () => {
  const typesOf = (stdout: string): string[] => [
    ...new Set(
      JSON.parse(stdout).hazards.flatMap((one: { exchanges: { sent: { body: string | null } }[] }) =>
        one.exchanges.flatMap(({ sent }) => /"type":"([\w.]+)"/.exec(sent.body ?? "")?.[1] ?? []),
      ) as string[],
    ),
  ];
  const run = (url: string, events: string) =>
    runCli(["check", url, "--sender", "svix", "--secret", SECRET, "--events", events, "--json"]);

  test("check sends the event types given with --events, and uses the first for most hazards", async () => {
    const { url } = await startHandler("svix");
    const { stdout } = await run(url, "user.created,invoice.paid");
    expect(typesOf(stdout)).toEqual(["user.created", "invoice.paid", "sandglass.unknown_event"]);
    expect(JSON.parse(stdout).event).toBe("user.created");
  });

  test("check sends the bodies of a capture with new ids", async () => {
    const body = JSON.stringify({ type: "order.shipped", data: { id: "ord_77", by: "mail" } });
    const line = {
      time: "2026-06-01T12:00:00.000Z",
      method: "POST",
      path: "/",
      headers: { "svix-id": "msg_1" },
      body,
      status: 200,
    };
    const file = join(folderOf(), "orders.ndjson");
    writeFileSync(
      file,
      `${JSON.stringify(line)}\n${JSON.stringify({ ...line, status: 500 })}\n{"time": "2026`,
    );
    const { url } = await startHandler("svix");
    const { stdout, code } = await run(url, file);
    const [valid] = JSON.parse(stdout).hazards;
    expect(code).toBe(0);
    expect(JSON.parse(valid.exchanges[0].sent.body)).toMatchObject({
      type: "order.shipped",
      data: { by: "mail" },
    });
    expect(valid.exchanges[0].sent.headers["svix-id"]).not.toBe("msg_1");
  });

  test.each([
    [["--sender", "strip"], "Did you mean stripe?"],
    [
      ["--sender", "stripe", "--events", "checkout.session.complete"],
      "Did you mean checkout.session.completed?",
    ],
    [["--events", "order.paid"], "--sender"],
    [["--sender", "stripe", "--header-prefix", "X-"], "webhooks"],
    [["--sender", "stripe", "--event", "push"], "checkout.session.completed"],
    [["--sender", "stripe", "--old-secret", SECRET], "--old-secret"],
  ])("check rejects an invalid sender or event and suggests a fix: %j", async (args, words) => {
    const run = await runCli(["check", "http://127.0.0.1:1/", "--secret", SECRET, ...args]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(words);
  });
});

test("check omits the signature-time hazards for the platform and says so in every report", async () => {
  const subscriber = await startHandler("github", { accepts: () => true });
  const junit = join(folderOf(), "check.xml");
  const only = "stale-timestamp,future-timestamp,two-signatures,old-secret";
  const args = ["check", subscriber.url, "--secret", SECRET, "--only", only];
  const { stdout } = await runCli([...args, "--junit", junit]);
  expect(stdout.replaceAll("\n", " ")).toContain(
    "Skipped for the platform: stale-timestamp, future-timestamp (its signature has no time); two-signatures (its header never has more than one signature); old-secret (",
  );
  expect(readFileSync(junit, "utf8")).toContain('<skipped message="left out: its signature has no time"/>');
  const { left_out: leftOut } = JSON.parse((await runCli([...args, "--json"])).stdout);
  expect(leftOut.map(({ name }: { name: string }) => name).join()).toBe(only);
});

test("check --list --sender lists only the hazards of that sender", async () => {
  const { stdout } = await runCli(["check", "--list", "--sender", "stripe"]);
  expect(stdout).toContain("two-signatures");
  expect(stdout).not.toContain("bare-event");
});

test("the check function rejects an unknown option and suggests the closest one", async () => {
  const options = { subscriber: "http://127.0.0.1:1/", sendr: "stripe" } as never;
  await expect(check(options)).rejects.toMatchObject({ code: "bad_request", hint: "Did you mean sender?" });
  for (const wrong of [{}, { subscriber: 3000 }, { subscriber: "x", only: "duplicate" }, null])
    await expect(check(wrong as never)).rejects.toMatchObject({ code: "bad_request" });
});

test("check prints only the rejected requests of a hazard that sends several", async () => {
  const { url } = await startSubscriber(({ body }, response) => {
    response.writeHead(body.includes('"type": "price.deleted"') ? 500 : 200).end();
  });
  const args = ["check", url, "--sender", "stripe", "--secret", SECRET, "--only", "other-events"];
  const { stdout } = await runCli(args);
  expect(stdout).toMatch(/^ {2}sent {7}POST price\.deleted\n/m);
  expect(stdout.match(/^ {2}came back/gm)).toHaveLength(1);
  expect(stdout).toMatch(/^ +and \d\d more requests: --html shows all of them$/m);
});
