import { createHmac } from "node:crypto";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { check } from "../../src/entries/check.ts";
import { createSandbox, explore } from "../../src/index.ts";
import { folderOf, runAt } from "../support/cli.ts";
import { startSandbox } from "../support/sandbox.ts";
import { type Received, startSubscriber } from "../support/subscriber.ts";

const SECRET = `whsec_${Buffer.from("a secret of twenty-four bytes").toString("base64")}`;

const acme = (signature: string): string =>
  join(
    folderOf({
      "acme.yaml": `
name: acme
events:
  order.paid: { body: '{"id": "ord_1", "type": "order.paid", "created": 1, "data": {"note": "Zoë pays 1 / 2 <at once>", "amount": 5}}' }
  order.lost: { body: { id: ord_2, type: order.lost, created: 1 } }
type: body.type
id: body.id
time: body.created
signature: { header: "Acme-Signature: t={time},v1={signature}", prefix: whsec_, ${signature} }
`,
    }),
    "acme.yaml",
  );

const OVER_BODY = 'over: "{body}"';
const OVER_TIME = 'over: "{time}.{body}"';
const OVER_URL = 'over: "{url}{body}"';

const hmac = (text: string, key: string | Buffer = SECRET, encoding: "hex" | "base64" = "hex") =>
  createHmac("sha256", key).update(text).digest(encoding);
const read = ({ headers }: Received) => {
  const [, time, signature] = /^t=(.*?),v1=(.*)$/.exec(String(headers["acme-signature"])) ?? [];
  return { time: time ?? "", signature };
};
const signed = (request: Received) => read(request).signature;
const sort = (value: object) => JSON.stringify(Object.fromEntries(Object.entries(value).sort()));

/** Formats JSON as a Python program would. */
const dumps = (body: string) =>
  JSON.stringify(JSON.parse(body), undefined, 1)
    .replace(/\n\s*/g, " ")
    .replace(/([[{]) | ([\]}])/g, "$1$2")
    .replace("ë", "\\u00eb");

/** Handlers that reject every event from acme, each because of a different mistake, with the expected diagnosis. */
const MISTAKES: [name: string, signature: string, verify: (request: Received) => boolean, says: RegExp][] = [
  [
    "re-serializes the body with JSON.stringify",
    OVER_BODY,
    (it) => signed(it) === hmac(JSON.stringify(JSON.parse(it.body))),
    /^It verifies JSON\.stringify\(body\) instead of the raw body\..*Express: express\.raw.*Hono: await c\.req\.text\(\)/,
  ],
  [
    "re-serializes the body with json.dumps",
    OVER_TIME,
    (it) => signed(it) === hmac(`${read(it).time}.${dumps(it.body)}`),
    /json\.dumps.*Django/,
  ],
  [
    "re-serializes the body with json_encode",
    OVER_BODY,
    (it) =>
      signed(it) === hmac(JSON.stringify(JSON.parse(it.body)).replaceAll("/", "\\/").replace("ë", "\\u00eb")),
    /json_encode.*Laravel/,
  ],
  [
    "adds a line break to the body",
    OVER_BODY,
    (it) => signed(it) === hmac(`${it.body}\n`),
    /a line break added/,
  ],
  [
    "omits the time from the signed text",
    OVER_TIME,
    (it) => signed(it) === hmac(it.body),
    /verifies only the body, but acme signs \{time\}\.\{body\}/,
  ],
  [
    "uses the secret of another endpoint",
    OVER_BODY,
    (it) => signed(it) === hmac(it.body, "whsec_b3RoZXI="),
    /verifies with the secret of wh_\w+,/,
  ],
  [
    "has a line break after its secret",
    OVER_BODY,
    (it) => signed(it) === hmac(it.body, `${SECRET}\n`),
    /ends in a line break/,
  ],
  [
    "strips the prefix from its secret",
    OVER_BODY,
    (it) => signed(it) === hmac(it.body, SECRET.slice(6)),
    /uses the text after whsec_ as the key/,
  ],
  [
    "decodes a secret that is plain text",
    OVER_BODY,
    (it) => signed(it) === hmac(it.body, Buffer.from(SECRET.slice(6), "base64")),
    /decodes the secret from base64/,
  ],
  [
    "uses a base64 secret as plain text",
    `${OVER_BODY}, secret: base64`,
    (it) => signed(it) === hmac(it.body),
    /uses the secret as text/,
  ],
  [
    "expects base64 instead of hex",
    OVER_BODY,
    (it) => signed(it) === hmac(it.body, SECRET, "base64"),
    /expects the signature in base64, but acme writes hex/,
  ],
  [
    "expects hex instead of base64",
    `${OVER_BODY}, encoding: base64`,
    (it) => signed(it) === hmac(it.body),
    /expects the signature in hex/,
  ],
  [
    "compares the whole header",
    OVER_BODY,
    (it) => it.headers["acme-signature"] === hmac(it.body),
    /compares all of Acme-Signature with the signature/,
  ],
  [
    "compares the time in milliseconds",
    OVER_TIME,
    (it) => signed(it) === hmac(`${read(it).time}.${it.body}`) && Number(read(it).time) > 1e12,
    /reads the time of the signature as milliseconds, but acme writes seconds/,
  ],
  [
    "compares the time of the signature with that of the event",
    OVER_TIME,
    (it) =>
      signed(it) === hmac(`${read(it).time}.${it.body}`) &&
      Number(read(it).time) === JSON.parse(it.body).created,
    /only if its time is the event's time/,
  ],
  [
    "compares the time of the event with its own clock",
    OVER_BODY,
    (it) => signed(it) === hmac(it.body) && JSON.parse(it.body).created > 1_780_000_000,
    /compares the time in the event's body with the machine's clock.*--start-at now/,
  ],
  [
    "rebuilds the address without its port",
    OVER_URL,
    (it) => signed(it) === hmac(`http://127.0.0.1/hooks?a=1${it.body}`),
    /verifies with the URL http:\/\/127\.0\.0\.1\/hooks\?a=1, /,
  ],
  [
    "rebuilds the address without its query",
    OVER_URL,
    (it) => signed(it) === hmac(`http://${it.headers.host}/hooks${it.body}`),
    /with the URL http:\/\/127\.0\.0\.1:\d+\/hooks, /,
  ],
];

