import { createHmac } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { check, createSandbox, explore } from "../../src/index.ts";
import { readSender } from "../../src/senders/files.ts";
import { mergeOver, rewrite } from "../../src/webhooks/body-text.ts";
import { folderOf } from "../support/cli.ts";
import { listenForTest } from "../support/listen.ts";
import { startSubscriber } from "../support/subscriber.ts";

const SECRET = "acme_secret";
/** A body that would change if it were parsed and serialized again. */
const ODD = String.raw`{ "total": 1.10, "big":820982911946154508, "url":"https:\/\/a.example", "bell":"\u001B\u0007", "sku":"A", "sku":"B",
  "id" : "evt_1a2b3c4d", "type":"order.paid","created":1736931600, "order":{"n":1e3} }`;
/** A body without an id or a time. */
const rest = (body: string) => body.replace(/evt_\w+/, "…").replace(/(?<="created":)\d+/, "…");

function acme(...events: string[]): string {
  const file = join(folderOf(), "acme.yaml");
  const lines = [
    ...["name: acme", "events:", ...events.map((line) => `  ${line}`)],
    ...["type: body.type", "id: body.id", "time: body.created"],
    'signature: { header: "Acme-Signature: {signature}" }',
    "retries: { delays: [1h] }",
  ];
  writeFileSync(file, lines.join("\n"));
  return file;
}

async function send(file: string, type: string, data?: object) {
  await using sandbox = await createSandbox({ seed: "empty", clock: { mode: "paused" }, senders: [file] });
  const subscriber = await startSubscriber();
  const sender = (await readSender(file)).name;
  await sandbox.webhooks.create({ url: subscriber.url, sender, secret: SECRET });
  await sandbox.send(type, data);
  return subscriber.received[0]!;
}

test("a sender sends an example from a file or a string byte for byte, except its id and time", async () => {
  const file = acme("order.paid: paid.json");
  writeFileSync(join(file, "../paid.json"), `\uFEFF${ODD}`);
  for (const sender of [file, acme(`order.paid: { body: ${JSON.stringify(ODD)} }`)]) {
    const { body, headers } = await send(sender, "order.paid");
    expect(rest(body)).toBe(rest(ODD));
    expect(body).not.toContain("evt_1a2b3c4d");
    expect(headers["content-type"]).toBe("application/json");
  }
});

test("the data of an event replaces only the fields that differ, and YAML numbers keep their notation", async () => {
  const file = acme(
    "order.paid: { body: { id: evt_1a2b3c4d, type: order.paid, created: 1736931600, total: 1.10, big: 820982911946154508 } }",
  );
  const { body } = await send(file, "order.paid", { big: Number("820982911946154508"), note: 1 });
  expect(rest(body)).toBe(
    '{"id":"…","type":"order.paid","created":…,"total":1.10,"big":820982911946154508,"note":1}',
  );
});

test("a sender sends a form as a form, and edits JSON within a field in place", async () => {
  const file = acme(
    'order.paid: { form: { id: evt_1a2b3c4d, type: order.paid, created: 1, payload: "{\\"order\\": {\\"n\\": 1.10}}", text: a b } }',
  );
  const { body, headers } = await send(file, "order.paid", { payload: { order: { open: true } } });
  expect(headers["content-type"]).toBe("application/x-www-form-urlencoded");
  const form = new URLSearchParams(body);
  expect([form.get("type"), form.get("payload"), form.get("text")]).toEqual([
    "order.paid",
    '{"order": {"n": 1.10,"open":true}}',
    "a b",
  ]);
  expect(form.get("id")).not.toBe("evt_1a2b3c4d");
});

test("each event of a batch has its own id and time", async () => {
  const file = acme(
    "order.paid: { body: [{ id: evt_1a2b3c4d, type: order.paid, created: 1, n: 1.0 }, { id: evt_1a2b3c4d, type: order.paid, created: 2 }] }",
  );
  writeFileSync(file, readFileSync(file, "utf8").replaceAll("body.", "body.*."));
  const { body } = await send(file, "order.paid", { shop: 7 });
  const [first, second] = JSON.parse(body);
  expect(first.id).not.toBe(second.id);
  expect([first, second]).toMatchObject([{ n: 1, shop: 7 }, { shop: 7 }]);
  expect(first.created).toBe(second.created);
  expect(body).toContain('"n":1.0');
});

