import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { lookup } from "node:dns/promises";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createConnectionServer } from "../../src/http/connections.ts";
import { AREAS as SHIPPED } from "../../src/sandbox/areas.ts";
import { listenForTest } from "../support/listen.ts";
import { listenBySocket } from "../support/live.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { type Json, startSandbox } from "../support/sandbox.ts";
import { sharedSandbox } from "../support/shared.ts";

/** Errors at the level of HTTP have the format that docs/errors.md specifies, whichever path was requested. */

const sandbox = sharedSandbox();

interface RawAnswer {
  status: number;
  headers: string;
  body: Json;
}

/** Sends the bytes unchanged, and reads until the server closes the connection. */
async function send(url: string, ...parts: (string | Buffer)[]): Promise<RawAnswer> {
  const socket = connect(Number(new URL(url).port), new URL(url).hostname.replace(/[[\]]/g, ""));
  onTestFinished(() => void socket.destroy());
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => void chunks.push(chunk));
  for (const part of parts) socket.write(part);
  await new Promise((resolve, reject) => socket.on("end", resolve).on("error", reject));
  return read(Buffer.concat(chunks).toString());
}

function read(text: string): RawAnswer {
  const [headers = "", body = ""] = text.split("\r\n\r\n", 2);
  return { status: Number(headers.split(" ")[1]), headers, body: JSON.parse(body) };
}

const HOST = "Host: 127.0.0.1\r\n";
/** Send the key, so the response is about the error being tested and not about a missing key. */
const HEAD = `${HOST}Authorization: Bearer sk_sandbox_write\r\nContent-Type: application/json\r\n`;
const PATHS = {
  platform: "/platform/api/v1/payment-links",
  lookup: "/data/insights/v1/tokens/lookup",
  data: "/data/insights/v1/addresses",
  game: "/w/default/game/launcher/set-state",
  control: "/_sandbox/status",
};

/** The body of an error in the format that docs/errors.md specifies for the area. */
function form(area: keyof typeof PATHS, status: number): Json {
  const message = expect.stringMatching(/\.$/);
  switch (area) {
    case "platform":
      return { error: { type: "invalid_request_error", code: "invalid_field_value", message } };
    case "lookup":
      return { error: message };
    case "data":
      return { message };
    case "game": {
      const [name, className] = status === 408 ? ["Timeout", "timeout"] : ["BadRequest", "bad-request"];
      return { name, message, code: status, className, data: { success: false, error: message } };
    }
    case "control":
      return { error: { code: "bad_request", message, hint: expect.stringMatching(/\.$/) } };
  }
}

const REFUSED: [string, number, (path: string) => string][] = [
  [
    "headers beyond the limit",
    431,
    (path) => `GET ${path} HTTP/1.1\r\n${HOST}X-Long: ${"x".repeat(100_000)}\r\n\r\n`,
  ],
  [
    "a request line beyond the limit",
    431,
    (path) => `GET ${path}?${"x".repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n`,
  ],
  ["a malformed header", 400, (path) => `GET ${path} HTTP/1.1\r\n${HOST}Bad Header: x\r\n\r\n`],
  ["an unsupported version", 400, (path) => `GET ${path} HTTP/9.9\r\n${HOST}\r\n`],
  ["no Host header", 400, (path) => `GET ${path} HTTP/1.1\r\n\r\n`],
  [
    "two Content-Length headers",
    400,
    (path) => `POST ${path} HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nx`,
  ],
  [
    "an unknown expectation",
    417,
    (path) => `POST ${path} HTTP/1.1\r\n${HOST}Expect: the-unexpected\r\nContent-Length: 0\r\n\r\n`,
  ],
];
const AREAS = Object.keys(PATHS) as (keyof typeof PATHS)[];

test.each(REFUSED)(
  "a request with %s is rejected with %i in the format of each area [fidelity: API › Refused by HTTP]",
  async (_what, status, request) => {
    for (const area of AREAS) {
      const answer = await send(sandbox.url, request(PATHS[area]));
      expect(answer, area).toMatchObject({ status, body: form(area, status) });
      expect(answer.headers).toMatch(/content-type: application\/json; charset=utf-8/);
    }
  },
);

/** Sends bytes and then closes only the sending side. */
async function sendAndEnd(url: string, text: string): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => void chunks.push(chunk));
  socket.end(text);
  await new Promise((resolve, reject) => socket.on("end", resolve).on("error", reject));
  return read(Buffer.concat(chunks).toString());
}

