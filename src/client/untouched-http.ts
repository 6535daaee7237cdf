import { Agent, request } from "undici";
import { explainFailure, type Send } from "./transport.ts";

/**
 * Over HTTP with an agent of its own: what patches Node's HTTP modules or the timers in the user's process, as nock,
 * msw and fake timers do, neither sees these requests nor holds them up.
 */
export function untouchedHttp(): { send: (url: string) => Send; close: () => Promise<void> } {
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 0 } });
  return {
    send:
      (url) =>
      async ({ method, path, headers = {}, payload }) => {
        try {
          const answer = await request(url + path, {
            method: method as "GET",
            headers,
            body: payload ?? null,
            dispatcher: agent,
            // A connection is used again only after a timer, which may be a fake one.
            reset: true,
          });
          return { status: answer.statusCode, bytes: Buffer.from(await answer.body.arrayBuffer()) };
        } catch (error) {
          throw explainFailure(url, error as Error);
        }
      },
    close: () => agent.close(),
  };
}