const capturedLine = (more: object) =>
  JSON.stringify({
    ...{ time: "2026-06-01T12:00:00.000Z", method: "POST", path: "/", headers: {}, status: 200, body: ODD },
    ...more,
  });

test("explore sends a captured body unchanged, and check changes only its id", async () => {
  const file = join(folderOf(), "orders.ndjson");
  writeFileSync(file, `\uFEFF${capturedLine({})}\n`);
  const bodies: string[] = [];
  const { url } = await startSubscriber(({ body }, response) => {
    bodies.push(body);
    response.end();
  });
  const sender = acme("order.paid: { body: { id: evt_1, type: order.paid, created: 1 } }");
  await check({ subscriber: url, sender, secret: SECRET, events: file, only: ["valid-event"] });
  expect(rest(bodies[0]!)).toBe(rest(ODD));
  bodies.length = 0;
  const state: Record<string, number> = {};
  await explore({
    ...{ sender, events: file, secret: SECRET, deviations: 1 },
    subscriber: async (request) => {
      bodies.push(await request.text());
      state.n = 1;
      return new Response();
    },
    state: () => state,
    reset: () => void delete state.n,
  });
  expect(bodies[0]).toBe(ODD);
});

test("check changes every form of an id together, so a Shopify gid matches the id in the body", async () => {
  const bodies: string[] = [];
  const { url } = await startSubscriber(({ body }, response) => {
    bodies.push(body);
    response.end();
  });
  const only = ["valid-event", "other-events"];
  await check({ subscriber: url, sender: "shopify", secret: SECRET, only });
  const orders = bodies.flatMap(
    (body) => /^\{"id":(\d+),.*?"admin_graphql_api_id":"gid:\/\/shopify\/Order\/(\d+)"/.exec(body) ?? [],
  );
  expect(orders.length).toBeGreaterThan(6);
  for (let at = 0; at < orders.length; at += 3) expect(orders[at + 2]).toBe(orders[at + 1]);
  expect(new Set(orders.filter((_, index) => index % 3 === 1)).size).toBeGreaterThan(1);
});

test.each([
  [
    "encoded in Latin-1",
    { body: Buffer.from(ODD.replace("A", "é"), "latin1").toString("base64"), base64: true },
    "its bytes are not UTF-8",
  ],
  [
    "compressed with an unknown encoding",
    { body: "H4sI", base64: true, headers: { "Content-Encoding": "snappy" } },
    "it is compressed (snappy)",
  ],
  [
    "cut off within its compressed data",
    { body: "H4sI", base64: true, headers: { "Content-Encoding": "gzip" } },
    "it cannot be decompressed (gzip: unexpected end of file)",
  ],
])(
  "check rejects a captured body that is %s, and gives its line and the reason",
  async (_what, line, reason) => {
    const events = join(folderOf(), "orders.ndjson");
    writeFileSync(events, `${capturedLine({})}\n${capturedLine(line)}\n`);
    const sender = acme("order.paid: { body: { id: evt_1, type: order.paid, created: 1 } }");
    const message = new RegExp(`^Line 2 of ${events} .*${reason.replaceAll(/[()]/g, "\\$&")}`);
    await expect(
      check({ subscriber: "http://127.0.0.1:1/", sender, secret: SECRET, events }),
    ).rejects.toMatchObject({ message: expect.stringMatching(message), code: "bad_request" });
  },
);

test.each([
  ["gzip", gunzipSync],
  ["br", brotliDecompressSync],
] as const)(
  "sandbox, check and explore compress a body with %s after signing it",
  async (encoding, decompress) => {
    const sender = acme("order.paid: { body: { id: evt_1a2b3c4d, type: order.paid, created: 1 } }");
    writeFileSync(sender, `${readFileSync(sender, "utf8")}\nheaders: { Content-Encoding: ${encoding} }`);
    const isRight = (bytes: Buffer, headers: Pick<Headers, "get">) => {
      const body = decompress(bytes).toString();
      const signature = createHmac("sha256", SECRET).update(body).digest("hex");
      return headers.get("content-encoding") === encoding && headers.get("acme-signature") === signature;
    };
    const seen: boolean[] = [];
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const headers = new Headers(Object.entries(request.headers) as [string, string][]);
      seen.push(isRight(Buffer.concat(chunks), headers));
      response.end();
    });
    const url = `http://127.0.0.1:${await listenForTest(server)}/`;
    await using sandbox = await createSandbox({
      seed: "empty",
      clock: { mode: "paused" },
      senders: [sender],
    });
    await sandbox.webhooks.create({ url, sender: "acme", secret: SECRET });
    const inbox = sandbox.inbox("acme");
    await sandbox.webhooks.create({ url: inbox.url, sender: "acme", secret: SECRET });
    await sandbox.send("order.paid");
    await check({ subscriber: url, sender, secret: SECRET, only: ["valid-event"] });
    let paid = 0;
    await explore({
      subscriber: async (request) => {
        seen.push(isRight(Buffer.from(await request.arrayBuffer()), request.headers));
        paid = 1;
        return new Response();
      },
      reset() {
        paid = 0;
      },
      ...{ state: () => ({ paid }), sender, secret: SECRET, deviations: 1 },
    });
    expect([seen.length > 3, seen.includes(false)]).toEqual([true, false]);
    expect((await inbox.messages())[0]).toMatchObject({ signature: "valid" });
  },
);

