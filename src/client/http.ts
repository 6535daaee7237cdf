import { SandboxError, SURFACE_HEADER, type Surface } from "../errors/errors.ts";
import { shownValue } from "../errors/shown.ts";
import type { Advance, AdvanceCancellation, AdvancePreview, Answer } from "../library/index.ts";
import type { WebhookRegistration } from "../payments/webhooks/registrations.ts";
import type { ClockAdvance } from "../sandbox/clock.ts";
import type { PayRequest } from "../sandbox/payments.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { SnapshotView } from "../sandbox/snapshots.ts";
import { isObject, PLATFORM_PATH, readJson, refusalOf } from "./refusal.ts";
import { notSandglass, overHttp, type Reached, type Send, tokenHeader } from "./transport.ts";

/** Where a sandbox answers by default. */
export const DEFAULT_URL = "http://127.0.0.1:4400";

export type Status = ReturnType<Sandbox["status"]> & {
  counts: Record<string, number>;
  /** The seq of the journal's latest entry. */
  last_seq: number;
};
export type PayResult = Awaited<ReturnType<Sandbox["payments"]["pay"]>>;
export type SessionResource = PayResult["session"];
export type TransactionResource = PayResult["transaction"];
export type MintedToken = Awaited<ReturnType<Sandbox["game"]["token"]>>;
export type TokenRequest = NonNullable<Parameters<Sandbox["game"]["token"]>[0]>;
export type WebhookWithSecret = ReturnType<Sandbox["payments"]["webhooks"]>[number];

interface CallOptions {
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is, in place of a body. */
  file?: Buffer;
  /** The platform's API key; the control API takes none. */
  key?: string;
  headers?: Record<string, string>;
  /** Fields that the answer must have to be Sandglass's own. */
  fields?: readonly string[];
  /** Real milliseconds it may take. None: as long as it takes, since an advance may be long. */
  within?: number;
}

/** `/status` answers at once, so a slow answer means a hung server or something that is not Sandglass. */
const STATUS_WITHIN_MS = 10_000;

/** Characters of a title, so that the request's line stays short. */
const MOST_TITLE = 300;

/**
 * A body as it is sent. JSON would turn some numbers into null, of which the answer would speak then.
 * @throws SandboxError `bad_request`
 */