/** Requests that read a body. The server responds to all others before reading one. */
const WITH_BODIES = [
  ["platform", PATHS.platform],
  ["game", PATHS.game],
  ["control", "/_sandbox/reset"],
] as const;

test("an unreadable or truncated body is rejected with 400 in the format of each area", async () => {
  for (const [area, path] of WITH_BODIES) {
    const refused = { status: 400, body: form(area, 400) };
    const post = `POST ${path} HTTP/1.1\r\n${HEAD}`;
    const chunked = `${post}Transfer-Encoding: chunked\r\n\r\nno chunk\r\n`;
    expect(await send(sandbox.url, chunked), area).toMatchObject(refused);
    const cut = `${post}Content-Length: 10\r\n\r\n{"`;
    expect(await sendAndEnd(sandbox.url, cut), area).toMatchObject(refused);
  }
});

test("a request without a complete path is rejected in the control API's format", async () => {
  const answer = await sendAndEnd(sandbox.url, `POST ${PATHS.platform} HTTP/1.1\r\nX-Cut`);
  expect(answer).toMatchObject({ status: 400, body: form("control", 400) });
});

test("an error on an area's own port has that area's format", async () => {
  const port = await portOfItsOwn();
  await startSandbox({ ports: { game: port } });
  const answer = await send(`http://127.0.0.1:${port}`, REFUSED[0]![2]("/launcher/set-state"));
  expect(answer).toMatchObject({ status: 431, body: form("game", 431) });
});

test("a sandbox accepts WebSockets and rejects bad requests on each address of its host name", async () => {
  const { url } = await startSandbox({ host: "localhost" });
  for (const { address, family } of await lookup("localhost", { all: true })) {
    const host = family === 6 ? `[${address}]` : address;
    const at = `http://${host}:${new URL(url).port}`;
    expect((await fetch(`${at}/_sandbox/status`)).status, host).toBe(200);
    const refused = { status: 400, body: form("control", 400) };
    expect(await send(at, "hello\r\n\r\n"), host).toMatchObject(refused);
    (await listenBySocket(at)).close();
  }
});

test("the server sends only one response if a body turns out to be invalid after the response was sent", async () => {
  // The area's app is created on its first request; the responses to later requests are sent while the requests are
  // still being read.
  await fetch(sandbox.url + PATHS.platform);
  const { hostname, port } = new URL(sandbox.url);
  const socket = connect(Number(port), hostname);
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  socket.write(`POST ${PATHS.platform} HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nno chunk\r\n`);
  await new Promise((resolve) => socket.on("close", resolve));
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 401"]);
});

test("bytes that are not HTTP are rejected, and a TLS handshake gets a hint", async () => {
  expect(await send(sandbox.url, "hello\r\n\r\n")).toMatchObject({ status: 400, body: form("control", 400) });
  const hello = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]);
  const { body } = await send(sandbox.url, hello);
  expect(body.error.hint).toContain("http://");
});

test("CONNECT is rejected because Sandglass is not a proxy", async () => {
  const answer = await send(sandbox.url, `CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n`);
  expect(answer).toMatchObject({ status: 405, body: form("control", 405) });
  expect(answer.body.error.message).toContain("example.com:443");
});

test("a request that does not arrive in time is rejected in its area's format", async () => {
  const server = createConnectionServer((request) => void request.resume(), {
    // A busy machine reads the headers well within this time.
    requestTimeout: 1_000,
    headersTimeout: 1_000,
    checkEvery: 20,
    areas: SHIPPED,
  });
  const port = await listenForTest(server);
  const late = (text: string) => send(`http://127.0.0.1:${port}`, text);
  const [headless, ...bodiless] = await Promise.all([
    late("GET / HTTP/1.1\r\nHost"),
    ...AREAS.map((area) => late(`POST ${PATHS[area]} HTTP/1.1\r\n${HOST}Content-Length: 10\r\n\r\nx`)),
  ]);
  expect(headless).toMatchObject({ status: 408, body: form("control", 408) });
  for (const [index, area] of AREAS.entries())
    expect(bodiless[index], area).toMatchObject({ status: 408, body: form(area, 408) });
});

