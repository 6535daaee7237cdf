import { misuse, SandboxError, SURFACE_HEADER, type Surface } from "../errors/errors.ts";
import { shownValue } from "../errors/shown.ts";
import type { AdvancePreview, Answer } from "../library/index.ts";
import type { ClockAdvance } from "../operations/clock.ts";
import type { OperationName, ResultOf } from "../operations/index.ts";
import type { Snapshot } from "../operations/worlds.ts";
import { CALLS, type CallData } from "./calls.ts";
import { isObject, PLATFORM_PATH, readJson, refusalOf } from "./refusal.ts";
import { notSandglass, overHttp, type Reached, type Send, tokenHeader } from "./transport.ts";

export const DEFAULT_URL = "http://127.0.0.1:4400";

export type { ResultOf };

export type Status = ResultOf<"status">;
export type PayResult = ResultOf<"payments.pay">;
export type WebhookWithSecret = ResultOf<"webhooks.list">["data"][number];

/** An operation's input, split by its place in the request. */
export interface CallOptions {
  /** The body, sent as JSON. */
  body?: unknown;
  /** Bytes to send instead of a JSON body. */
  file?: Buffer;
  /** The API key for the platform. The control API does not use one. */
  key?: string | undefined;
  headers?: Record<string, string>;
  /** Fields that a response must contain to be recognized as Sandglass's own. */
  fields?: readonly string[];
  /** The timeout in real milliseconds. By default there is no limit, because an advance may take long. */
  within?: number;
}

/** `/status` responds at once, so a slow response means that the server hangs or is not Sandglass. */
const STATUS_WITHIN_MS = 10_000;

/** The maximum length of a title, which keeps the request line short. */
const MOST_TITLE = 300;

/**
 * Serializes a body. It rejects NaN and Infinity, which JSON would turn into null; the error would then complain about
 * null.
 * @throws SandboxError `bad_request`
 */
function jsonOf(body: unknown): string | undefined {
  const refuse = (field: string, value: unknown) =>
    misuse(
      `${field === "" ? "The body" : field} is ${shownValue(value)}, which JSON cannot represent.`,
      "Pass a finite number, or a string.",
    );
  try {
    return JSON.stringify(body, (field, value: unknown) => {
      if (typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value)))
        throw refuse(field, value);
      return value;
    });
  } catch (error) {
    throw error instanceof SandboxError ? error : refuse("", body);
  }
}

/** Splits an input into the path with its query and the body. @throws SandboxError `bad_request` for a missing field */
function requestOf({ path, query }: CallData, input: object): { path: string; body: object | undefined } {
  const values = Object.entries(input);
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = (input as Record<string, unknown>)[name];
    if (value !== undefined) return encodeURIComponent(String(value));
    throw misuse(`Missing required field: ${name}.`, "", name);
  });
  const search = values.flatMap(([name, value]): [string, string][] =>
    query.includes(name) && value !== undefined ? [[name, String(value)]] : [],
  );
  const body = values.filter(([name]) => !path.includes(`:${name}`) && !query.includes(name));
  return {
    path: search.length > 0 ? `${filled}?${new URLSearchParams(search)}` : filled,
    body: body.length > 0 ? Object.fromEntries(body) : undefined,
  };
}

/**
 * A running sandbox, reached over HTTP. Every call throws a SandboxError: `unreachable`, or the sandbox's own error.
 */
export interface Client extends Reached {
  /** Runs an operation by name. Its path, query and body fields are passed as one input. */
  run<Name extends OperationName>(name: Name, input?: object, options?: CallOptions): Promise<ResultOf<Name>>;
  /** Runs an operation from its declaration. */
  send<Body>(call: CallData, input: object, options?: CallOptions): Promise<Body>;
  /** Returns every webhook endpoint with its secret. */
  webhooks(): Promise<WebhookWithSecret[]>;
  status(within?: number): Promise<Status>;
  previewAdvance(request: ClockAdvance): Promise<AdvancePreview>;
  downloadSnapshot(name: string): Promise<Buffer>;
  uploadSnapshot(name: string, file: Buffer): Promise<Snapshot>;
  /** Creates a snapshot and returns its bytes, without storing it in the sandbox. */
  snapshotFile(): Promise<Buffer>;
  /**
   * Returns an HTML page with the world's events. @param after the page shows only entries after the one with this
   * `seq`
   */
  worldPage(title: string, after: number): Promise<string>;
  /**
   * Calls a path below the sandbox's URL, and resolves with any response. The given headers override the default ones.
   */
  request<Body>(
    method: string,
    path: string,
    request?: Pick<CallOptions, "body" | "headers">,
  ): Promise<Answer<Body>>;
  /** Calls the payments platform's API, below /api/v1. */
  platform<Body>(method: string, path: string, key: string, options?: CallOptions): Promise<Body>;
}

