import { misuse } from "../errors/errors.ts";
import { noPlatform } from "../errors/no-platform.ts";
import { shownValue } from "../errors/shown.ts";
import { refuseUnknownOptions } from "../errors/unknown-option.ts";
import type { Sandbox, WorldOptions } from "../library/index.ts";
import { OPEN_PATH } from "../runtime/share-link.ts";
import { type Client, connectTo, type Status } from "./http.ts";
import { checkText, libraryCalls, wrongArgument } from "./library-calls.ts";
import { PLATFORM_PATH } from "./refusal.ts";
import { senderOf } from "./sender-of.ts";
import type { Reached, Send } from "./transport.ts";

/** How to reach a sandbox, and how to close it. */
export interface Connection extends Reached {
  /** The link that opens the sandbox from other machines, if this process shares it. */
  shareLink?: string | null;
  /** The socket behind the URL, for a sandbox without a port. */
  socketPath?: string | null;
  send: (url: string) => Send;
  close(): Promise<void>;
}

/** Access to the internals of a world, for Sandglass's own helpers. */
export interface Access {
  client: Client;
  /** The `seq` of the last journal entry when the sandbox was opened. */
  after: number;
}

const REQUEST_OPTIONS = { body: true, key: true, headers: true } as const;

/** Matches the place for the world's name in a shared link. */
const WORLD_IN_LINK = new RegExp(`(?:/w/[^/]+)?${OPEN_PATH}`);

const accesses = new WeakMap<Sandbox, Access>();

/**
 * Returns a helper's access to a world.
 * @throws SandboxError `bad_request` if the value is not a sandbox from this library
 */
export function accessOf(sandbox: Sandbox, helper: string): Access {
  const access = accesses.get(sandbox);
  if (access) return access;
  throw misuse(
    `${helper} expects a sandbox, not ${shownValue(sandbox)}.`,
    "Pass the sandbox that createSandbox(), connect(), open() or fork() returned.",
  );
}

/** Opens a sandbox through its control API. @throws SandboxError `unreachable` */
export async function openRemote(connection: Connection): Promise<Sandbox> {
  const { url } = connection;
  const client = connectTo(connection, "library", connection.send(url));
  const status = await client.status();
  const server = url.replace(/\/w\/[^/]+$/, "");
  /**
   * Use the default world, which exists as long as the server. This world may be closed before other worlds that were
   * opened from it.
   */
  const main = connectTo({ ...connection, url: server }, "library", connection.send(server));

  /** Opens another world on the same server. Closing it removes the world. */
  async function open(options: WorldOptions = {}): Promise<Sandbox> {
    checkOptions("open", 0, options);
    const made = await client.run("worlds.create", { ...options });
    let ended: Promise<void> | undefined;
    const close = () => {
      ended ??= main.run("worlds.delete", { name: made.world }).then(() => {});
      return ended;
    };
    // The status contains the public URL, which may differ from the one that this client uses.
    const path = `/w/${made.world}`;
    const shareLink = connection.shareLink?.replace(WORLD_IN_LINK, path + OPEN_PATH) ?? null;
    return openRemote({ ...connection, url: server + path, shareLink, close });
  }

  // Do not spread the sandbox: that would read properties that a world with only senders does not have.
  const sandbox: Sandbox = Object.assign(surfaceOf(connection, client, status), {
    open,
    fork: (name?: string) => open({ from: status.world, ...(name === undefined ? {} : { name }) }),
  });
  accesses.set(sandbox, { client, after: status.last_seq });
  return sandbox;
}

/** The symbol may be missing in a test runner's context. Compiled `await using` then uses this one. */
const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose");

function surfaceOf(
  { url, close, shareLink = null, socketPath = null }: Connection,
  client: Client,
  status: Status,
): Omit<Sandbox, "open" | "fork"> {
  const { inboxes, ...calls } = libraryCalls(client);
  const { clock, data, game, payments, senders } = calls;
  function ofPlatform<Field>(field: Field | null): Field {
    if (field !== null) return field;
    throw noPlatform(status.senders);
  }
  const api = <Body>(method: string, path: string, body?: unknown, key = status.keys?.write) =>
    client.platform<Body>(method, path, key as string, body === undefined ? {} : { body });

  return {
    ...calls,
    url,
    shareLink,
    socketPath,
    world: status.world,
    get keys() {
      return ofPlatform(status.keys);
    },
    get organization() {
      return ofPlatform(status.organization);
    },

    platform: {
      baseUrl: `${url}/platform`,
      async call(method, path, body, key) {
        checkCall("platform.call", method, path);
        return api(method, path, body, key);
      },
      async request(method, path, request = {}) {
        checkCall("platform.request", method, path);
        checkOptions("platform.request", 2, request);
        refuseUnknownOptions(
          "platform.request",
          request,
          REQUEST_OPTIONS,
          '"POST", "/products", { body: { name: "Tea" } }',
        );
        const { body, key = status.keys?.write ?? null, headers = {} } = request;
        return client.request(method, `${PLATFORM_PATH}${path}`, {
          body,
          headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...headers },
        });
      },
    },
    data: {
      ...data,
      baseUrl: `${url}/data`,
      async get(path) {
        checkPath("data.get", 0, path);
        return client.request("GET", `/data${path}`);
      },
    },
    game: {
      ...game,
      baseUrl: `${url}/game`,
      async call(operation, body = {}) {
        checkText("game.call", 0, "the name of an operation", operation);
        return client.request("POST", `/game/launcher/${encodeURIComponent(operation)}`, { body });
      },
    },

    clock: {
      ...clock,
      now: async () => (await clock.state()).now,
      preview: (by) => client.previewAdvance(typeof by === "object" ? by : { by }),
    },

    payments: {
      ...payments,
      async pay(target, options = {}) {
        checkText("payments.pay", 0, "a payment link or a checkout session", target);
        checkOptions("payments.pay", 1, options);
        return payments.pay({
          ...(target.startsWith("cs_") ? { session_id: target } : { payment_link_id: target }),
          ...options,
        });
      },
    },

    async send(type, data, { sender } = {}) {
      checkText("send", 0, "the type of an event", type);
      const name = sender ?? senderOf(type, await senders.list());
      return senders.send(name, type, data);
    },
    inbox(name) {
      checkText("inbox", 0, "the name of an inbox", name);
      return {
        // Use the sandbox's own URL, because the sandbox recognizes its inboxes only under that URL.
        url: `${status.url}/_sandbox/inbox/${name}`,
        messages: () => inboxes.messages(name),
        behave: (behaviour) => inboxes.behave(name, behaviour),
      };
    },

    close,
    [asyncDispose]: close,
  };
}

/** Checks that a call's options are an object. @throws SandboxError `bad_request` */
function checkOptions(call: string, index: number, options: unknown): void {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw wrongArgument(call, index, "its options as an object", options);
}

function checkCall(call: string, method: unknown, path: unknown): void {
  checkText(call, 0, "an HTTP method", method);
  checkPath(call, 1, path);
}

function checkPath(call: string, index: number, path: unknown): void {
  if (typeof path !== "string" || !path.startsWith("/"))
    throw wrongArgument(call, index, "a path that begins with /", path);
}
