import { expect, onTestFinished, test } from "vitest";
import type { CapturedRequest } from "../../src/capture/capture-file.ts";
import { startProxy } from "../../src/capture/proxy.ts";
import { type RawReply, startRawSubscriber } from "../support/raw-subscriber.ts";

const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
const CHUNKED = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
const JUNK = "a".repeat(20_000);

/**
 * Responses in which a server follows HTTP only partly or not at all, and what the sender receives for each of them.
 */
const ODD: [reply: RawReply, status: number, body: string][] = [
  // A valid response, which is passed on to the sender.
  [OK.replace("OK", "O\u0001K"), 200, "ok"],
  [OK.replace("OK", ""), 200, "ok"],
  [OK.replace("200", "999"), 999, "ok"],
  [`${OK}and more`, 200, "ok"],
  [OK + OK, 200, "ok"],
  [OK.replace("content-length", "trailer: x-sum\r\ncontent-length"), 200, "ok"],
  ["HTTP/1.1 204 No Content\r\ncontent-length: 2\r\n\r\nok", 204, ""],
  ["HTTP/1.1 204 No Content\r\n\r\nok", 204, ""],
  [{ text: "HTTP/1.0 200 OK\r\n\r\nok", after: "end" }, 200, "ok"],
  [`${CHUNKED}2\r\nok\r\n0\r\nx-sum: 1\r\n\r\n`, 200, "ok"],
  ["HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n".repeat(5_000) + OK, 200, "ok"],
  // An invalid response, for which the sender gets a 502 with the reason.
  [OK.replace("200", "099"), 502, "returned 099, which is not an HTTP status."],
  [OK.replace("200", "1000"), 502, "responded with invalid HTTP (Invalid response status)."],
  [OK.replace("200", "-20"), 502, "responded with invalid HTTP"],
  [OK.replace("200 OK", ""), 502, "responded with invalid HTTP"],
  [OK.replace("HTTP/1.1", "HTTP/7.1"), 502, "responded with invalid HTTP (Invalid HTTP version)."],
  [{ text: "SSH-2.0-OpenSSH_9.2\r\n", after: "end" }, 502, "responded with something that is not HTTP"],
  [Buffer.from([0x15, 3, 1, 0, 2, 2, 0x16]), 502, "responded with something that is not HTTP"],
  [OK.replace("ok", "\r\nx").replace("2\r\n", "2\r\nx: \u0000\r\n"), 502, "responded with invalid HTTP"],
  [OK.replace("2\r\n", "2\r\nx y: z\r\n"), 502, "responded with invalid HTTP (Invalid header token)."],
  [OK.replace("2\r\n", `2\r\nx: ${JUNK}\r\n`), 502, "responded with more than 16 KiB of headers."],
  [OK.replace("OK", JUNK), 502, "responded with more than 16 KiB of headers."],
  [OK.replace("2\r\n", "2\r\nContent-Length: 2\r\n"), 502, "invalid HTTP (Duplicate Content-Length)"],
  [OK.replace("2\r\n", "2\r\nContent-Length: 3\r\n"), 502, "invalid HTTP (Duplicate Content-Length)"],
  [
    CHUNKED.replace("\r\n", "\r\ncontent-length: 2\r\n"),
    502,
    "invalid HTTP (Transfer-Encoding can't be present with Content-Length)",
  ],
  [
    `${CHUNKED}zz\r\nok\r\n`,
    502,
    "returned 200, but its body is not valid HTTP (Invalid character in chunk size).",
  ],
  [{ text: `${CHUNKED}2\r\nok\r\n`, after: "end" }, 502, "200, but the response ended before its last chunk"],
  [
    { text: `${CHUNKED}2\r\nok\r\n`, after: "reset" },
    502,
    "200, but the response ended before its last chunk",
  ],
  [
    { text: OK.replace(": 2", ": 9"), after: "end" },
    502,
    "returned 200, but the response ended before the length in Content-Length.",
  ],
  [{ text: "HTTP/1.1 20", after: "end" }, 502, "closed the connection without a response (ECONNRESET)."],
  [{ text: "", after: "reset" }, 502, "closed the connection without a response (ECONNRESET)."],
  [
    { text: "HTTP/1.1 100 Continue\r\n\r\n".repeat(5_000), after: "end" },
    502,
    "closed the connection without a response (ECONNRESET).",
  ],
  ...["", "connection: upgrade\r\nupgrade: websocket\r\n"].map((headers): (typeof ODD)[number] => [
    `HTTP/1.1 101 Switching Protocols\r\n${headers}\r\n`,
    502,
    "returned 101 Switching Protocols, which the request did not ask for.",
  ]),
  [
    OK.replace("2\r\n\r\nok", `${65 * 1024 ** 2}\r\n\r\n`) + "a".repeat(65 * 1024 ** 2),
    502,
    "responded with more than 64 MiB.",
  ],
];

const named = ODD.map(([reply, status, body]) => {
  const [bytes, end] =
    typeof reply === "string" || Buffer.isBuffer(reply) ? [reply, ""] : [reply.text, `, then ${reply.after}`];
  return { name: JSON.stringify(String(bytes).slice(0, 90)) + end, reply, status, body };
});

test.each(named)(
  "capture forwards $status if the server responds with $name",
  async ({ reply, status, body }) => {
    const server = await startRawSubscriber(reply, { tls: false });
    const captured: CapturedRequest[] = [];
    const proxy = await startProxy({
      ...{ port: 0, target: server.url },
      took: (request) => void captured.push(request),
      refused: (why) => expect.unreachable(why),
    });
    onTestFinished(() => proxy.close());
    for (const _again of [1, 2]) {
      const answer = await fetch(proxy.url, { method: "POST", body: "{}" });
      expect(answer.status).toBe(status);
      const text = await answer.text();
      const error = status === 502 && { error: expect.stringMatching(/^127\.0\.0\.1:\d+ .*\.$/) };
      expect(captured.splice(0)).toEqual([expect.objectContaining({ body: "{}", status, ...error })]);
      if (status === 502) expect(text).toContain(body);
      else expect(text).toBe(body);
    }
  },
);
