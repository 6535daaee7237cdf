import type { EngineContext } from "./context.ts";
import { type EndpointHeaders, readStoredHeaders } from "./endpoint-headers.ts";
import { expandUrl, isWithin, mayConnect } from "./endpoint-url.ts";
import type { WebhookRow } from "./rows.ts";
import type { Sender } from "./sender.ts";

/** What determines which events an endpoint gets. */
export type Subscription = Pick<WebhookRow, "id" | "status" | "seeded">;

/** Everything needed to send to an endpoint. */
export interface Target extends Pick<WebhookRow, "id" | "org" | "secret" | "confined_to"> {
  sender: Sender;
  /** The endpoint's own headers, in addition to the sender's. */
  headers: EndpointHeaders;
  url: string;
  origin: string;
  path: string;
  /** Whether the sandbox may connect to the endpoint. */
  connects: boolean;
}

export type Subscriptions = ReturnType<typeof createSubscriptions>;

/**
 * Which endpoints get which events, and their addresses. Cached until an endpoint changes, because every event needs it.
 */
export function createSubscriptions({ world, settings, origin, ownOrigin, senders }: EngineContext) {
  const { store } = world;
  const read = store.sql<Subscription & { events: string }>(
    "select id, status, seeded, events from webhooks where org = ? and deleted_at is null order by created_at, id",
  );
  const readTarget = store.sql<
    Pick<WebhookRow, "id" | "org" | "sender" | "url" | "secret" | "confined_to" | "headers">
  >("select id, org, sender, url, secret, confined_to, headers from webhooks where id = ?");
  /** Keyed by account and event type, separated by a space. */
  const subscribers = store.remember((key: string): Subscription[] => {
    const [org, type] = key.split(" ") as [string, string];
    return read.all(org).filter(({ events }) => {
      const names = JSON.parse(events) as string[];
      return names.includes("*") || names.includes(type);
    });
  });
  const targets = store.remember((id: string): Target => {
    const row = readTarget.get(id)!;
    // An inbox's public address may differ from the one within this process.
    const reached = expandUrl(row.url, ownOrigin());
    const { origin: host, hostname, pathname, search } = new URL(reached);
    return {
      ...row,
      sender: senders.of(row.sender),
      headers: readStoredHeaders(row.headers),
      url: expandUrl(row.url, origin()),
      origin: host,
      path: pathname + search,
      connects:
        mayConnect(reached, settings) && (row.confined_to === null || isWithin(hostname, row.confined_to)),
    };
  });

  return {
    /**
     * An account's endpoints that subscribe to `type`, oldest first, including disabled ones.
     * @param past whether the event belongs to the seeded history, which only seeded endpoints get
     */
    of(org: string, type: string, past = false): Subscription[] {
      const all = subscribers.get(`${org} ${type}`);
      return past ? all.filter(({ seeded }) => seeded === 1) : all;
    },

    /**
     * An endpoint's address, and how to sign for it. @param type the event's type, which may have its own path there
     */
    target(id: string, type?: string): Target {
      const target = targets.get(id);
      const url = type === undefined ? target.url : target.sender.addressOf?.(type, target.url);
      if (url === undefined || url === target.url) return target;
      const { pathname, search } = new URL(url);
      return { ...target, url, path: pathname + search };
    },

    /** Call this after an endpoint is created, changed, disabled, enabled or deleted. */
    forget(): void {
      subscribers.clear();
      targets.clear();
    },
  };
}
