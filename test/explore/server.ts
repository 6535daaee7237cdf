import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { ShopHandler } from "./handlers.ts";

/** What a served shop does in place of its own answer. */
export interface Overrides {
  webhooks?: (response: ServerResponse, count: number) => boolean;
  state?: (response: ServerResponse, count: number) => boolean;
  reset?: (response: ServerResponse, count: number) => boolean;
}

/**
 * Serves a shop on a port of its own until the test ends: its handler at /webhooks, its state at /state, its reset at
 * /reset.
 * @param overrides each gets the number of the request at its path, and returns whether it took it
 * @param ending how the end of its user is heard of; of the test, if nothing else is said
 */
export async function serveShop(
  { handler, reset, state }: ShopHandler,
  overrides: Overrides = {},
  ending: (end: () => void) => void = onTestFinished,
) {
  const counts = { webhooks: 0, state: 0, reset: 0 };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => void chunks.push(chunk));
    request.on("end", async () => {
      const name = request.url!.slice(1) as keyof typeof counts;
      counts[name] += 1;
      if (overrides[name]?.(response, counts[name])) return;
      if (name === "reset") {
        reset();
        response.writeHead(204).end();
      } else if (name === "state") response.end(JSON.stringify(state()));
      else {
        // A handler that throws is answered for, as servers do: another program may hold its database.
        const received = new Request(`http://127.0.0.1${request.url}`, {
          method: "POST",
          headers: Object.entries(request.headers) as [string, string][],
          body: Buffer.concat(chunks),
        });
        const handling = (async () => handler(received))();
        const answer = await handling.catch(() => new Response(null, { status: 500 }));
        response.writeHead(answer.status).end();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  ending(close);
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `${origin}/webhooks`;
  return {
    url,
    origin,
    counts,
    close,
    /** What `explore` needs on its command line. */
    args: [url, "--secret", "whsec_test", "--state", `${origin}/state`, "--reset", `${origin}/reset`],
  };
}
