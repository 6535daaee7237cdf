import { type ClientRequest, type IncomingMessage, request as sendHttp } from "node:http";
import { type ErrorCode, SandboxError } from "../errors.ts";
import type { PayRequest, Sandbox } from "../sandbox.ts";
import type { AdvanceResult } from "../world/scheduler.ts";

/** Where a sandbox answers when nothing else is said. */
export const DEFAULT_URL = "http://127.0.0.1:4400";

export type Status = ReturnType<Sandbox["status"]> & { counts: Record<string, number> };
export type PayResult = Awaited<ReturnType<Sandbox["pay"]>>;
export type SessionResource = PayResult["session"];
export type WebhookWithSecret = ReturnType<Sandbox["payments"]["endpoints"]["listAll"]>[number];

/** What an advance takes: one of these. */
export type Advance = { by: string | number } | { to: string | number } | { until: string };

/** What an advance would find due. */
export interface AdvancePreview {
  from: string;
  to: string;
  dry_run: true;
  would_fire: { due_at: string; kind: string; key: string; payload: Record<string, unknown> }[];
}

interface CallOptions {
  /** Sent as JSON. */
  body?: unknown;
  /** The platform's API key; the control API takes none. */
  key?: string;
  /** Fields that the answer must have to be Sandglass's own. */
  fields?: readonly string[];
  /** Real milliseconds it may take. None: as long as it takes, since an advance may be long. */
  within?: number;
}

/** A status is at hand at once; who takes longer is no sandbox, or hangs. */
const STATUS_WITHIN_MS = 10_000;

/** A running sandbox, over HTTP. */
export type Client = ReturnType<typeof connectTo>;

/**
 * Talks to the sandbox at `url`. It knows nothing of how a sandbox works inside and loads nothing native.
 * Every call throws SandboxError: `unreachable` when there is no sandbox, otherwise the sandbox's own refusal.
 */
export function connectTo(url: string) {
  async function call<Body>(method: string, path: string, options: CallOptions = {}): Promise<Body> {
    const { body, key, fields = [], within } = options;
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const response = await openRequest(url, method, path, {
      headers: {
        accept: "application/json",
        ...(payload === undefined ? {} : { "content-type": "application/json" }),
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      payload,
      within,
    });
    const answer = readJson(await readText(url, response));
    const status = response.statusCode ?? 0;
    if (status < 200 || status > 299) throw refusal(answer, url) ?? notSandglass(url);
    if (!isObject(answer) || fields.some((field) => !(field in answer))) throw notSandglass(url);
    return answer as Body;
  }

  const control = <Body>(method: string, path: string, options?: CallOptions) =>
    call<Body>(method, `/_sandbox${path}`, options);

  return {
    url,

    status: (within = STATUS_WITHIN_MS) =>
      control<Status>("GET", "/status", { fields: ["ready", "version", "clock", "keys"], within }),

    pay: (request: PayRequest) =>
      control<PayResult>("POST", "/payments", { body: request, fields: ["transaction", "session"] }),

    expireSession: (id: string) =>
      control<SessionResource>("POST", `/sessions/${encodeURIComponent(id)}/expire`, {
        fields: ["id", "status"],
      }),

    advance: (request: Advance) =>
      control<AdvanceResult>("POST", "/clock/advance", { body: request, fields: ["from", "to", "ledger"] }),

    previewAdvance: (request: Advance) =>
      control<AdvancePreview>("POST", "/clock/advance", {
        body: { ...request, dryRun: true },
        fields: ["would_fire"],
      }),

    /** Every webhook endpoint, with its secret. */
    webhooks: async () =>
      (await control<{ data: WebhookWithSecret[] }>("GET", "/webhooks", { fields: ["data"] })).data,

    /** A call of the payments platform, below /api/v1. */
    platform: <Body>(method: string, path: string, key: string, options: Omit<CallOptions, "key"> = {}) =>
      call<Body>(method, `/platform/api/v1${path}`, { ...options, key }),
  };
}

/**
 * Sends a request and resolves with the answer's head.
 * @throws SandboxError `unreachable`
 */
export async function openRequest(
  url: string,
  method: string,
  path: string,
  options: {
    headers?: Record<string, string>;
    payload?: string | undefined;
    /** Real milliseconds of silence after which it is given up. */
    within?: number | undefined;
  },
): Promise<IncomingMessage> {
  const send = url.startsWith("https:") ? (await import("node:https")).request : sendHttp;
  const { headers = {}, payload, within } = options;
  return new Promise((resolve, reject) => {
    const sent: ClientRequest = send(url + path, {
      method,
      ...(within === undefined ? {} : { timeout: within }),
      headers: payload === undefined ? headers : { ...headers, "content-length": Buffer.byteLength(payload) },
    });
    sent.on("response", resolve);
    sent.on("timeout", () => sent.destroy(Object.assign(new Error("Silence"), { code: "ETIMEDOUT" })));
    sent.on("error", (error) => reject(explainFailure(url, error)));
    sent.end(payload);
  });
}

async function readText(url: string, response: IncomingMessage): Promise<string> {
  response.setEncoding("utf8");
  let text = "";
  try {
    for await (const chunk of response) text += chunk;
  } catch (error) {
    throw explainFailure(url, error as Error);
  }
  return text;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** An error answer of the control API or the platform; undefined for anybody else's. */
function refusal(answer: unknown, url: string): SandboxError | undefined {
  const error = isObject(answer) ? answer.error : undefined;
  if (!isObject(error)) return undefined;
  const { code, message, hint } = error;
  if (typeof code !== "string" || typeof message !== "string") return undefined;
  return new SandboxError(
    code as ErrorCode,
    message,
    typeof hint === "string" ? hint : platformHint(code, url),
  );
}

/** The platform's own errors say what is wrong and leave the way out to its documentation. */
function platformHint(code: string, url: string): string {
  return code.startsWith("key_") || code === "insufficient_permissions"
    ? `The keys that work here are in ${url}/_sandbox/status.`
    : `What the call takes is in ${url}/platform/reference.`;
}

function notSandglass(url: string): SandboxError {
  return new SandboxError(
    "unreachable",
    `${url} answers, but it is not Sandglass.`,
    "Name the sandbox with --url or SANDGLASS_URL.",
  );
}

function explainFailure(url: string, error: Error & { code?: string }): SandboxError {
  const { code = "" } = error;
  if (code === "ECONNRESET" || code === "ERR_STREAM_PREMATURE_CLOSE")
    return new SandboxError(
      "unreachable",
      `${url} closed the connection before it answered.`,
      "See whether the sandbox still runs there.",
    );
  if (code === "ETIMEDOUT")
    return new SandboxError(
      "unreachable",
      `${url} does not answer.`,
      "See what runs there, or name the sandbox with --url or SANDGLASS_URL.",
    );
  if (code.startsWith("HPE_") || code === "EPROTO" || code.startsWith("ERR_SSL")) return notSandglass(url);
  const why = code === "ENOTFOUND" || code === "EAI_AGAIN" ? ": its name does not resolve" : "";
  return new SandboxError(
    "unreachable",
    `Nothing answers at ${url}${why}.`,
    "Start it with: npx sandglass. If it runs elsewhere, name it with --url or SANDGLASS_URL.",
  );
}
