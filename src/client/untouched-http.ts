import { pathToFileURL } from "node:url";
import { invalidState } from "../errors/errors.ts";
import { inPackage } from "../runtime/package.ts";
import { trustedContext, trustRunningSandbox } from "../runtime/trusted.ts";
import { mainContextLoader } from "./main-context.ts";
import { explainFailure, type Send } from "./transport.ts";

/** Sends requests that nothing in the user's process can intercept. */
export interface UntouchedHttp {
  send: (url: string) => Send;
  close: () => Promise<void>;
}

/**
 * Sends requests through a separate agent, so nock, msw and fake timers in the user's process can neither see nor delay
 * them.
 * @param url the sandbox's URL
 * @param socketPath the socket to use for every URL, for a sandbox without a port
 * @param timersAreReal whether connections can currently be reused: that needs a timer, and timers may be fake
 */
export async function untouchedHttp(
  url: string,
  socketPath: string | null = null,
  timersAreReal = (): boolean => false,
): Promise<UntouchedHttp> {
  const load = mainContextLoader();
  const { Agent, request } = await (load
    ? load<typeof import("../runtime/agent.ts")>(pathToFileURL(inPackage("dist/undici.js")).href)
    : import("../runtime/agent.ts"));
  const secure = url.startsWith("https:");
  if (secure) trustRunningSandbox(url);
  const connect = {
    timeout: 0,
    ...(socketPath === null ? {} : { socketPath }),
    ...(secure && trustedContext()),
  };
  let closed = false;
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, connect });
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
            reset: !timersAreReal(),
          });
          const { statusCode: status, headers: sent } = answer;
          return { status, headers: sent, bytes: Buffer.from(await answer.body.arrayBuffer()) };
        } catch (error) {
          if (!closed) throw explainFailure(url, error as Error);
          throw invalidState(
            `The sandbox at ${url} was closed before this call.`,
            "Call close() last, and await all calls before it. `await using` closes the sandbox at the end of its block.",
          );
        }
      },
    close: () => {
      closed = true;
      return agent.close();
    },
  };
}