/**
 * Creates a client for the sandbox at `url`. The client loads no native module.
 * @param token the token of a sandbox that is shared with this machine; sent only to the control API
 * @param surface where the user will see errors
 */
export function connectTo(
  { url, token }: Reached,
  surface: Exclude<Surface, "http">,
  send: Send = overHttp(url),
): Client {
  async function call<Body>(method: string, path: string, options: CallOptions = {}): Promise<Body> {
    const { body, file, key, headers, fields = [], within } = options;
    const payload = file ?? jsonOf(body);
    const type = file ? "application/octet-stream" : "application/json";
    const sent = await send({
      ...{ method, path, payload, within },
      headers: {
        ...headers,
        accept: "application/json",
        ...(payload === undefined ? {} : { "content-type": type }),
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
    });
    const { status } = sent;
    const answer = readJson(sent.bytes.toString());
    if (status < 200 || status > 299) throw refusalOf(url, status, answer, { path, headers: sent.headers });
    if (!isObject(answer) || fields.some((field) => !(field in answer))) throw notSandglass(url);
    return answer as Body;
  }

  const asked = { [SURFACE_HEADER]: surface, ...tokenHeader(token) };

  /** Calls the control API, below /_sandbox. */
  const control = <Body>(method: string, path: string, options?: CallOptions) =>
    call<Body>(method, `/_sandbox${path}`, { ...options, headers: { ...options?.headers, ...asked } });

  async function file(path: string): Promise<Buffer> {
    const { status, bytes } = await send({ method: "GET", path: `/_sandbox${path}`, headers: asked });
    if (status === 200) return bytes;
    throw refusalOf(url, status, readJson(bytes.toString()));
  }

  const client: Client = {
    ...{ url, token },

    send(call, input, options) {
      const { path, body } = requestOf(call, input);
      const fields = call.mark === undefined ? [] : [call.mark];
      return control(call.method, path, { fields, ...(body && { body }), ...options });
    },

    run(name, input = {}, options) {
      const given = Object.entries(input).filter(([, value]) => value !== undefined);
      return client.send(CALLS[name], Object.fromEntries(given), options);
    },

    webhooks: async () => (await client.run("webhooks.list")).data,
    status: (within = STATUS_WITHIN_MS) =>
      client.run("status", {}, { fields: ["ready", "version", "clock", "keys"], within }),
    previewAdvance: (request) =>
      client.send(CALLS["clock.advance"], { ...request, dryRun: true }, { fields: ["would_fire"] }),

    downloadSnapshot: (name) => file(`/snapshots/${encodeURIComponent(name)}/download`),
    uploadSnapshot: (name, file) =>
      control("POST", `/snapshots/upload?name=${encodeURIComponent(name)}`, {
        file,
        fields: ["name", "now"],
      }),

    async snapshotFile() {
      const { name } = await client.run("snapshot");
      try {
        return await client.downloadSnapshot(name);
      } finally {
        await client.run("snapshots.delete", { name });
      }
    },

    async worldPage(title, after) {
      const query = new URLSearchParams({ title: title.slice(0, MOST_TITLE), after: String(after) });
      return (await file(`/report.html?${query}`)).toString();
    },

    async request<Body>(
      method: string,
      path: string,
      { body, headers = {} }: Pick<CallOptions, "body" | "headers"> = {},
    ) {
      const payload = jsonOf(body);
      const usual = { accept: "application/json", ...(payload && { "content-type": "application/json" }) };
      const access = path.startsWith("/_sandbox/") ? tokenHeader(token) : {};
      const answer = await send({ method, path, headers: { ...usual, ...access, ...headers }, payload });
      const received = Object.entries(answer.headers);
      return {
        status: answer.status,
        headers: Object.fromEntries(received.map(([name, value]) => [name, [value].flat().join(", ")])),
        body: readJson(answer.bytes.toString()) as Body,
      };
    },

    platform: (method, path, key, options) => call(method, `${PLATFORM_PATH}${path}`, { ...options, key }),
  };
  return client;
}
