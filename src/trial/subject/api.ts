import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { invalidState, misuse } from "../../errors/errors.ts";
import { PlatformError } from "../../payments/errors.ts";
import { SEEDED_KEYS } from "../../payments/seed/organizations.ts";
import { listenAt } from "../../runtime/listen.ts";
import { http } from "../../runtime/node-http.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { refusal } from "../../senders/api/call.ts";
import { MARK_HEADER, SENDERS } from "../../senders/api/name.ts";
import type { FileSender } from "../../webhooks/described.ts";
import type { SenderApi } from "../../webhooks/sender-api.ts";
import type { ApiPart } from "../outside/answers.ts";
import { type Crossings, callText } from "../outside/crossing.ts";
import { hostsOf } from "../outside/hosts.ts";
import { answerHeaders, requestHeaders } from "../outside/passed-headers.ts";
import type { Effect } from "../outside/services.ts";
import type { Json } from "./differences.ts";

export interface ServedWorld {
  sandbox: Sandbox;
  /** The socket of the world's server; null if the world is not served. */
  socketPath: string | null;
}

/** What can happen to an API call while a subscriber handles an event: it is refused, or its response is late. */
export type ApiDisturbance = 429 | 500 | "slow";

/** The API of the platform or a sender, served to the subscriber at one address for all stories. */
export interface StoryApi {
  url: string;
  /** The same API at the sender's own hosts, for a started server; undefined for the platform's API. */
  part: ApiPart | undefined;
  /** Variables that point a server to this API. */
  env: Record<string, string>;
  readonly calls: number;
  /** Routes calls to a world; by default, to the one from the first call of `leadTo`. */
  leadTo(world?: ServedWorld): void;
  /** An inbox's messages in that world after message number `after`. */
  messages(inbox: string, after: number): readonly { seq: number; body: string }[];
  disturb(by: ApiDisturbance | undefined): void;
  /** Resolves once the response to a slow call is ready. It is held until released. */
  held(): Promise<void>;
  release(): void;
  close(): void | Promise<void>;
}

interface Refusal {
  status: number;
  headers?: Record<string, string> | undefined;
  body: unknown;
}

function refusalOf(status: 429 | 500, api: SenderApi | undefined): Refusal {
  const isLimit = status === 429;
  const text = isLimit ? "Too many requests." : "An internal error occurred.";
  if (api) return refusal(api, status, isLimit ? "rate_limited" : "internal_error", text);
  const error = isLimit
    ? // Clients wait in real time before they repeat the call.
      new PlatformError("rate_limit_exceeded", text, undefined, { "retry-after": "1" })
    : new PlatformError("internal_error", text);
  return { status: error.status, headers: error.headers, body: error.body() };
}

/**
 * Serves the API for the current story.
 * @param port 0 for any free port
 * @param crossings makes each call a point where a deviation can happen
 * @param sender whose API to serve; by default, the platform's
 * @throws SandboxError `invalid_state` if the port is taken
 */
export async function openApi(port: number, crossings: Crossings, sender?: FileSender): Promise<StoryApi> {
  const described = sender && describedApi(sender);
  const below = sender ? `/${SENDERS}/${sender.name}` : "";
  let calls = 0;
  let world: ServedWorld | undefined;
  let first: ServedWorld | undefined;
  let next: ApiDisturbance | undefined;
  let held = Promise.withResolvers<void>();
  let free = Promise.withResolvers<void>();

  async function answer(call: IncomingMessage, response: ServerResponse): Promise<void> {
    calls += 1;
    const mark = String(calls);
    const disturbance = next;
    next = undefined;
    const { method, url = "/", headers } = call;
    const crossing = crossings.begin(callText(method!, url), once(response, "close"));
    const how = await crossing.passed;
    const fail = () => response.destroy();
    if (how === "disconnect") return void fail();
    const refused = how === "fail" ? 500 : how === "limit" ? 429 : disturbance;
    if (refused !== undefined && refused !== "slow") {
      const { status, headers, body } = refusalOf(refused, described);
      await crossing.end(String(status));
      response.writeHead(status, { "content-type": "application/json", ...headers });
      return void response.end(JSON.stringify(body));
    }
    // An SDK may only let users set the host, and add the sender's own path.
    const path = /^\/_sandbox\//.test(url) || url.startsWith(`${below}/`) ? url : below + url;
    const own = {
      ...requestHeaders(call),
      host: sender ? "localhost" : headers.host,
      ...(sender && { "x-forwarded-host": headers.host, [MARK_HEADER]: mark }),
    };
    const inner = http.request(
      { socketPath: world!.socketPath!, method, path, headers: own },
      async (result) => {
        // Read the response now, because it shows the state at this moment.
        const chunks: Buffer[] = [];
        for await (const chunk of result) chunks.push(chunk);
        if (disturbance === "slow") {
          held.resolve();
          await free.promise;
        }
        if (sender && described && method !== "GET")
          for (const effect of await madeBy(mark, sender, described)) crossing.note(effect);
        if (!(await crossing.end(String(result.statusCode)))) return void fail();
        response.writeHead(result.statusCode!, answerHeaders(result));
        response.end(Buffer.concat(chunks));
      },
    );
    inner.once("error", fail);
    call.pipe(inner);
  }

  /**
   * What the call with the given mark created, if the API does not support idempotency. Handlers are not blamed for
   * effects that they cannot avoid.
   */
  async function madeBy(mark: string, of: FileSender, { idempotency }: SenderApi): Promise<Effect[]> {
    if (idempotency !== undefined) return [];
    const { made } = await world!.sandbox.senders.effectsOf(of);
    return made.flatMap(({ mark: own, kind, key, thing, done, fields }) =>
      own === mark ? { service: kind, key, words: { thing, done }, fields: fields as Json } : [],
    );
  }

  function serve(call: IncomingMessage, response: ServerResponse): void {
    if (!world) response.destroy();
    else void answer(call, response);
  }
  const server = http.createServer(serve);
  const bound = await listenAt(server, { port, host: "127.0.0.1" }).catch((error: Error) => {
    throw invalidState(
      `The API of ${sender?.name ?? "the platform"} cannot be served on port ${port}: ${error.message}.`,
      "Set subject.apiPort (apiPort in the library) to a free port.",
    );
  });
  const url = `http://127.0.0.1:${bound}`;
  return {
    url,
    part: described && { hosts: hostsOf(described), serve },
    env: { SANDGLASS_URL: url, ...(described ? { SANDGLASS_API_BASE: url + below } : platformEnv(url)) },
    get calls() {
      return calls;
    },
    leadTo(other) {
      first ??= other;
      world = other ?? first;
    },
    messages: (name, after) =>
      world?.sandbox.inboxes.messages({ name, after, limit: Number.MAX_SAFE_INTEGER }).data ?? [],
    disturb(by) {
      next = by;
      if (by === "slow") [held, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    },
    held: () => held.promise,
    release: () => free.resolve(),
    close() {
      free.resolve();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** @throws SandboxError `bad_request` */
function describedApi({ name, facts }: FileSender): SenderApi {
  if (facts.api) return facts.api;
  throw misuse(
    `${name}'s sender file does not describe its API, which apiPort would serve.`,
    'Leave out apiPort, or describe the calls that your server makes under api: docs/senders.md, "Sender APIs".',
    "apiPort",
  );
}

const platformEnv = (url: string): Record<string, string> => ({
  SANDGLASS_PLATFORM_URL: `${url}/platform`,
  SANDGLASS_API_KEY: SEEDED_KEYS.write,
});
