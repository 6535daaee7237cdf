import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { Worker } from "node:worker_threads";
import { describe, expect, onTestFinished, test } from "vitest";
import { startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { at } from "../support/webhooks.ts";

const ROUNDS = 6;
const PAIR = ["payment.completed", "checkout.completed"];

/** How a subscriber treats the connections of the two requests, as code that runs in its own thread. */
const BEHAVIOURS = {
  "leaves both connections open": "response.end()",
  "leaves one connection open": "if (isSecond) response.shouldKeepAlive = false; response.end()",
  "closes each connection": "response.shouldKeepAlive = false; response.end()",
  "responds to the first request last":
    "if (isSecond) { first.end(); response.end(); } else first = response",
};

/**
 * Starts a subscriber in a separate thread. If it shared the sender's event loop, that loop would determine the order
 * of its responses.
 * @returns its URL, and a function that waits until this many requests have been handled
 */
async function startThread(behaviour: string) {
  const worker = new Worker(
    `const { parentPort } = require("node:worker_threads");
     let first;
     const server = require("node:http").createServer((request, response) => {
       const isSecond = request.headers["x-platform-event"] === "checkout.completed";
       request.resume().on("end", () => {
         ${behaviour};
         parentPort.postMessage("done");
       });
     });
     server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));`,
    { eval: true },
  );
  onTestFinished(() => void worker.terminate());
  const [port] = await once(worker, "message");
  let done = 0;
  worker.on("message", () => {
    done += 1;
  });
  const until = async (count: number) => {
    while (done < count) await once(worker, "message");
  };
  return { url: `http://127.0.0.1:${port}/webhooks`, until };
}

/**
 * The event types of requests to a URL, in the order in which they are sent. The network may reorder requests on
 * different connections.
 */
function noteLeaving(url: string): string[] {
  const left: string[] = [];
  const note = (message: unknown) => {
    const { request, headers } = message as { request: { origin: string }; headers: string };
    if (url.startsWith(`${request.origin}/`)) left.push(/^x-platform-event: (.*)$/im.exec(headers)![1]!);
  };
  subscribe("undici:client:sendHeaders", note);
  onTestFinished(() => void unsubscribe("undici:client:sendHeaders", note));
  return left;
}

describe.each(["live", "paused"] as const)("simultaneous requests on a %s clock", (mode) => {
  test.each(Object.entries(BEHAVIOURS))(
    "requests due at the same instant are sent in the order of their events, even if the subscriber %s [fidelity: Webhooks › Order]",
    async (_name, behaviour) => {
      const sandbox = await startSandbox({
        clock: { mode },
        payments: { confirmationDelay: "10ms" },
      });
      const subscriber = await startThread(behaviour);
      const left = noteLeaving(subscriber.url);
      await sandbox.createWebhook(subscriber.url);
      const link = await sandbox.createLink();
      for (let round = 1; round <= ROUNDS; round += 1) {
        await sandbox.pay({ payment_link_id: link.id });
        if (mode === "paused") await sandbox.advance("10ms");
        await subscriber.until(2 * round);
      }
      expect(left).toEqual(Array.from({ length: ROUNDS }, () => PAIR).flat());
    },
  );
});

test("an endpoint whose TLS handshake never completes delays no other endpoint, and its requests time out together", async () => {
  const sandbox = await startSandbox({ settleTimeout: "2s" });
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket)).listen(0, "127.0.0.1");
  onTestFinished(() => {
    silent.close();
    for (const socket of sockets) socket.destroy();
  });
  await once(silent, "listening");
  const stuck = await sandbox.createWebhook(`https://127.0.0.1:${(silent.address() as AddressInfo).port}/`);
  const subscriber = await startSubscriber();
  await sandbox.createWebhook(subscriber.url);
  await sandbox.pay({ payment_link_id: (await sandbox.createLink()).id });
  await subscriber.arrived(2);
  await sandbox.advance("30s");
  const { attempts } = await sandbox.timeline(stuck.id);
  expect(attempts).toEqual(
    PAIR.map((event) => expect.objectContaining({ event, error: "timeout", ended_at: at(30) })),
  );
});
