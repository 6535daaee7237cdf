import { SandboxError } from "../errors/errors.ts";
import type { ApiFault } from "../http/api-faults.ts";
import type { CheckoutSessionCreate } from "../payments/schemas/checkout-sessions.ts";
import type { PaymentLinkCreate } from "../payments/schemas/payment-links.ts";
import type { SubscriberFault } from "../payments/webhooks/subscriber-faults.ts";
import type { PayRequest, Sandbox } from "../sandbox/sandbox.ts";
import type { SnapshotView } from "../sandbox/snapshots.ts";
import type { NewWorld } from "../sandbox/worlds.ts";
import type { ClockState } from "../world/clock.ts";
import type { JournalEntry } from "../world/journal.ts";
import {
  type Advance,
  type Client,
  connectTo,
  type PayResult,
  type SessionResource,
  type Status,
  type TokenRequest,
} from "./http.ts";
import type { Send } from "./transport.ts";

/** What a world can be made of. */
export interface WorldOptions extends Partial<Omit<NewWorld, "startAt">> {
  /** ISO 8601, or milliseconds since the epoch. */
  startAt?: string | number;
}

/** A webhook endpoint to be made: where it is, or that and more. */
export interface EndpointOptions {
  url: string;
  events?: string[];
  description?: string;
}

/** How a checkout session is opened. */
export type SessionOptions = Omit<CheckoutSessionCreate, "payment_link_id">;

/** What goes with a call of the platform that is not just made with a key. */
export interface PlatformRequest {
  /** Sent as JSON. */
  body?: unknown;
  /** The API key: the write key without it, none for null. */
  key?: string | null;
  headers?: Record<string, string>;
}

type Timeline = ReturnType<Sandbox["timeline"]>;
type Webhook = ReturnType<Sandbox["payments"]["endpoints"]["create"]>;
type PaymentLink = ReturnType<Sandbox["payments"]["links"]["create"]>;
type Delivery = ReturnType<Sandbox["payments"]["deliveries"]["resource"]>;
type InboxMessage = ReturnType<Sandbox["payments"]["inboxes"]["messages"]>[number];
type Mail = ReturnType<Sandbox["payments"]["mail"]["list"]>[number];

/** How a sandbox is reached, and what its end is. */
export interface Connection {
  url: string;
  /** The socket behind that address, for a sandbox without a port. */
  socketPath?: string | null;
  send: (url: string) => Send;
  /** Ends what was opened for it. */
  close(): Promise<void>;
}

/** Everything a program can do to one world. The same in the process and over HTTP. Contract: "Library". */
export interface RemoteSandbox extends Surface {
  /** A new world that goes on from this one as it is now. */
  fork(name?: string): Promise<RemoteSandbox>;
  /** A new world beside this one. */
  open(options?: WorldOptions): Promise<RemoteSandbox>;
}

/** What Sandglass's own helpers reach a world through, beside its surface. */
export interface Access {
  client: Client;
  /** The journal's last entry when it was opened, by its seq. */
  after: number;
}

const accesses = new WeakMap<RemoteSandbox, Access>();

/**
 * What a helper reaches a world through.
 * @throws SandboxError `bad_request` for what is not a sandbox of this library
 */
export function accessOf(sandbox: RemoteSandbox, helper: string): Access {
  const access = accesses.get(sandbox);
  if (access) return access;
  throw new SandboxError(
    "bad_request",
    `${helper} takes a sandbox, not ${sandbox === null ? "null" : typeof sandbox}.`,
    "Pass what createSandbox(), connect(), open() or fork() resolved with.",
  );
}

/**
 * Opens a sandbox over its control API.
 * @throws SandboxError `unreachable`
 */
export async function openRemote(connection: Connection): Promise<RemoteSandbox> {
  const { url } = connection;
  const client = connectTo(url, "library", connection.send(url));
  const status = await client.status();

  /** A world of the same server; its end is the world's. */
  async function open(options: WorldOptions = {}): Promise<RemoteSandbox> {
    const body = { ...options };
    const made = await client.control<Status>("POST", "/worlds", { body, fields: ["url", "world"] });
    let ended: Promise<void> | undefined;
    const close = () => {
      ended ??= client.control("DELETE", `/worlds/${made.world}`).then(() => {});
      return ended;
    };
    return openRemote({ ...connection, url: made.url, close });
  }

  const sandbox: RemoteSandbox = {
    ...surfaceOf(connection, client, status),
    open,
    fork: (name) => open({ from: status.world, ...(name === undefined ? {} : { name }) }),
  };
  accesses.set(sandbox, { client, after: status.last_seq });
  return sandbox;
}

type Surface = ReturnType<typeof surfaceOf>;

