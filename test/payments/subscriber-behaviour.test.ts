import { expect, test } from "vitest";
import { startRawSubscriber } from "../support/raw-subscriber.ts";
import { type Json, startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";

/** What a real server does, and what the delivery's record must say of it. */
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
    name: "410",
    reply: "HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n",
    expected: { response_code: 410, error: "status" },
  },
  {
    name: "500",
    reply: "HTTP/1.1 500 Oops\r\ncontent-length: 4\r\n\r\noops",
    expected: { response_code: 500, error: "status", response_body: "oops" },
  },
  {
    name: "429 with Retry-After, which changes nothing",
    reply: "HTTP/1.1 429 Slow down\r\nretry-after: 3600\r\ncontent-length: 0\r\n\r\n",
    expected: {
      response_code: 429,
      error: "status",
      response_headers: expect.objectContaining({ "retry-after": "3600" }),
      next_attempt_at: "2026-01-15T09:01:00.000Z",
    },
  },
  {
    name: "reset before the headers",
    reply: { text: "", after: "reset" },
    expected: { response_code: null, error: "connection_reset" },
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
    name: "a chunked answer that is closed before its last chunk",
    reply: { text: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n", after: "end" },
    expected: {
      response_code: 200,
      error: "invalid_response",
      error_detail: expect.stringContaining("last chunk"),
      response_body: "hello",
    },
  },
  {
    name: "a chunked answer that is closed after its headers",
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
    name: "a byte now and then for ever",
    reply: { text: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", after: "drip" },
    expected: { response_code: 200, error: "timeout" },
  },
  {
    name: "a body without end",
    reply: {
      text: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
      after: { flood: `10000\r\n${"x".repeat(65_536)}\r\n` },
    },
    expected: { response_code: 200, error: "timeout" },
  },
  ...["100 Continue\r\n", "103 Early Hints\r\nlink: </a>\r\n"].map((interim) => ({
    name: `interim answers without end: ${interim.slice(0, 3)}`,
    reply: { text: "", after: { flood: `HTTP/1.1 ${interim}\r\n`.repeat(200) } },
    expected: { response_code: null, error: "timeout" },
  })),
  {
    name: "a header a moment, without end",
    reply: { text: "HTTP/1.1 200 OK\r\n", after: { flood: "x-a: b\r\n" } },
    expected: { response_code: null, error: expect.stringMatching(/^(?:timeout|invalid_response)$/) },
  },
  {
    name: "no HTTP at all",
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
      error_detail: "Closed the connection without an answer (UND_ERR_SOCKET).",
    },
  },
  ...["", "connection: upgrade\r\nupgrade: websocket\r\n"].map((headers) => ({
    name: `101 with the headers ${JSON.stringify(headers)}`,
    reply: `HTTP/1.1 101 Switching Protocols\r\n${headers}\r\n`,
    expected: {
      response_code: null,
      error: "invalid_response",
      error_detail: "Answered 101 Switching Protocols, which the request did not ask for.",
    },
  })),
  ...["", "HTTP/1.1 103 Early Hints\r\n\r\n"].map((before) => ({
    name: `headers of 20 KiB${before && " after an interim response"}`,
    reply: `${before}HTTP/1.1 200 OK\r\nx-large: ${"a".repeat(20_000)}\r\n\r\n`,
    expected: {
      response_code: null,
      error: "invalid_response",
      error_detail: "Answered with more than 16 KiB of headers.",
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
      error_detail: `Answered with invalid HTTP (${why}).`,
    },
  })),
  {
    name: "status 099",
    reply: "HTTP/1.1 099 Early\r\ncontent-length: 0\r\n\r\n",
    expected: {
      response_code: null,
      error: "invalid_response",
      error_detail: "Answered 099, which is not an HTTP status.",
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
    name: "a binary answer",
    reply: Buffer.concat([
      Buffer.from("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n"),
      Buffer.from([0xff, 0xfe, 0x00, 0x01]),
    ]),
    expected: { status: "success", response_body: "//4AAQ==", response_body_encoding: "base64" },
  },
  {
    name: "TLS with a certificate of its own making",
    reply: "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
    tls: true,
    expected: { response_code: null, error: "tls" },
  },
];

/** @param settleTimeout milliseconds that the subscriber has for its answer: few where it is not to come */
async function deliverTo(url: string, settleTimeout = 10_000): Promise<Json> {
  const sandbox = await startSandbox({ settleTimeout });
  const webhook = await sandbox.createWebhook(url, { events: ["payment.completed"] });
  const link = await sandbox.createLink();
  await sandbox.pay({ payment_link_id: link.id });
  await sandbox.advance("30s");
  const [delivery, ...others] = await sandbox.deliveries(webhook.id);
  expect(others).toEqual([]);
  return delivery;
}

test.each(BEHAVIOURS)("a subscriber is recorded as it behaves: $name", async ({ reply, tls, expected }) => {
  const subscriber = await startRawSubscriber(reply, { tls: tls ?? false });
  const delivery = await deliverTo(subscriber.url, expected.error === "timeout" ? 200 : undefined);
  expect(delivery).toMatchObject({ status: expected.error ? "failed" : "success", ...expected });
  if (delivery.error !== null) expect(delivery.error_detail).toEqual(expect.any(String));
});

test.each([301, 302, 307, 308])("a redirect with %i is not followed", async (status) => {
  const target = await startSubscriber(200);
  const subscriber = await startSubscriber(
    (_received, response) => void response.writeHead(status, { location: target.url }).end(),
  );
  expect(await deliverTo(subscriber.url)).toMatchObject({
    status: "failed",
    response_code: status,
    error: "redirect",
  });
  expect(target.received).toEqual([]);
});

test("a port without a listener refuses the connection", async () => {
  const subscriber = await startSubscriber(200);
  await subscriber.close();
  expect(await deliverTo(subscriber.url)).toMatchObject({
    status: "failed",
    response_code: null,
    error: "connection_refused",
  });
});

test("a connection that had interim answers is used for the next delivery", async () => {
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

test("a 5 MB answer is read to its end, and its first 16 KiB are stored", async () => {
  const subscriber = await startSubscriber(
    (_received, response) => void response.writeHead(200).end(Buffer.alloc(5_000_000, "a")),
  );
  const delivery = await deliverTo(subscriber.url);
  expect(delivery).toMatchObject({ status: "success", response_size: 5_000_000 });
  expect(delivery.response_body).toHaveLength(16_384);
});

test("a gzip bomb stays packed", async () => {
  const { gzipSync } = await import("node:zlib");
  const bomb = gzipSync(Buffer.alloc(20_000_000));
  const subscriber = await startSubscriber(
    (_received, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end(bomb),
  );
  expect(await deliverTo(subscriber.url)).toMatchObject({
    status: "success",
    response_size: bomb.length,
    response_body_encoding: "base64",
  });
});

test("https to another machine is not even looked up", async () => {
  expect(await deliverTo("https://hooks.example.com/x")).toMatchObject({
    status: "failed",
    error: "blocked_by_network_policy",
    duration_ms: 0,
  });
});

test("every name under localhost is this machine", async () => {
  const subscriber = await startSubscriber(200);
  expect(await deliverTo(subscriber.url.replace("127.0.0.1", "shop.localhost"))).toMatchObject({
    status: "success",
  });
});

test("a subscriber that hangs holds up no other in live mode", async () => {
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
