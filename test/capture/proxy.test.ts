import { hash } from "node:crypto";
import { createServer, type IncomingMessage, request as send } from "node:http";
import { type AddressInfo, connect } from "node:net";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { bodyBytes, type CapturedRequest } from "../../src/capture/capture-file.ts";
import { startProxy } from "../../src/capture/proxy.ts";
import { createWaiting } from "../support/patience.ts";

interface Seen {
  method: string;
  path: string;
  headers: string[];
  body: Buffer;
}

async function readAll(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Starts a handler that responds with the hash of what it received, and a proxy in front of it. */
async function startBoth(path = "") {
  const seen: Seen[] = [];
  const handler = createServer(async (request, response) => {
    const body = await readAll(request);
    seen.push({ method: request.method!, path: request.url!, headers: request.rawHeaders, body });
    if (request.url === "/never") return;
    response.writeHead(207, "Many", ["X-Got", hash("sha256", body), "x-twice", "1", "x-twice", "2"]);
    response.end(Buffer.from([0, 255, 10]));
  });
  await new Promise<void>((resolve) => handler.listen(0, "127.0.0.1", resolve));
  const captured: CapturedRequest[] = [];
  const refused: string[] = [];
  const fail: { with?: Error | undefined } = {};
  const waiting = createWaiting();
  const proxy = await startProxy({
    port: 0,
    target: `http://127.0.0.1:${(handler.address() as AddressInfo).port}${path}`,
    took(request) {
      if (fail.with) throw fail.with;
      captured.push(request);
      waiting.check();
    },
    refused: (why) => void refused.push(why),
  });
  const stopHandler = () => {
    handler.closeAllConnections();
    handler.close();
  };
  onTestFinished(() => {
    stopHandler();
    return proxy.close();
  });
  return {
    ...{ proxy, seen, captured, refused, fail, stopHandler },
    took: (count: number) =>
      waiting.until(
        () => captured.length >= count,
        () => `${captured.length} of ${count} requests were captured.`,
      ),
  };
}

interface Sent {
  method?: string;
  path?: string;
  headers?: string[];
  body?: Buffer;
}

function post(
  url: string,
  {
    method = "POST",
    path = "/",
    body = Buffer.alloc(0),
    headers = ["Host", "a", "Content-Length", String(body.length)],
  }: Sent,
) {
  return new Promise<{ answer: IncomingMessage; body: Buffer }>((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const sending = send({ hostname, port, method, path, headers: headers as never });
    sending
      .on("error", reject)
      .on("response", async (answer) => resolve({ answer, body: await readAll(answer) }));
    sending.end(body);
  });
}

/** Headers that are passed on but not stored. */
const SECRET = ["Cookie", "a=b", "Authorization", "Bearer secret", "PROXY-authorization", "Basic secret"];

test("capture forwards requests and responses byte for byte, and stores the requests as received", async () => {
  const { proxy, seen, captured } = await startBoth();
  const bodies = fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }).map((text) => Buffer.from(text)),
    fc.json().map((text) => Buffer.from(`\ufeff ${text}\n`)),
    fc.uint8Array({ maxLength: 5_000 }).map((bytes) => Buffer.from(bytes)),
    fc.constant(Buffer.alloc(1024 ** 2, "é")),
  );
  await fc.assert(
    fc.asyncProperty(bodies, fc.boolean(), async (body, chunked) => {
      const framing = chunked ? ["Transfer-Encoding", "chunked"] : ["Content-Length", String(body.length)];
      const headers = ["Host", "hooks.example", "X-SIGned", "a  b", "x-more", "1", "X-More", "2"];
      const path = "/a%20b/../?c=1&&d";
      const { answer, body: answered } = await post(proxy.url, {
        ...{ method: "PUT", path, body },
        headers: [...headers, ...framing, ...SECRET],
      });
      const got = seen.at(-1)!;
      const line = captured.at(-1)!;
      expect([got.method, got.path, line.method, line.path]).toEqual(["PUT", path, "PUT", path]);
      for (const bytes of [got.body, bodyBytes(line)])
        expect(hash("sha256", bytes)).toBe(hash("sha256", body));
      expect(got.headers.slice(0, headers.length)).toEqual(headers);
      expect(got.headers).toEqual(expect.arrayContaining(SECRET));
      expect(line.headers).toMatchObject({ Host: "hooks.example", "X-SIGned": "a  b" });
      expect(JSON.stringify(line)).not.toMatch(/secret|a=b/);
      expect(answer).toMatchObject({ statusCode: 207, statusMessage: "Many" });
      expect(answer.rawHeaders.slice(0, 6)).toEqual([
        "X-Got",
        hash("sha256", body),
        "x-twice",
        "1",
        "x-twice",
        "2",
      ]);
      expect(answered).toEqual(Buffer.from([0, 255, 10]));
      expect(line).toMatchObject({ status: 207, time: expect.stringMatching(/^\d{4}-.*Z$/) });
    }),
    { numRuns: 12 },
  );
});

