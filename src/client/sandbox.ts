import { SandboxError } from "../errors/errors.ts";
import { shownValue } from "../errors/shown.ts";
import type { ApiFault } from "../http/api-faults.ts";
import type { JournalEntry, Sandbox, TestDelivery, WorldOptions } from "../library/index.ts";
import type { Payments } from "../payments/payments.ts";
import type { CheckoutSessionCreate } from "../payments/schemas/checkout-sessions.ts";
import type { PaymentLinkCreate } from "../payments/schemas/payment-links.ts";
import type { WebhookCreate } from "../payments/schemas/webhooks.ts";
import type { InboxBehaviour } from "../payments/webhooks/inbox.ts";
import type { SubscriberFault } from "../payments/webhooks/subscriber-faults.ts";
import { OPEN_PATH } from "../runtime/share-link.ts";
import type { Sandbox as Server } from "../sandbox/sandbox.ts";
import type { ClockState } from "../world/clock.ts";
import { withCheckedArguments } from "./call-arguments.ts";
import {
  type Client,
  connectTo,
  type SessionResource,
  type Status,
  type TransactionResource,
} from "./http.ts";
import { PLATFORM_PATH } from "./refusal.ts";
import type { Reached, Send } from "./transport.ts";

/** What the server answers with. That it is what the library promises is checked where it is returned below. */
type Wire = {
  disabled: ReturnType<Server["payments"]["disableWebhook"]>;
  enabled: ReturnType<Server["payments"]["enableWebhook"]>;
  delivery: ReturnType<Payments["deliveries"]["resource"]>;
  link: ReturnType<Payments["links"]["create"]>;
  mail: ReturnType<Payments["mail"]["list"]>[number];
  message: ReturnType<Server["payments"]["inboxes"]["messages"]>[number];
  timeline: ReturnType<Server["payments"]["timeline"]>;
  webhook: ReturnType<Payments["endpoints"]["create"]>;
  resent: Awaited<ReturnType<Server["payments"]["resend"]>>;
  retried: Awaited<ReturnType<Server["payments"]["retryFailed"]>>;
  holdings: ReturnType<Server["data"]["setHoldings"]>;
  provider: ReturnType<Server["data"]["setProvider"]>;
};

/** How a sandbox is reached, and what its end is. */
export interface Connection extends Reached {
  /** The link that opens it from other machines, where this process shares it. */
  shareLink?: string | null;
  /** The socket behind that address, for a sandbox without a port. */
  socketPath?: string | null;
  send: (url: string) => Send;
  /** Ends what was opened for it. */
  close(): Promise<void>;
}

/** What Sandglass's own helpers reach a world through, beside its surface. */
export interface Access {
  client: Client;
  /** The journal's last entry when it was opened, by its seq. */
  after: number;
}

/** Where a shared link names its world. */
const WORLD_IN_LINK = new RegExp(`(?:/w/[^/]+)?${OPEN_PATH}`);

const accesses = new WeakMap<Sandbox, Access>();

/**
 * What a helper reaches a world through.
 * @throws SandboxError `bad_request` for what is not a sandbox of this library
 */
export function accessOf(sandbox: Sandbox, helper: string): Access {
  const access = accesses.get(sandbox);
  if (access) return access;
  throw new SandboxError(
    "bad_request",
    `${helper} takes a sandbox, not ${shownValue(sandbox)}.`,
    "Pass what createSandbox(), connect(), open() or fork() resolved with.",
  );
}

/**
 * Opens a sandbox over its control API.
 * @throws SandboxError `unreachable`
 */
export async function openRemote(connection: Connection): Promise<Sandbox> {
  const { url } = connection;
  const client = connectTo(connection, "library", connection.send(url));
  const status = await client.status();
  const server = url.replace(/\/w\/[^/]+$/, "");
  /** The default world, which is there as long as the server: this one may end before those that are made through it. */
  const main = connectTo({ ...connection, url: server }, "library", connection.send(server));

  /** A world of the same server; its end is the world's. */
  async function open(options: WorldOptions = {}): Promise<Sandbox> {
    const body = { ...options };
    const made = await client.control<Status>("POST", "/worlds", { body, fields: ["url", "world"] });
    let ended: Promise<void> | undefined;
    const close = () => {
      ended ??= main.control("DELETE", `/worlds/${made.world}`).then(() => {});
      return ended;
    };
    // The status names the address for others, which may not be the one by which this client reaches the server.
    const path = `/w/${made.world}`;
    const shareLink = connection.shareLink?.replace(WORLD_IN_LINK, path + OPEN_PATH) ?? null;
    return openRemote({ ...connection, url: server + path, shareLink, close });
  }

  const sandbox: Sandbox = withCheckedArguments({
    ...surfaceOf(connection, client, status),
    open,
    fork: (name) => open({ from: status.world, ...(name === undefined ? {} : { name }) }),
  });
  accesses.set(sandbox, { client, after: status.last_seq });
  return sandbox;
}

/** A context that a test runner makes may lack the symbol; what compilers make of `await using` then takes this one. */
const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose");