test("explore can play a captured body that is compressed", async () => {
  const events = join(folderOf(), "orders.ndjson");
  const body = gzipSync('{"id":"evt_1a2b3c4d","type":"order.paid","created":1,"total":7}').toString("base64");
  writeFileSync(events, `${capturedLine({ body, base64: true, headers: { "Content-Encoding": "gzip" } })}\n`);
  const sender = acme("order.paid: { body: { id: evt_1, type: order.paid, created: 1 } }");
  const { url, received } = await startSubscriber();
  await check({ subscriber: url, sender, secret: SECRET, events, only: ["valid-event"] });
  expect(received[0]!.body).toContain('"total":7');
});

test("the sandbox rejects an unknown Content-Encoding in a sender's file", async () => {
  const sender = acme("order.paid: { body: { id: evt_1, type: order.paid, created: 1 } }");
  writeFileSync(sender, `${readFileSync(sender, "utf8")}\nheaders: { Content-Encoding: snappy }`);
  await expect(readSender(sender)).rejects.toThrow(
    /headers\.Content-Encoding must be one of gzip, deflate, br/,
  );
});

test("a new id is escaped like the one in the example", async () => {
  const { body } = await send(
    acme(`order.paid: { body: '{"id":"a\\\\\\"b-1234","type":"order.paid","created":1}' }`),
    "order.paid",
  );
  expect(JSON.parse(body).id).toMatch(/^[a-z]\\"[a-z]-\d{4}$/);
});

test("a sender does not replace null, true or false where an id is expected", async () => {
  const file = acme("order.paid: { body: { id: null, type: order.paid, created: 1, about: null } }");
  expect((await send(file, "order.paid")).body).toContain('{"id":null,');
});

test("editing one value or merging data leaves every other byte of any JSON unchanged", () => {
  const spaced = fc.tuple(fc.jsonValue(), fc.constantFrom(undefined, 1, "\t"));
  fc.assert(
    fc.property(
      spaced,
      fc.string(),
      fc.jsonValue().map((json) => JSON.parse(JSON.stringify(json))),
      ([value, indent], id, added) => {
        const write = (json: object) => JSON.stringify(json, null, indent).replaceAll("/", "\\/");
        const text = write({ value, id, list: [value] });
        expect(rewrite(text, (_path, written) => written)).toBe(text);
        expect(mergeOver(text, { id, value })).toBe(text);
        const merged = mergeOver(text, { id: `${id}+`, more: added });
        expect(JSON.parse(merged)).toEqual({ ...JSON.parse(text), id: `${id}+`, more: added });
        const own = JSON.stringify(id).replaceAll("/", "\\/");
        // The value may also contain an id.
        const at = write({ value, id }).lastIndexOf(own);
        expect(merged.startsWith(text.slice(0, at))).toBe(true);
        expect(merged).toContain(
          text
            .slice(at + own.length)
            .trimEnd()
            .slice(0, -1)
            .trimEnd(),
        );
      },
    ),
  );
});