function jsonOf(body: unknown): string | undefined {
  const refuse = (field: string, value: unknown) =>
    new SandboxError(
      "bad_request",
      `${field === "" ? "The body" : field} is ${shownValue(value)}, which JSON cannot express.`,
      "Pass a finite number, or a text.",
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

/** A running sandbox, over HTTP. */
export type Client = ReturnType<typeof connectTo>;

/**
 * Talks to the sandbox at `url`. It knows nothing of how a sandbox works inside and loads nothing native.
 * Every call throws SandboxError: `unreachable` when there is no sandbox, otherwise the sandbox's own refusal.
 * @param token of a sandbox that is shared with this machine; only the control API gets it
 * @param surface where a person meets these errors
 */
export function connectTo(
  { url, token }: Reached,
  surface: Exclude<Surface, "http">,
  send: Send = overHttp(url),
) {
  async function call<Body>(method: string, path: string, options: CallOptions = {}): Promise<Body> {
    const { body, file, key, headers, fields = [], within } = options;
    const payload = file ?? jsonOf(body);
    const type = file ? "application/octet-stream" : "application/json";
    const {
      status,
      headers: answered,
      bytes,
    } = await send({
      method,
      path,
      headers: {
        ...headers,
        accept: "application/json",
        ...(payload === undefined ? {} : { "content-type": type }),
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      payload,
      within,
    });
    const answer = readJson(bytes.toString());
    if (status < 200 || status > 299) throw refusalOf(url, status, answer, { path, headers: answered });
    if (!isObject(answer) || fields.some((field) => !(field in answer))) throw notSandglass(url);
    return answer as Body;
  }

  const asked = { [SURFACE_HEADER]: surface, ...tokenHeader(token) };

  const control = <Body>(method: string, path: string, options?: CallOptions) =>
    call<Body>(method, `/_sandbox${path}`, { ...options, headers: { ...options?.headers, ...asked } });

  /** A call of the control API that is answered with a file. */
  async function file(path: string): Promise<Buffer> {
    const { status, bytes } = await send({ method: "GET", path: `/_sandbox${path}`, headers: asked });
    if (status === 200) return bytes;
    throw refusalOf(url, status, readJson(bytes.toString()));
  }

  const saveSnapshot = (name?: string) =>
    control<SnapshotView>("POST", "/snapshots", {
      body: name === undefined ? {} : { name },
      fields: ["name", "now"],
    });
  const deleteSnapshot = (name: string) =>
    control<{ name: string }>("DELETE", `/snapshots/${encodeURIComponent(name)}`, { fields: ["deleted"] });
  const downloadSnapshot = (name: string) => file(`/snapshots/${encodeURIComponent(name)}/download`);

  return {
    url,
    token,
    /** A call of the control API, below /_sandbox. */
    control,

    status: (within = STATUS_WITHIN_MS) =>
      control<Status>("GET", "/status", { fields: ["ready", "version", "clock", "keys"], within }),

    pay: (request: PayRequest) =>
      control<PayResult>("POST", "/payments", { body: request, fields: ["transaction", "session"] }),

    expireSession: (id: string) =>
      control<SessionResource>("POST", `/sessions/${encodeURIComponent(id)}/expire`, {
        fields: ["id", "status"],
      }),

    advance: (request: ClockAdvance) =>
      control<Advance>("POST", "/clock/advance", { body: request, fields: ["from", "to", "ledger"] }),

    cancelAdvance: () =>
      control<AdvanceCancellation>("DELETE", "/clock/advance", { fields: ["cancelled", "now"] }),

    previewAdvance: (request: ClockAdvance) =>
      control<AdvancePreview>("POST", "/clock/advance", {
        body: { ...request, dryRun: true },
        fields: ["would_fire"],
      }),

    snapshots: async () =>
      (await control<{ data: SnapshotView[] }>("GET", "/snapshots", { fields: ["data"] })).data,

    /** Without a name the sandbox makes one. */
    saveSnapshot,

    restoreSnapshot: (name: string) =>
      control<Status>("POST", `/snapshots/${encodeURIComponent(name)}/restore`, { fields: ["clock"] }),

    deleteSnapshot,

    /** A snapshot as the bytes of a file. */
    downloadSnapshot,

    /** The world as the bytes of a snapshot's file; none is left at the sandbox. */
    async snapshotFile(): Promise<Buffer> {
      const { name } = await saveSnapshot();
      try {
        return await downloadSnapshot(name);
      } finally {
        await deleteSnapshot(name);
      }
    },

    /**
     * What happened in the world, as an HTML page.
     * @param after the journal entry after which it begins, by its seq
     */
    worldPage: async (title: string, after: number): Promise<string> => {
      const query = new URLSearchParams({ title: title.slice(0, MOST_TITLE), after: String(after) });
      return (await file(`/report.html?${query}`)).toString();
    },

    uploadSnapshot: (name: string, file: Buffer) =>
      control<SnapshotView>("POST", `/snapshots/upload?name=${encodeURIComponent(name)}`, {
        file,
        fields: ["name", "now"],
      }),

    mintToken: (request: TokenRequest) =>
      control<MintedToken>("POST", "/game/tokens", { body: request, fields: ["token", "player", "game"] }),

    /** Registers a webhook endpoint for the organization of an API key, or for the first one. */
    registerWebhook: (request: WebhookRegistration, key?: string) =>
      control<WebhookWithSecret>("POST", "/webhooks", {
        body: request,
        fields: ["id", "secret", "organization"],
        ...(key === undefined ? {} : { key }),
      }),

    /** Every webhook endpoint, with its secret. */
    webhooks: async () =>
      (await control<{ data: WebhookWithSecret[] }>("GET", "/webhooks", { fields: ["data"] })).data,

    /** A call below the sandbox's address that resolves with any answer. Headers win over those it would send. */
    async request<Body>(
      method: string,
      path: string,
      { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
    ): Promise<Answer<Body>> {
      const payload = jsonOf(body);
      const usual = { accept: "application/json", ...(payload && { "content-type": "application/json" }) };
      const access = path.startsWith("/_sandbox/") ? tokenHeader(token) : {};
      const answer = await send({ method, path, headers: { ...usual, ...access, ...headers }, payload });
      return {
        status: answer.status,
        headers: Object.fromEntries(
          Object.entries(answer.headers).map(([name, value]) => [name, [value].flat().join(", ")]),
        ),
        body: readJson(answer.bytes.toString()) as Body,
      };
    },

    /** A call of the payments platform, below /api/v1. */
    platform: <Body>(method: string, path: string, key: string, options: Omit<CallOptions, "key"> = {}) =>
      call<Body>(method, `${PLATFORM_PATH}${path}`, { ...options, key }),
  };
}