/** A context that a test runner makes may lack the symbol; what compilers make of `await using` then takes this one. */
const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose");

function surfaceOf({ url, close, socketPath = null }: Connection, client: Client, status: Status) {
  const { control } = client;
  const at = (id: string) => `/webhooks/${encodeURIComponent(id)}`;
  const api = <Body>(method: string, path: string, body?: unknown, key = status.keys.write) =>
    client.platform<Body>(method, path, key, body === undefined ? {} : { body });

  /** The id of a link that may be named by its short code or URL. */
  async function linkId(link: string): Promise<string> {
    if (link.startsWith("pl_")) return link;
    const code = link.split("/").at(-1)!;
    const query = new URLSearchParams({ search: code, limit: "100" });
    const { data } = await api<{ data: { id: string; short_code: string }[] }>(
      "GET",
      `/payment-links?${query}`,
    );
    // What is no short code may be an id of another form: the platform says whether it knows it.
    return data.find((one) => one.short_code === code)?.id ?? link;
  }

  return {
    /** Where it answers, with `/w/{name}` for a world that has a prefix. */
    url,
    /** The socket through which HTTP clients of one's own reach a sandbox without a port; null for one with a port. */
    socketPath,
    world: status.world,
    /** The seeded API keys: write, read, expired, revoked, and one of another organization. */
    keys: status.keys,
    organization: status.organization,

    /** The payments platform. */
    platform: {
      baseUrl: status.bases.platform,
      /** A call below /api/v1, with the write key unless another is given. */
      call: api,
      /** A call below /api/v1 that resolves with status, headers and body, whatever the platform answers. */
      request: <Body = unknown>(
        method: string,
        path: string,
        { body, key = status.keys.write, headers = {} }: PlatformRequest = {},
      ) =>
        client.request<Body>(method, `/platform/api/v1${path}`, {
          body,
          headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...headers },
        }),
    },
    /** Chain data. */
    data: {
      baseUrl: status.bases.data,
      /**
       * Asks for what is at a path with its query, such as `/insights/v1/tokens/lookup?symbol=USDC`. Resolves with
       * status, headers and body, whatever the area answers: the headers tell where it comes from.
       */
      get: <Body = unknown>(path: string) => client.request<Body>("GET", `/data${path}`),
      purge: () => control<{ purged: number }>("DELETE", "/data/cache"),
      setProvider: (name: string, change: { state: string; status?: number; latency?: string | number }) =>
        control<{ name: string; state: string }>("PUT", `/data/providers/${name}`, { body: change }),
      setHoldings: (address: string, tokens: readonly unknown[], chainId?: number) =>
        control<{ rows: number }>("PUT", `/data/addresses/${address}`, {
          body: { tokens, ...(chainId === undefined ? {} : { chain_id: chainId }) },
        }),
    },
    /** The game launcher. */
    game: {
      baseUrl: status.bases.game,
      /** Mints a launcher JWT. */
      token: (request: TokenRequest = {}) => client.mintToken(request),
      /**
       * Calls an operation of the launcher by its path, such as `set-user-score`. Resolves with status, headers and
       * body, whatever the area answers.
       */
      call: <Body = unknown>(operation: string, body: Readonly<Record<string, unknown>> = {}) =>
        client.request<Body>("POST", `/game/launcher/${encodeURIComponent(operation)}`, { body }),
    },

    clock: {
      state: () => control<ClockState>("GET", "/clock"),
      /** The virtual time, ISO 8601. */
      now: async () => (await control<ClockState>("GET", "/clock")).now,
      /** By a duration (`1h`), or `{by}`, `{to}` or `{until}`; resolves once the world is quiet there. */
      advance: (by: string | number | Advance) => client.advance(typeof by === "object" ? by : { by }),
      /**
       * Ends the advance in progress, between two instants; that one then resolves with `cancelled: true` and what
       * happened up to there. Resolves once it has ended, also where there was none.
       */
      cancelAdvance: () => client.cancelAdvance(),
      /** What an advance would find due. */
      preview: (by: string | number | Advance) => client.previewAdvance(typeof by === "object" ? by : { by }),
      pause: () => control<ClockState>("POST", "/clock/pause"),
      resume: () => control<ClockState>("POST", "/clock/resume"),
      set: (change: { mode?: string; rate?: number; now?: string | number }) =>
        control<ClockState>("PUT", "/clock", { body: change }),
    },

    payments: {
      /** Pays a link (its id, short code or URL) or a session; resolves once the first deliveries were made. */
      pay: (
        target: string,
        input: Omit<PayRequest, "payment_link_id" | "session_id"> = {},
      ): Promise<PayResult> =>
        client.pay({
          ...(target.startsWith("cs_") ? { session_id: target } : { payment_link_id: target }),
          ...input,
        }),
      /** A new payment link; where the money goes is the organization's default unless it says so. */
      createLink: (options: PaymentLinkCreate) => api<PaymentLink>("POST", "/payment-links", options),
      /** A link as it stands. */
      link: async (link: string) =>
        api<PaymentLink>("GET", `/payment-links/${encodeURIComponent(await linkId(link))}`),
      /**
       * Opens a checkout session of a link (its id, short code or URL); for one with terms of its own,
       * `platform.call("POST", "/checkout-sessions", …)`.
       */
      openSession: async (link: string, options: SessionOptions = {}) =>
        api<SessionResource>("POST", "/checkout-sessions", {
          payment_link_id: await linkId(link),
          ...options,
        }),
      /** A checkout session as it stands. */
      session: (id: string) => api<SessionResource>("GET", `/checkout-sessions/${encodeURIComponent(id)}`),
      expire: client.expireSession,
      /** A payment as it stands: pending, confirming, completed or failed. */
      transaction: (id: string) =>
        api<PayResult["transaction"]>("GET", `/transactions/${encodeURIComponent(id)}`),
    },

    webhooks: {
      create: (options: string | EndpointOptions) =>
        api<Webhook>("POST", "/webhooks", typeof options === "string" ? { url: options } : options),
      list: client.webhooks,
      /** Attempts, planned retries, the counter and what changed. */
      timeline: (id: string) => control<Timeline>("GET", `${at(id)}/timeline`),
      /** The latest attempts with all that was sent and came back, newest first; 100 at most. */
      deliveries: async (id: string) =>
        (await api<{ data: Delivery[] }>("GET", `${at(id)}/deliveries?limit=100`)).data,
      /** Retries a failed delivery by hand, at once; resolves with the new attempt. */
      retry: (id: string, delivery: string) =>
        api<Delivery>("POST", `${at(id)}/deliveries/${encodeURIComponent(delivery)}/retry`),
      /** Sends a synthetic payment.completed, at once. */
      test: (id: string) =>
        api<{ delivery_id: string; response_code: number | null; success: boolean }>(
          "POST",
          `${at(id)}/test`,
        ),
      delete: async (id: string): Promise<void> => void (await api("DELETE", at(id))),
      /** Makes the subscriber fail, until it is told to work again. */
      fail: async (id: string, fault: SubscriberFault): Promise<void> =>
        void (await control("PUT", `${at(id)}/fault`, { body: fault })),
      work: async (id: string): Promise<void> => void (await control("DELETE", `${at(id)}/fault`)),
      enable: (id: string) => control<{ status: string }>("POST", `${at(id)}/enable`),
      disable: (id: string) => control<{ status: string }>("POST", `${at(id)}/disable`),
    },

    /** A built-in subscriber: point a webhook at its URL. */
    inbox: (name: string) => ({
      url: `${url}/_sandbox/inbox/${name}`,
      messages: async () => (await control<{ data: InboxMessage[] }>("GET", `/inbox/${name}`)).data,
      behave: async (behaviour: unknown): Promise<void> =>
        void (await control("PUT", `/inbox/${name}/behaviour`, { body: behaviour })),
    }),

    /** Makes the API of an area (platform, data, game) itself fail or lag. */
    faults: {
      set: async (area: string, fault: ApiFault): Promise<void> =>
        void (await control("PUT", `/faults/${area}`, { body: fault })),
      clear: async (area: string): Promise<void> => void (await control("DELETE", `/faults/${area}`)),
    },

    mail: async () => (await control<{ data: Mail[] }>("GET", "/mail")).data,

    /** The journal: everything that happened, in order. `types` is a name or several; each may end in `*`. */
    async events({
      types = [],
      after = 0,
    }: {
      types?: string | readonly string[];
      after?: number;
    } = {}): Promise<JournalEntry[]> {
      const names = [types].flat().join(",");
      const query = new URLSearchParams({ limit: "10000", after: String(after), types: names });
      return (await control<{ data: JournalEntry[] }>("GET", `/events?${query}`)).data;
    },

    /** Saves the whole world; a name is made when none is given. */
    snapshot: (name?: string): Promise<SnapshotView> => client.saveSnapshot(name),
    /** Takes the world back to a snapshot. */
    restore: async (snapshot: SnapshotView | string): Promise<void> =>
      void (await client.restoreSnapshot(typeof snapshot === "string" ? snapshot : snapshot.name)),
    reset: async (seed?: string): Promise<void> =>
      void (await control("POST", "/reset", { body: seed === undefined ? {} : { seed } })),

    /** Ends the world, or the sandbox that was made with it. */
    close,
    [asyncDispose]: close,
  };
}
