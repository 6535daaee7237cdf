import { once } from "node:events";
import { connect } from "node:net";
import { Worker } from "node:worker_threads";
import { afterAll, describe, expect, test } from "vitest";
import type { Json } from "../support/sandbox.ts";
import { sharedSandbox } from "../support/shared.ts";

const MIB = 1024 * 1024;
const ROUNDS = 2;

const sandbox = sharedSandbox();

/** The threads in which the clients run. */
const threads = new Map<string, Worker>();
afterAll(() => Promise.all([...threads.values()].map((thread) => thread.terminate())));

/** The responses that a client in a separate thread gets for a body of this many bytes, sent several times. */
async function post(
  client: string,
  path: string,
  bytes: number,
  rounds = ROUNDS,
  key = true,
): Promise<Json[]> {
  const headers = { "content-type": "application/json", ...(key ? { "x-api-key": sandbox.keys.write } : {}) };
  const thread =
    threads.get(client) ??
    new Worker(new URL("../support/client-thread.cjs", import.meta.url), { workerData: client });
  threads.set(client, thread);
  const answers: Json[] = [];
  while (answers.length < rounds) {
    thread.postMessage({ url: sandbox.url + path, headers, bytes });
    answers.push((await once(thread, "message"))[0]);
  }
  return answers;
}

const always = (answer: Json): Json[] => Array.from({ length: ROUNDS }, () => answer);

describe.each(["fetch", "fetch and a stream", "undici", "node:http"])(
  "rejections of large bodies sent with %s",
  (client) => {
    test("a body of 31 MiB is rejected in its area's format [fidelity: API › Content type · API › Large bodies]", async () => {
      const error = {
        type: "invalid_request_error",
        code: "invalid_field_value",
        message: "The request body is larger than the limit of 1048576 bytes (1 MiB).",
        param: "body",
      };
      expect(await post(client, "/platform/api/v1/payment-links", 31 * MIB, 1)).toEqual([
        { status: 400, body: { error } },
      ]);
    });

    test("a body over the limit of the game launcher or control API is rejected [fidelity: API › Large bodies]", async () => {
      expect(await post(client, "/game/launcher/set-state", 6 * MIB)).toMatchObject(
        always({
          status: 400,
          body: { message: "The request body is larger than the limit of 4194304 bytes (4 MiB)." },
        }),
      );
      expect(await post(client, "/_sandbox/clock/advance", 6 * MIB)).toMatchObject(
        always({ status: 413, body: { error: { code: "payload_too_large" } } }),
      );
    });

    test("a call without a key is rejected before its body is read", async () => {
      expect(await post(client, "/platform/api/v1/payment-links", 4.5 * MIB, ROUNDS, false)).toMatchObject(
        always({ status: 401 }),
      );
    });
  },
);

test("at most 32 MiB of a rejected body are discarded before the connection closes [fidelity: API › Large bodies]", async () => {
  const { host, hostname, port } = new URL(sandbox.url);
  const socket = connect(Number(port), hostname);
  const closed = new Promise((resolve) => socket.on("error", () => undefined).on("close", resolve));
  socket.write(
    `POST /platform/api/v1/payment-links HTTP/1.1\r\nHost: ${host}\r\nX-API-Key: ${sandbox.keys.write}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${100 * MIB}\r\n\r\n`,
  );
  const part = Buffer.alloc(MIB, "x");
  let written = 0;
  while (written < 100 && (await new Promise((resolve) => socket.write(part, resolve))) == null) written += 1;
  await closed;
  expect(written).toBeGreaterThanOrEqual(32);
  expect(written).toBeLessThan(100);
});