test.each([
  ["/webhooks?from=capture", "/other?id=7", "/webhooks?from=capture&id=7"],
  ["/webhooks?from=capture", "/", "/webhooks?from=capture"],
  ["/webhooks", "/other?id=7&", "/webhooks?id=7&"],
  ["/webhooks", "/other?", "/webhooks?"],
  ["/?from=capture", "/other?id=7?", "/other?from=capture&id=7?"],
  ["?from=capture", "/other", "/other?from=capture"],
  ["", "/other?id=7", "/other?id=7"],
])("capture --forward-to %s forwards a request for %s to %s", async (to, path, expected) => {
  const { proxy, seen, captured } = await startBoth(to);
  await post(proxy.url, { path });
  expect(seen.map((request) => request.path)).toEqual([expected]);
  expect(captured.map((request) => request.path)).toEqual([path]);
});

test("capture forwards a chunked request without its trailers", async () => {
  const { proxy, seen, captured } = await startBoth();
  const headers = ["Host", "a", "Trailer", "x-sum", "Transfer-Encoding", "chunked"];
  const { answer } = await post(proxy.url, { headers, body: Buffer.from("{}") });
  expect(answer.statusCode).toBe(207);
  expect(seen.map(({ body }) => String(body))).toEqual(["{}"]);
  expect(captured).toMatchObject([{ status: 207, headers: { Trailer: "x-sum" } }]);
});

test("capture returns 413 for a body over the limit, and neither forwards nor stores it", async () => {
  const { proxy, seen, captured } = await startBoth();
  const { answer, body } = await post(proxy.url, { body: Buffer.alloc(64 * 1024 ** 2 + 1) });
  expect([answer.statusCode, String(body)]).toEqual([
    413,
    "sandglass capture: The body of POST / is larger than 64 MiB. It was not forwarded.\n",
  ]);
  expect([seen, captured]).toEqual([[], []]);
});

test("capture returns 507 for a request that it cannot store, and accepts the next one", async () => {
  const { proxy, seen, captured, refused, fail } = await startBoth();
  fail.with = new Error("Cannot write shop.ndjson: no space left on device (ENOSPC).");
  const { answer, body } = await post(proxy.url, { path: "/one" });
  const why =
    "POST /one was forwarded, but not stored: Cannot write shop.ndjson: no space left on device (ENOSPC).";
  expect([answer.statusCode, answer.headers["x-got"], String(body)]).toEqual([
    507,
    undefined,
    `sandglass capture: ${why}\n`,
  ]);
  expect(refused).toEqual([why]);
  fail.with = undefined;
  expect((await post(proxy.url, { path: "/one" })).answer.statusCode).toBe(207);
  expect(captured.map(({ status }) => status)).toEqual([207]);
  expect(seen).toHaveLength(2);
});

test("capture returns 502 with a hint if the server is down, and stores the request with the error", async () => {
  const { proxy, captured, stopHandler } = await startBoth();
  stopHandler();
  const { answer, body } = await post(proxy.url, { body: Buffer.from("{}") });
  expect(answer.statusCode).toBe(502);
  expect(String(body)).toMatch(/127\.0\.0\.1:\d+ refused the connection .*Start your server there/);
  expect(captured).toMatchObject([
    { status: 502, error: expect.stringMatching(/^127\.0\.0\.1:\d+ refused the connection/), body: "{}" },
  ]);
});

test("capture stores a request without a status if its sender disconnects before the response", async () => {
  const { proxy, seen, captured, took } = await startBoth();
  const { hostname, port } = new URL(proxy.url);
  const leaving = send({ hostname, port, method: "POST", path: "/never" }).on("error", () => undefined);
  leaving.end("{}");
  await expect.poll(() => seen.length).toBe(1);
  leaving.destroy();
  await took(1);
  expect(captured).toMatchObject([{ status: null, error: expect.stringContaining("closed the connection") }]);
});

test("capture does not store a truncated request, and accepts the next one", async () => {
  const { proxy, seen, captured } = await startBoth();
  const cut = connect(Number(new URL(proxy.url).port), "127.0.0.1");
  const closed = new Promise((resolve) => cut.on("close", resolve));
  cut.resume().end("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf");
  await closed;
  await post(proxy.url, { body: Buffer.from("whole") });
  expect(captured.map(({ body }) => body)).toEqual(["whole"]);
  expect(seen.map(({ body }) => String(body))).toEqual(["whole"]);
});