function surfaceOf(
  { url, close, shareLink = null, socketPath = null }: Connection,
  client: Client,
  status: Status,
): Omit<Sandbox, "open" | "fork"> {
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
    url,
    shareLink,
    socketPath,
    world: status.world,
    keys: status.keys,
    organization: status.organization,

    platform: {
      baseUrl: `${url}/platform`,
      call: api,
      request: (method, path, { body, key = status.keys.write, headers = {} } = {}) =>
        client.request(method, `${PLATFORM_PATH}${path}`, {
          body,
          headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...headers },
        }),
    },
    data: {
      baseUrl: `${url}/data`,
      get: (path) => client.request("GET", `/data${path}`),
      purge: () => control<{ purged: number }>("DELETE", "/data/cache"),
      setProvider: (name, change) =>
        control<Wire["provider"]>("PUT", `/data/providers/${name}`, { body: change }),
      setHoldings: (address, tokens, chainId) =>
        control<Wire["holdings"]>("PUT", `/data/addresses/${address}`, {
          body: { tokens, ...(chainId === undefined ? {} : { chain_id: chainId }) },
        }),
    },
    game: {
      baseUrl: `${url}/game`,
      token: (request = {}) => client.mintToken(request),
      call: (operation, body = {}) =>
        client.request("POST", `/game/launcher/${encodeURIComponent(operation)}`, { body }),
    },

    clock: {
      state: () => control<ClockState>("GET", "/clock"),
      now: async () => (await control<ClockState>("GET", "/clock")).now,
      advance: (by) => client.advance(typeof by === "object" ? by : { by }),
      cancelAdvance: () => client.cancelAdvance(),
      preview: (by) => client.previewAdvance(typeof by === "object" ? by : { by }),
      pause: () => control<ClockState>("POST", "/clock/pause"),
      resume: () => control<ClockState>("POST", "/clock/resume"),
      set: (change) => control<ClockState>("PUT", "/clock", { body: change }),
    },

    payments: {
      pay: (target, options = {}) =>
        client.pay({
          ...(target.startsWith("cs_") ? { session_id: target } : { payment_link_id: target }),
          ...options,
        }),
      createLink: (options) =>
        api<Wire["link"]>("POST", "/payment-links", options satisfies PaymentLinkCreate),
      link: async (link) =>
        api<Wire["link"]>("GET", `/payment-links/${encodeURIComponent(await linkId(link))}`),
      openSession: async (link, options = {}) =>
        api<SessionResource>("POST", "/checkout-sessions", {
          payment_link_id: await linkId(link),
          ...options,
        } satisfies CheckoutSessionCreate),
      session: (id) => api<SessionResource>("GET", `/checkout-sessions/${encodeURIComponent(id)}`),
      expire: client.expireSession,
      transaction: (id) => api<TransactionResource>("GET", `/transactions/${encodeURIComponent(id)}`),
    },

    webhooks: {
      create: (options) =>
        api<Wire["webhook"]>(
          "POST",
          "/webhooks",
          (typeof options === "string" ? { url: options } : options) satisfies WebhookCreate,
        ),
      list: client.webhooks,
      timeline: (id) => control<Wire["timeline"]>("GET", `${at(id)}/timeline`),
      deliveries: async (id) =>
        (await api<{ data: Wire["delivery"][] }>("GET", `${at(id)}/deliveries?limit=100`)).data,
      retry: (id, delivery) =>
        api<Wire["delivery"]>("POST", `${at(id)}/deliveries/${encodeURIComponent(delivery)}/retry`),
      retryFailed: ({ endpoint, since } = {}) =>
        control<Wire["retried"]>("POST", "/deliveries/retry", {
          body: {
            ...(since === undefined ? {} : { since }),
            ...(endpoint === undefined ? {} : { webhook_id: endpoint }),
          },
        }),
      resend: async (id, { endpoint } = {}) =>
        (
          await control<Wire["resent"]>("POST", `/deliveries/${encodeURIComponent(id)}/resend`, {
            body: endpoint === undefined ? {} : { webhook_id: endpoint },
          })
        ).data,
      test: (id) => api<TestDelivery>("POST", `${at(id)}/test`),
      delete: async (id) => void (await api("DELETE", at(id))),
      fail: async (id, fault) =>
        void (await control("PUT", `${at(id)}/fault`, { body: fault satisfies SubscriberFault })),
      work: async (id) => void (await control("DELETE", `${at(id)}/fault`)),
      enable: (id) => control<Wire["enabled"]>("POST", `${at(id)}/enable`),
      disable: (id) => control<Wire["disabled"]>("POST", `${at(id)}/disable`),
    },

    inbox: (name) => ({
      // Where the sandbox itself says that it is: only there its inboxes are its own.
      url: `${status.url}/_sandbox/inbox/${name}`,
      messages: async () => (await control<{ data: Wire["message"][] }>("GET", `/inbox/${name}`)).data,
      behave: async (behaviour) =>
        void (await control("PUT", `/inbox/${name}/behaviour`, { body: behaviour satisfies InboxBehaviour })),
    }),

    faults: {
      set: async (area, fault) =>
        void (await control("PUT", `/faults/${area}`, { body: fault satisfies ApiFault })),
      clear: async (area) => void (await control("DELETE", `/faults/${area}`)),
    },

    mail: async () => (await control<{ data: Wire["mail"][] }>("GET", "/mail")).data,

    async events({ types = [], after = 0 } = {}) {
      const names = [types].flat().join(",");
      const query = new URLSearchParams({ limit: "10000", after: String(after), types: names });
      return (await control<{ data: JournalEntry[] }>("GET", `/events?${query}`)).data;
    },

    snapshot: (name) => client.saveSnapshot(name),
    restore: async (snapshot) =>
      void (await client.restoreSnapshot(typeof snapshot === "string" ? snapshot : snapshot.name)),
    reset: async (seed) =>
      void (await control("POST", "/reset", { body: seed === undefined ? {} : { seed } })),

    close,
    [asyncDispose]: close,
  };
}
