import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { startRawSubscriber } from "../support/raw-subscriber.ts";
import { type Json, startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { at, startShop } from "../support/webhooks.ts";

/** Things that real servers do, and what the delivery must report about each of them. */
const BEHAVIOURS: {
  name: string;
  reply: Parameters<typeof startRawSubscriber>[0];
  tls?: boolean;
  expected: Record<string, unknown>;
}[] = [
  {
    name: "204",
    reply: "HTTP/1.1 204 No Content\r\n\r\n",
    expected: { status: "success", response_code: 204, error: null },
  },
  {
    name: "200 with a body",
    reply: "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok",
    expected: { status: "success", response_code: 200, response_body: "ok", response_size: 2 },
  },
  {
    name: "HTTP/1.0 without a length",
    reply: { text: "HTTP/1.0 200 OK\r\n\r\nfine", after: "end" },
    expected: { status: "success", response_body: "fine" },
  },
  {
    name: "103 Early Hints before 200",
    reply: "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
    expected: { status: "success", response_code: 200 },
  },
  {
    name: "404",
    reply: "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n",
    expected: { response_code: 404, error: "status" },
  },
  {
    name: "500",
    reply: "HTTP/1.1 500 Oops\r\ncontent-length: 4\r\n\r\noops",
    expected: { response_code: 500, error: "status", response_body: "oops" },
  },
  {
    name: "closed before the headers",
    reply: { text: "", after: "end" },
    expected: { response_code: null, error: "connection_reset" },
  },
  {
    name: "reset after the headers",
    reply: { text: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n", after: "reset" },
    expected: { response_code: 200, error: "invalid_response" },
  },
  {
    name: "Content-Length too long, then closed",
    reply: { text: "HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nshort", after: "end" },
    expected: { response_code: 200, error: "invalid_response", response_body: "short" },
  },
  {
    name: "a chunked response that is closed before its last chunk",
    reply: { text: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n", after: "end" },
    expected: {
      response_code: 200,
      error: "invalid_response",
      error_detail: expect.stringContaining("last chunk"),
      response_body: "hello",
    },
  },
  {
    name: "a chunked response that is closed after its headers",
    reply: { text: "HTTP/1.1 500 Oops\r\ntransfer-encoding: chunked\r\n\r\n", after: "end" },
    expected: { response_code: 500, error: "invalid_response", response_body: "" },
  },
  ...["transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n", "content-length: 50\r\n\r\nhello"].map((rest) => ({
    name: `an answer that announces its close and closes too early: ${rest.split(":")[0]}`,
    reply: { text: `HTTP/1.1 200 OK\r\nconnection: close\r\n${rest}`, after: "end" as const },
    expected: {
      response_code: 200,
      error: "invalid_response",
      response_body: "hello",
    },
  })),
  {
    name: "Content-Length too long, then silence",
    reply: "HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nshort",
    expected: { response_code: 200, error: "timeout" },
  },
  {
    name: "headers and then silence",
    reply: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
    expected: { response_code: 200, error: "timeout" },
  },
  {
    name: "half a status line and then silence",
    reply: "HTTP/1.1 20",
    expected: { response_code: null, error: "timeout" },
  },
  {
    name: "an endless response sent one byte at a time",
    reply: { text: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", after: "drip" },
    expected: { response_code: 200, error: "timeout" },
  },
  {
    name: "an endless body",
    reply: {
      text: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
      after: { flood: `10000\r\n${"x".repeat(65_536)}\r\n` },
    },
    expected: { response_code: 200, error: "timeout" },
  },
  ...["100 Continue\r\n", "103 Early Hints\r\nlink: </a>\r\n"].map((interim) => ({
    name: `endless interim responses: ${interim.slice(0, 3)}`,
    reply: { text: "", after: { flood: `HTTP/1.1 ${interim}\r\n`.repeat(200) } },
    expected: { response_code: null, error: "timeout" },
  })),
  {
    name: "a response that is not HTTP",
    reply: { text: "SSH-2.0-OpenSSH_9.2\r\n", after: "end" },
    expected: { response_code: null, error: "invalid_response" },
  },
  ...[
    "HTTP/1.1 100 Continue\r\n\r\n",
    "HTTP/1.1 100 Continue\r\nx-early: 1\r\ncontent-length: 3\r\n\r\n",
    "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n".repeat(500),
  ].map((interim) => ({
    name: `200 after ${JSON.stringify(interim.slice(0, 60))} (${interim.length} bytes)`,
    reply: `${interim}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`,
    expected: { status: "success", response_code: 200, response_body: "ok" },
  })),
  {
    name: "100 Continue, then closed",
    reply: { text: "HTTP/1.1 100 Continue\r\n\r\n", after: "end" },
    expected: {
      response_code: null,
      error: "connection_reset",
      error_detail: "Closed the connection without a response (UND_ERR_SOCKET).",
    },
  },
  ...["", "connection: upgrade\r\nupgrade: websocket\r\n"].map((headers) => ({
    name: `101 with the headers ${JSON.stringify(headers)}`,
    reply: `HTTP/1.1 101 Switching Protocols\r\n${headers}\r\n`,
    expected: {
      response_code: null,
      error: "invalid_response",
      error_detail: "Returned 101 Switching Protocols, which the request did not ask for.",
    },
  })),
  ...["", "HTTP/1.1 103 Early Hints\r\n\r\n"].map((before) => ({
    name: `headers of 20 KiB${before && " after an interim response"}`,
    reply: `${before}HTTP/1.1 200 OK\r\nx-large: ${"a".repeat(20_000)}\r\n\r\n`,
    expected: {
      response_code: null,
      error: "invalid_response",
      error_detail: "Responded with more than 16 KiB of headers.",
    },
  })),
  ...[
    ["content-length: 2\r\ncontent-length: 2", "Duplicate Content-Length"],
    ["content-length: 2\r\ncontent-length: 3", "Duplicate Content-Length"],
    [
      "content-length: 2\r\ntransfer-encoding: chunked",
      "Transfer-Encoding can't be present with Content-Length",
    ],
    [
      "transfer-encoding: chunked\r\ncontent-length: 2",
      "Content-Length can't be present with Transfer-Encoding",
    ],
    ["content-length: 2\r\nx-bad: a\u0001", "Invalid header value char"],
    ["content-length: two", "Invalid character in Content-Length"],
  ].map(([headers, why]) => ({
    name: `200 with the headers ${JSON.stringify(headers)}`,
    reply: `HTTP/1.1 200 OK\r\n${headers}\r\n\r\nab`,
    expected: {
      response_code: null,
      error: "invalid_response",
      error_detail: `Responded with invalid HTTP (${why}).`,
    },
  })),
  {
    name: "status 099",
    reply: "HTTP/1.1 099 Early\r\ncontent-length: 0\r\n\r\n",
    expected: {
      response_code: null,
      error: "invalid_response",
      error_detail: "Returned 099, which is not an HTTP status.",
    },
  },
  ...["content-length: 2\r\n\r\nabcdef", "content-length: 2\r\n\r\nabHTTP/1.1 500 No\r\n\r\n"].map(
    (rest) => ({
      name: `more bytes than the answer has: ${JSON.stringify(rest)}`,
      reply: `HTTP/1.1 200 OK\r\n${rest}`,
      expected: { status: "success", response_code: 200, response_body: "ab" },
    }),
  ),
  {
    name: "a binary response",
    reply: Buffer.concat([
      Buffer.from("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n"),
      Buffer.from([0xff, 0xfe, 0x00, 0x01]),
    ]),
    expected: { status: "success", response_body: "//4AAQ==", response_body_encoding: "base64" },
  },
  {
    name: "TLS with a self-signed certificate",
    reply: "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
    tls: true,
    expected: { response_code: null, error: "tls" },
  },
];

/**
 * Sends a payment to an endpoint at each URL, and returns their deliveries after 30 s.
 * @param settleTimeout how many milliseconds the subscribers have to respond; use a low value if no response is
 *   expected
 */
async function deliverTo(urls: readonly string[], settleTimeout = 20_000): Promise<Json[]> {
  const sandbox = await startSandbox({ settleTimeout });
  const ids: string[] = [];
  for (const url of urls) {
    const { id } = await sandbox.createWebhook(url, { events: ["payment.completed"] });
    ids.push(id);
  }
  await sandbox.pay({ payment_link_id: (await sandbox.createLink()).id });
  await sandbox.advance("30s");
  const deliveries = await Promise.all(ids.map((id) => sandbox.deliveries(id)));
  for (const own of deliveries) expect(own).toHaveLength(1);
  return deliveries.map(([delivery]) => delivery);
}

test.each([
  ["responds in any way", (error: unknown) => error !== "timeout", undefined],
  ["never ends its response", (error: unknown) => error === "timeout", 200],
] as const)(
  "the delivery to a subscriber that %s records exactly what it did [fidelity: Webhooks › Complete answer · Deliveries › Stored answer]",
  async (_does, isMeant, settleTimeout) => {
    const behaviours = BEHAVIOURS.filter(({ expected }) => isMeant(expected.error));
    const subscribers = await Promise.all(
      behaviours.map(({ reply, tls }) => startRawSubscriber(reply, { tls: tls ?? false })),
    );
    const deliveries = await deliverTo(
      subscribers.map(({ url }) => url),
      settleTimeout,
    );
    for (const [index, { name, expected }] of behaviours.entries()) {
      const status = expected.error ? "failed" : "success";
      expect(deliveries[index], name).toMatchObject({ status, ...expected });
      if (status === "failed") expect(deliveries[index].error_detail, name).toEqual(expect.any(String));
    }
  },
);

test("redirects are not followed, and a host outside this machine is never resolved [fidelity: Webhooks › Redirects]", async () => {
  const statuses = [301, 302, 303, 307, 308];
  const target = await startSubscriber(200);
  const redirects = await Promise.all(
    statuses.map((status) =>
      startSubscriber(
        (_received, response) => void response.writeHead(status, { location: target.url }).end(),
      ),
    ),
  );
  const gone = await startSubscriber(200);
  await gone.close();
  const urls = redirects.map(({ url }) => url);
  const deliveries = await deliverTo([...urls, gone.url, "https://hooks.example.com/x"]);
  expect(deliveries).toMatchObject([
    ...statuses.map((status) => ({ status: "failed", response_code: status, error: "redirect" })),
    { status: "failed", response_code: null, error: "connection_refused" },
    { status: "failed", response_code: null, error: "blocked_by_network_policy", duration_ms: 0 },
  ]);
  expect(deliveries.at(-1).error_detail).toContain("allowExternal");
  expect(target.received).toEqual([]);
});

test.each([
  ["410", 410, {}],
  ["Retry-After", 503, { "retry-after": "7200" }],
])(
  "%s in a response is recorded and does not change the retry schedule [fidelity: Webhooks › 410 and Retry-After]",
  async (_name, status, headers) => {
    const subscriber = await startSubscriber(
      (_received, response) => void response.writeHead(status, headers).end(),
    );
    const sandbox = await startSandbox();
    const shop = await startShop(sandbox, subscriber.url);
    await shop.pay();
    const [record] = await sandbox.deliveries(shop.webhook.id);
    expect(record).toMatchObject({ response_code: status, next_attempt_at: at(60) });
    expect(record.response_headers).toMatchObject(headers);
    await sandbox.advance("1d");
    expect(subscriber.received).toHaveLength(4);
    expect((await shop.state()).status).toBe("enabled");
  },
);

test("a connection that received interim responses is reused for the next delivery", async () => {
  const ports = new Set<number | undefined>();
  const subscriber = await startSubscriber((_received, response) => {
    ports.add(response.socket!.remotePort);
    response.writeContinue();
    response.writeEarlyHints({ link: "</style.css>; rel=preload" });
    response.writeHead(200).end();
  });
  const sandbox = await startSandbox({ settleTimeout: 10_000 });
  const webhook = await sandbox.createWebhook(subscriber.url);
  for (let sent = 0; sent < 5; sent += 1) await sandbox.api("POST", `/webhooks/${webhook.id}/test`);
  for (const delivery of await sandbox.deliveries(webhook.id))
    expect(delivery).toMatchObject({ status: "success", response_code: 200 });
  expect(ports.size).toBeLessThan(5);
});

test("a response is read to the end, and its headers and first 16 KiB are stored [fidelity: Deliveries › Stored answer]", async () => {
  const bomb = gzipSync(Buffer.alloc(20_000_000));
  const answers: [Record<string, string>, Buffer | string][] = [
    [{}, Buffer.alloc(5_000_000, "a")],
    [{ "x-app": "shop" }, "é".repeat(20_000)],
    [{ "content-encoding": "gzip" }, bomb],
  ];
  const subscribers = await Promise.all(
    answers.map(([headers, body]) =>
      startSubscriber((_received, response) => void response.writeHead(200, headers).end(body)),
    ),
  );
  // Every name below localhost refers to this machine.
  const urls = subscribers.map(({ url }) => url.replace("127.0.0.1", "shop.localhost"));
  expect(await deliverTo(urls)).toMatchObject([
    { status: "success", response_size: 5_000_000, response_body: "a".repeat(16_384) },
    {
      response_headers: { "x-app": "shop" },
      response_body: "é".repeat(8_192),
      response_body_encoding: "utf8",
      response_size: 40_000,
    },
    { status: "success", response_size: bomb.length, response_body_encoding: "base64" },
  ]);
});

test("a hanging subscriber delays no other subscriber on a live clock", async () => {
  const hanging = await startSubscriber(() => undefined);
  const fast = await startSubscriber(200);
  const sandbox = await startSandbox({ clock: { mode: "live" }, settleTimeout: 50 });
  await sandbox.createWebhook(hanging.url);
  await sandbox.createWebhook(fast.url, { events: ["payment.completed"] });
  const link = await sandbox.createLink();
  for (let round = 0; round < 5; round += 1) await sandbox.pay({ payment_link_id: link.id });
  await fast.arrived(5);
  expect(fast.received).toHaveLength(5);
});

test.each([
  ["a".repeat(200), "a".repeat(200)],
  ["a".repeat(201), `${"a".repeat(199)}…`],
  [`${"a".repeat(198)}😀b`, `${"a".repeat(198)}…`],
])(
  "the journal quotes at most 200 characters of a response and never splits a character: case %#",
  async (body, quoted) => {
    const sandbox = await startSandbox();
    const subscriber = await startSubscriber((_received, response) => void response.end(body));
    await (await startShop(sandbox, subscriber.url)).pay();
    expect(await sandbox.journal("delivery.succeeded")).toMatchObject([{ data: { response_body: quoted } }]);
  },
);