test("a response in progress is cut off when invalid bytes follow", async () => {
  const { hostname, port } = new URL(sandbox.url);
  const socket = connect(Number(port), hostname);
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    if (text === "") socket.write("no HTTP\r\n\r\n");
    text += chunk;
  });
  socket.write(`GET /_sandbox/live HTTP/1.1\r\n${HOST}Accept: text/event-stream\r\n\r\n`);
  await new Promise((resolve) => socket.on("close", resolve));
  expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
});

test("an Upgrade to an unsupported protocol is ignored, and the connection remains usable [fidelity: API › Upgrades]", async () => {
  const offer = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAA\r\n";
  const body = JSON.stringify({ name: "Tea" });
  const key = `Authorization: Bearer ${sandbox.keys.write}\r\n`;
  const { hostname, port } = new URL(sandbox.url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  let text = "";
  const seen = (count: number) => expect.poll(() => text.match(/HTTP\/1\.1 2\d\d/g)?.length ?? 0).toBe(count);
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  const post = `POST ${PATHS.platform} HTTP/1.1\r\n${HOST}${key}${offer}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  socket.write(post + body.slice(0, 5));
  socket.write(body.slice(5));
  await seen(1);
  expect(text).toContain('"name":"Tea"');
  socket.write(`GET ${PATHS.control} HTTP/1.1\r\n${HOST}${offer}\r\n`);
  await seen(2);
  socket.write(`GET ${PATHS.control} HTTP/1.1\r\n${HOST}\r\n`);
  await seen(3);
});

const WEBSOCKET =
  "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
const upgrade = (path: string, headers = HOST + WEBSOCKET) => `GET ${path} HTTP/1.1\r\n${headers}\r\n`;
const LIVE = "/_sandbox/live";
const REFUSED_SOCKETS: [string, number, string][] = [
  ["the path of an area", 401, upgrade(PATHS.platform)],
  ["an unknown path", 404, upgrade("/_sandbox/nowhere")],
  ["an unknown world", 404, upgrade(`/w/nowhere${LIVE}`)],
  ["the Origin of another site", 403, upgrade(LIVE, `${HOST}Origin: https://evil.example\r\n${WEBSOCKET}`)],
  ["a foreign Host", 403, upgrade(LIVE, `Host: evil.example\r\n${WEBSOCKET}`)],
  ["an invalid query", 400, upgrade(`${LIVE}?after=x`)],
  ["no key", 400, upgrade(LIVE, HOST + WEBSOCKET.replace(/Sec-WebSocket-Key.*\r\n/, ""))],
];

test.each(REFUSED_SOCKETS)(
  "a WebSocket with %s is rejected with %i, and the response gives the reason",
  async (_what, status, text) => {
    const answer = await send(sandbox.url, text.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
    expect(answer.status).toBe(status);
    expect(answer.body.error.message).toMatch(/\.$/);
  },
);

const KINDS: [string, string][] = [
  ...REFUSED_SOCKETS.map(([what, _status, text]): [string, string] => [`a WebSocket with ${what}`, text]),
  ["a WebSocket", upgrade(LIVE)],
  ["CONNECT", "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n"],
  ["another protocol", upgrade("/", `${HOST}Connection: Upgrade\r\nUpgrade: h2c\r\n`)],
  ...REFUSED.map(([what, _status, request]): [string, string] => [what, request(PATHS.platform)]),
  ["a connection without data", ""],
  ["an incomplete request", `GET / HTTP/1.1\r\n`],
];

test.each(KINDS)("the server's sockets always have an error listener: %s", async (_what, text) => {
  const sockets: Socket[] = [];
  const watch = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    sockets.push(socket);
    // Whenever an error listener is removed, another one must remain.
    socket.on("removeListener", (name) => {
      if (name === "error") alone ||= socket.listenerCount("error") === 0;
    });
  };
  let alone = false;
  subscribe("net.server.socket", watch);
  onTestFinished(() => void unsubscribe("net.server.socket", watch));
  const { hostname, port } = new URL(sandbox.url);
  const client = connect(Number(port), hostname).on("error", () => undefined);
  await expect.poll(() => sockets.length).toBe(1);
  const [socket] = sockets as [Socket];
  const closed = new Promise((resolve) => socket.once("close", resolve));
  client.write(text);
  // The connection reset arrives together with the request.
  client.resetAndDestroy();
  await closed;
  expect({ alone, listeners: socket.listenerCount("error") > 0 }).toEqual({ alone: false, listeners: true });
});