/** Serves handlers that respond with 401 unless they accept a request, and sends an event from acme to each. */
async function refusedBy(signature: string, verify: (request: Received, count: number) => boolean) {
  const subscriber = await startSubscriber((request, response) => {
    response.writeHead(verify(request, subscriber.received.length) ? 200 : 401).end();
  });
  const sandbox = await createSandbox({ port: false, seed: "empty", senders: [acme(signature)] });
  onTestFinished(() => sandbox.close());
  await sandbox.webhooks.create({
    url: `${subscriber.url}/other`,
    sender: "acme",
    secret: "whsec_b3RoZXI=",
    events: ["order.lost"],
  });
  const url = subscriber.url.replace("/webhooks", "/hooks?a=1");
  await sandbox.webhooks.create({ url, sender: "acme", secret: SECRET });
  const { deliveries } = await sandbox.send("order.paid");
  return { sandbox, subscriber, delivery: deliveries[0]! };
}

test.each(MISTAKES)(
  "the diagnosis finds by experiment why a handler rejects every signature: it %s",
  async (_, signature, verify, says) => {
    const { sandbox, delivery } = await refusedBy(signature, verify);
    const { verdict, cause, fix } = await sandbox.webhooks.diagnose(delivery.id);
    expect(`${cause} ${fix}`).toMatch(says);
    expect(verdict).toBe("found");
  },
);

test("the diagnosis recognizes a handler written for another sender by the signature that it accepts", async () => {
  const { sandbox, delivery } = await refusedBy(OVER_BODY, ({ headers, body }) => {
    const { time = "", signature } =
      /^t=(?<time>.*),v1=(?<signature>.*)$/.exec(String(headers["stripe-signature"]))?.groups ?? {};
    return signature === hmac(`${time}.${body}`);
  });
  const { cause, fix } = await sandbox.webhooks.diagnose(delivery.id);
  expect(cause).toMatch(/^It verifies Stripe-Signature, so it is a handler for stripe, not for acme\./);
  expect(fix).toContain("--sender stripe");
});

test("the diagnosis changes no counters or deliveries", async () => {
  const { sandbox, delivery } = await refusedBy(OVER_BODY, () => false);
  const before = await sandbox.webhooks.timeline(delivery.webhook_id);
  const { verdict, cause, tried } = await sandbox.webhooks.diagnose(delivery.id);
  expect(verdict).toBe("unknown");
  expect(cause).toMatch(/^None of \d\d variants .* explains the refusal/);
  expect(tried.every(({ status }) => status === 401)).toBe(true);
  expect(await sandbox.webhooks.timeline(delivery.webhook_id)).toEqual(before);
});

test("the diagnosis gives no cause if the handler accepts the unchanged event the second time", async () => {
  const { sandbox, delivery } = await refusedBy(OVER_BODY, (_, count) => count > 1);
  expect(await sandbox.webhooks.diagnose(delivery.id)).toMatchObject({
    verdict: "by-chance",
    tried: [{ status: 200 }],
  });
});

