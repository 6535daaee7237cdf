import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pathToFileURL } from "node:url";
import { invalidState, misuse } from "../../errors/errors.ts";
import { PlatformError } from "../../payments/errors.ts";
import { SEEDED_KEYS } from "../../payments/seed/organizations.ts";
import { http } from "../../runtime/node-http.ts";
import { FROM_SOURCE, inPackage } from "../../runtime/package.ts";
import { refusal } from "../../senders/api/call.ts";
import { SENDERS } from "../../senders/api/name.ts";
import type { FileSender } from "../../webhooks/described.ts";
import type { SenderApi } from "../../webhooks/sender-api.ts";
import { callUnit } from "../statements/api-calls.ts";
import type { Gate } from "../statements/gate.ts";

const PRELOAD = inPackage(FROM_SOURCE ? "src/trial/subject/api-preload.ts" : "dist/api-preload.js");

/** What can happen to an API call by a subscriber that handles an event: it is refused, or answered late. */
export type ApiDisturbance = 429 | 500 | "slow";

/** The API of the platform, or of a sender, for the subscriber: at one address, whichever story is played. */
export interface StoryApi {
  url: string;
  /** Variables that direct a server to this API. */
  env: Record<string, string>;
  /** The number of calls so far. */
  readonly calls: number;
  /** Directs calls to the world behind a socket; without a socket, to the world of the first call of `leadTo`. */
  leadTo(socketPath?: string): void;
  /** The messages of an inbox of that world after message number `after`. @throws SandboxError `invalid_state` without a world */
  messages(inbox: string, after: number): Promise<{ seq: number; body: string }[]>;
  /** Makes each call ask a gate first, as a database statement does. */
  ask(gate: Gate): void;
  /** Sets what happens to the next call. */
  disturb(by: ApiDisturbance | undefined): void;
  /** Resolves once a slow call has its answer, which is held until released. */
  held(): Promise<void>;
  release(): void;
  close(): void | Promise<void>;
}

interface Refusal {
  status: number;
  headers?: Record<string, string> | undefined;
  body: unknown;
}

/** The answer to a refused call. */
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
 * Serves the API of the current story.
 * @param port 0 for any free port
 * @param sender the sender whose API it is; by default the platform's
 * @throws SandboxError `invalid_state` if the port is taken
 */
export async function openApi(port: number, sender?: FileSender): Promise<StoryApi> {
  const described = sender && describedApi(sender);
  const below = sender ? `/${SENDERS}/${sender.name}` : "";
  let calls = 0;
  let socketPath: string | undefined;
  let first: string | undefined;
  let next: ApiDisturbance | undefined;
  let gate: Gate | undefined;
  let held = Promise.withResolvers<void>();
  let free = Promise.withResolvers<void>();

  async function answer(call: IncomingMessage, response: ServerResponse): Promise<void> {
    calls += 1;
    const disturbance = next;
    next = undefined;
    const asked = gate && callUnit(gate, call, response);
    await asked?.passed;
    if (disturbance !== undefined && disturbance !== "slow") {
      const { status, headers, body } = refusalOf(disturbance, described);
      response.writeHead(status, { "content-type": "application/json", ...headers });
      return void response.end(JSON.stringify(body));
    }
    const fail = () => response.destroy();
    const { method, url = "/", headers } = call;
    // An SDK may let users set only the host, and add the sender's own path.
    const path = /^\/_sandbox\//.test(url) || url.startsWith(`${below}/`) ? url : below + url;
    const own = sender ? { ...headers, host: "localhost", "x-forwarded-host": headers.host } : headers;
    const inner = http.request({ socketPath, method, path, headers: own }, async (result) => {
      // Its answer shows the state of this moment.
      const chunks: Buffer[] = [];
      for await (const chunk of result) chunks.push(chunk);
      if (disturbance === "slow") {
        held.resolve();
        await free.promise;
      }
      await asked?.end(result.statusCode!);
      response.writeHead(result.statusCode!, result.rawHeaders);
      response.end(Buffer.concat(chunks));
    });
    inner.once("error", fail);
    call.pipe(inner);
  }

  const server = http.createServer((call, response) => {
    if (socketPath === undefined) response.destroy();
    else void answer(call, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        invalidState(
          `The API of ${sender?.name ?? "the platform"} cannot be served at port ${port}: ${error.message}.`,
          "Name a free port: subject.apiPort, or apiPort of the library.",
        ),
      ),
    );
    server.listen(port, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    env: { SANDGLASS_URL: url, ...(described ? senderEnv(url + below, described.base) : platformEnv(url)) },
    get calls() {
      return calls;
    },
    leadTo(path) {
      first ??= path;
      socketPath = path ?? first;
    },
    ask(by) {
      gate = by;
    },
    messages: (inbox, after) => readInbox(socketPath, inbox, after),
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
    `The file of ${name} does not describe its API, which apiPort would serve.`,
    'Leave out apiPort, or describe the calls of your server under api: docs/senders.md, "The API of a sender".',
    "apiPort",
  );
}

const platformEnv = (url: string): Record<string, string> => ({
  SANDGLASS_PLATFORM_URL: `${url}/platform`,
  SANDGLASS_API_KEY: SEEDED_KEYS.write,
});

/** Directs a Node process's calls to the sender's host here, whichever client makes them: see api-preload.ts. */
const senderEnv = (url: string, base: string): Record<string, string> => ({
  ...{ SANDGLASS_API_BASE: url, SANDGLASS_API_HOST: new URL(base).origin },
  NODE_OPTIONS: [process.env.NODE_OPTIONS, `--import ${pathToFileURL(PRELOAD).href}`]
    .filter(Boolean)
    .join(" "),
});

async function readInbox(
  socketPath: string | undefined,
  inbox: string,
  after: number,
): Promise<{ seq: number; body: string }[]> {
  const path = `/_sandbox/inbox/${encodeURIComponent(inbox)}?after=${after}`;
  const { status, text } = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    http
      .get({ socketPath, path, headers: { host: "127.0.0.1" } }, async (answer) => {
        let text = "";
        for await (const chunk of answer.setEncoding("utf8")) text += chunk;
        resolve({ status: answer.statusCode!, text });
      })
      .once("error", reject);
  }).catch((error: Error) => ({ status: 0, text: error.message }));
  if (status !== 200)
    throw invalidState(`The inbox ${inbox} cannot be read: ${text}.`, "For example --state inbox:mails");
  return (JSON.parse(text) as { data: { seq: number; body: string }[] }).data;
}
