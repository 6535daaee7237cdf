import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { ShopHandler } from "./handlers.ts";

/** Overrides for the responses of a served shop. */
export interface Overrides {
  webhooks?: (response: ServerResponse, count: number) => boolean;
  state?: (response: ServerResponse, count: number) => boolean;
  reset?: (response: ServerResponse, count: number) => boolean;
}

/**
 * Serves a shop on its own port until the test ends: the handler at /webhooks, the state at /state, and the reset at
 * /reset.
 * @param overrides functions by path. Each gets the response and the number of the request to its path, and returns
 * whether it has handled the request
 * @param ending registers a function to call at the end; by default, at the end of the test
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
        // Respond even if the handler throws, as servers do. For example, another program may have locked its database.
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
    /** The arguments that `explore` needs. */
    args: [url, "--secret", "whsec_test", "--state", `${origin}/state`, "--reset", `${origin}/reset`],
  };
}