test("the diagnosis gives no cause if the handler accepts a variant with any signature", async () => {
  const isPlain = /^t=\d+,v1=[0-9a-f]{64}$/;
  const { sandbox, delivery } = await refusedBy(
    OVER_BODY,
    (it) => !isPlain.test(String(it.headers["acme-signature"])),
  );
  expect((await sandbox.webhooks.diagnose(delivery.id)).verdict).toBe("unknown");
});

test("the diagnosis rejects a delivery that failed for a reason other than its signature", async () => {
  const { sandbox, subscriber, delivery } = await refusedBy(OVER_BODY, () => false);
  subscriber.answer = 503;
  const { id } = await sandbox.webhooks.retry(delivery.webhook_id, delivery.id);
  await expect(sandbox.webhooks.diagnose(id)).rejects.toMatchObject({ code: "invalid_state" });
});

const stringifies = async (request: Request): Promise<Response> => {
  const body = JSON.stringify(JSON.parse(await request.text()));
  const [, time, signature] = /^t=(.*?),v1=(.*)$/.exec(request.headers.get("acme-signature")!)!;
  const isSigned = signature === hmac(`${time}.${body}`);
  if (isSigned) stored.push(body);
  return new Response(isSigned ? "" : "No signature matches", { status: isSigned ? 200 : 400 });
};
const stored: string[] = [];

test("explore says why a server rejects the signature, and resets its state after the experiment", async () => {
  const options = { subscriber: stringifies, sender: acme(OVER_TIME), secret: SECRET };
  const state = () => ({ stored });
  const reset = () => void stored.splice(0);
  await expect(explore({ ...options, state, reset })).rejects.toMatchObject({
    message: expect.stringMatching(/returned 400.*No signature matches/s),
    hint: expect.stringMatching(/^It verifies JSON\.stringify\(body\) instead of the raw body\./),
  });
  expect(stored).toEqual([]);
});

test("explore says that a server adds the port of the scheme to the address that it verifies", async () => {
  const subscriber = async (request: Request): Promise<Response> => {
    const [, signature] = /v1=(.*)$/.exec(request.headers.get("acme-signature")!)!;
    const isSigned = signature === hmac(`http://subscriber.localhost:80/webhooks${await request.text()}`);
    return new Response(isSigned ? "" : "No signature matches", { status: isSigned ? 200 : 400 });
  };
  const options = { subscriber, sender: acme(OVER_URL), secret: SECRET };
  await expect(explore({ ...options, state: () => 1, reset: () => undefined })).rejects.toMatchObject({
    hint: expect.stringMatching(/^It verifies with the URL http:\/\/subscriber\.localhost:80\/webhooks, /),
  });
});

test("check says why a server rejects the signature of a valid event", async () => {
  const subscriber = await startSubscriber((request, response) => {
    const isSigned = signed(request) === hmac(`${read(request).time}.${sort(JSON.parse(request.body))}`);
    response.writeHead(isSigned ? 200 : 500).end(isSigned ? "" : "Error: invalid signature");
  });
  const { hazards } = await check({
    subscriber: subscriber.url,
    secret: SECRET,
    sender: acme(OVER_TIME),
    only: ["duplicate"],
  });
  expect(hazards[0]).toMatchObject({ name: "valid-event", verdict: "fail" });
  expect(hazards[0]!.fix).toMatch(/^None of \d\d variants.*its secret differs from/);
});

test.each([
  ["pay", "platform", 0],
  ["send", "acme", 1],
])(
  "sandglass %s prints why the server rejected the event, and how often the experiment sent that event again",
  async (command, sender, exit) => {
    const subscriber = await startSubscriber((request, response) => {
      const signature = request.headers["x-platform-signature"] ?? signed(request);
      response.writeHead(signature === hmac(`${request.body}\n`) ? 200 : 401).end();
    });
    const sandbox = await startSandbox({ senders: [acme(OVER_BODY)] });
    await sandbox.control("POST", "/webhooks", { url: subscriber.url, secret: SECRET, sender });
    const link = await sandbox.createLink();
    const { code, stdout } = await runAt(sandbox, command, command === "pay" ? link.id : "order.paid");
    expect(stdout).toMatch(
      /It verifies the body with a line break added to its end\..*\nVerify the body exactly/,
    );
    expect(stdout).toMatch(
      /To find this out, your server was sent the event \d more times, and accepted it once\.$/m,
    );
    expect(code).toBe(exit);
  },
);
