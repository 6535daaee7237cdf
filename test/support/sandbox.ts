import { Agent as HttpAgent, type IncomingMessage, type RequestOptions, request } from "node:http";
import { text as readText } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { resolveConfig } from "../../src/config/config.ts";
import type { SandglassConfig } from "../../src/library/config.ts";
import { SEEDED_KEYS } from "../../src/payments/seed/organizations.ts";
import { type Served, type ServeOptions, serve } from "../../src/server/serve.ts";
import type { JournalEntry } from "../../src/world/journal.ts";
import { atPagePort } from "./page-port.ts";

export interface Answer<Body = Json> {
  status: number;
  headers: Headers;
  body: Body;
  text: string;
}

// biome-ignore lint/suspicious/noExplicitAny: tests access responses freely; the contract tests check their types
export type Json = any;

export interface CallOptions {
  /** The body, which is sent as JSON unless it is a string or bytes. */
  body?: unknown;
  headers?: Record<string, string>;
  /** The API key. With null, none is sent; the default is the seeded write key. */
  key?: string | null;
}

export const TOKEN = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
export const RECIPIENT = "0x1111111111111111111111111111111111111111";

/** A sandbox accessed from outside, over HTTP on its own port. */
export type TestSandbox = Awaited<ReturnType<typeof startSandbox>>;

/** The configuration of test sandboxes. */
export const testConfig = (port: number, config: SandglassConfig) =>
  resolveConfig(
    {
      port,
      seed: "empty",
      settleTimeout: "20s",
      ...config,
      clock: { mode: "paused", ...config.clock },
      payments: { rateLimit: "off", ...config.payments },
    },
    0,
  );

/**
 * Starts a sandbox for one test and stops it afterwards. By default it has the empty seed, a paused clock and no rate
 * limit, and waits for a subscriber's response however slow the machine is. If a subscriber never responds, pass a
 * short `settleTimeout`.
 */
export async function startSandbox(config: SandglassConfig = {}, options: ServeOptions = {}) {
  const served = await atPagePort((port) => serve(testConfig(port, config), options));
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    await served.close();
  };
  onTestFinished(close);
  const client = clientOf(served.url);
  return {
    ...client,
    served,
    sandbox: served.sandbox,
    close,
    /** Creates a world in addition to the default one, and returns a client for it. */
    async makeWorld(world: { name: string } & Record<string, unknown>) {
      const { status, body } = await client.control("POST", "/worlds", world);
      if (status !== 201) throw new Error(`Answered ${status}: ${JSON.stringify(body)}`);
      return clientOf(body.url);
    },
  };
}

function send(url: string, body: Buffer | undefined, options: RequestOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, options).once("response", resolve).once("error", reject).end(body);
  });
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  return headers;
}

/**
 * Calls a sandbox over HTTP, wherever it runs. This does not use fetch, which takes twice as long as the response
 * itself.
 */
export function clientOf(url: string) {
  // Use separate connections: a later sandbox may get the port of one that was closed.
  const agent = new HttpAgent({ keepAlive: true });
  async function call(
    method: string,
    path: string,
    { body, headers = {}, key }: CallOptions = {},
  ): Promise<Answer> {
    const raw = typeof body === "string" || body instanceof Uint8Array;
    const sent = body === undefined ? undefined : Buffer.from(raw ? (body as string) : JSON.stringify(body));
    const response = await send(url + path, sent, {
      method,
      agent,
      headers: {
        ...(sent === undefined ? {} : { "content-type": "application/json", "content-length": sent.length }),
        ...(key === null || key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...headers,
      },
    });
    const text = await readText(response);
    let parsed: unknown = text;
    try {
      parsed = JSON.parse(text);
    } catch {
      // Pages and empty responses are returned as text.
    }
    return { status: response.statusCode!, headers: headersOf(response), body: parsed as Json, text };
  }

  /** Calls the platform, below /api/v1. */
  const api = (method: string, path: string, options: CallOptions = {}) =>
    call(method, `/platform/api/v1${path}`, {
      key: options.key === undefined ? SEEDED_KEYS.write : options.key,
      ...pick(options),
    });
  /** Calls the control API, below /_sandbox. */
  const control = (method: string, path: string, body?: unknown) =>
    call(method, `/_sandbox${path}`, body === undefined ? {} : { body });

  async function expectOk(answer: Promise<Answer>): Promise<Json> {
    const { status, body } = await answer;
    if (status >= 300) throw new Error(`Answered ${status}: ${JSON.stringify(body)}`);
    return body;
  }

  return {
    url,
    call,
    api,
    control,
    keys: SEEDED_KEYS,
    createLink: (fields: Record<string, unknown> = {}) =>
      expectOk(api("POST", "/payment-links", { body: { name: "Tea", amount: "2500000", ...fields } })),
    createWebhook: (target: string, fields: Record<string, unknown> = {}) =>
      expectOk(api("POST", "/webhooks", { body: { url: target, ...fields } })),
    openSession: (fields: Record<string, unknown> = {}) =>
      expectOk(api("POST", "/checkout-sessions", { body: { amount: "1000", ...fields } })),
    pay: (fields: Record<string, unknown>) => expectOk(control("POST", "/payments", fields)),
    /** Advances by a duration, or as specified by an object. */
    advance: (request: string | number | Record<string, unknown>) =>
      expectOk(control("POST", "/clock/advance", typeof request === "object" ? request : { by: request })),
    deliveries: async (webhookId: string): Promise<Json[]> =>
      (await expectOk(api("GET", `/webhooks/${webhookId}/deliveries?limit=100&order=asc`))).data,
    timeline: (webhookId: string) => expectOk(control("GET", `/webhooks/${webhookId}/timeline`)),
    webhook: (webhookId: string) => expectOk(api("GET", `/webhooks/${webhookId}`)),
    journal: async (types?: string): Promise<JournalEntry[]> =>
      (await expectOk(control("GET", `/events?limit=10000${types ? `&types=${types}` : ""}`))).data,
    mail: async (): Promise<Json[]> => (await expectOk(control("GET", "/mail"))).data,
  };
}

function pick({ body, headers }: CallOptions): CallOptions {
  return { ...(body === undefined ? {} : { body }), ...(headers === undefined ? {} : { headers }) };
}

export type { Served };
