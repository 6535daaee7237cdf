import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { createWaiting } from "./patience.ts";

/** A request that a subscriber received. */
export interface Received {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
}

/** Lists the attempts that arrived, each with its event, endpoint and delivery. */
function describe(received: readonly Received[]): string {
  if (received.length === 0) return "None has arrived.";
  const lines = received.map(({ headers, path, method }, index) => {
    const platform = Object.keys(headers).filter((name) => /^x-.*(event|webhook-id|delivery)/.test(name));
    return `${index + 1}: ${method} ${path} ${platform.map((name) => headers[name]).join(" ")}`;
  });
  return `Arrived:\n${lines.join("\n")}`;
}

export type Answering = (received: Received, response: ServerResponse, request: IncomingMessage) => void;

/**
 * A real subscriber on its own port, stopped after the test. Replace `answer` to change its behaviour; a number is the
 * status of the response.
 */
export async function startSubscriber(behaviour: number | Answering = 200) {
  const received: Received[] = [];
  const waiting = createWaiting();
  const subscriber = {
    url: "",
    received,
    answer: behaviour,
    /** Resolves once this many requests have arrived. */
    arrived: (count: number) =>
      waiting.until(
        () => received.length >= count,
        () => `request ${count} to ${subscriber.url} is missing. ${describe(received)}`,
      ),
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => void chunks.push(chunk));
    request.on("end", () => {
      const entry = {
        method: request.method!,
        path: request.url!,
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      };
      received.push(entry);
      const { answer } = subscriber;
      if (typeof answer === "number") response.writeHead(answer).end();
      else answer(entry, response, request);
      waiting.check();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  subscriber.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
  onTestFinished(() => subscriber.close());
  return subscriber;
}
