import type { EngineContext } from "./context.ts";
import { type EndpointHeaders, readStoredHeaders } from "./endpoint-headers.ts";
import { expandUrl, isWithin, mayConnect } from "./endpoint-url.ts";
import type { WebhookRow } from "./rows.ts";
import type { Sender } from "./sender.ts";

/** What deciding who gets an event needs to know of an endpoint. */
export type Subscription = Pick<WebhookRow, "id" | "status" | "seeded">;

/** What sending to an endpoint needs to know of it. */
export interface Target extends Pick<WebhookRow, "id" | "org" | "secret" | "confined_to"> {
  sender: Sender;
  /** Its own, besides those of the sender. */
  headers: EndpointHeaders;
  url: string;
  /** Where it is reached. */
  origin: string;
  /** Path and query of the URL. */
  path: string;
  /** Whether the sandbox may connect there. */
  connects: boolean;
}

export type Subscriptions = ReturnType<typeof createSubscriptions>;

/** Which endpoints get which events, and where they are: remembered until an endpoint changes, as every event asks. */
export function createSubscriptions({ world, settings, origin, ownOrigin, senderOf }: EngineContext) {
  const { store } = world;
  const read = store.sql<Subscription & { events: string }>(
    "select id, status, seeded, events from webhooks where org = ? and deleted_at is null order by created_at, id",
  );
  const readTarget = store.sql<
    Pick<WebhookRow, "id" | "org" | "sender" | "url" | "secret" | "confined_to" | "headers">
  >("select id, org, sender, url, secret, confined_to, headers from webhooks where id = ?");
  /** By account and event type, joined by a space. */
  const subscribers = store.remember((key: string): Subscription[] => {
    const [org, type] = key.split(" ") as [string, string];
    return read.all(org).filter(({ events }) => {
      const names = JSON.parse(events) as string[];
      return names.includes("*") || names.includes(type);
    });
  });
  const targets = store.remember((id: string): Target => {
    const row = readTarget.get(id)!;
    // An inbox is shown where others find it, and reached where this process does.
    const reached = expandUrl(row.url, ownOrigin());
    const { origin: host, hostname, pathname, search } = new URL(reached);
    return {
      ...row,
      sender: senderOf(row.sender),
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
     * The endpoints of an account that subscribe to `type`, oldest first, disabled ones too.
     * @param past whether the event is about the seeded past, which is of no interest to endpoints made since
     */
    of(org: string, type: string, past = false): Subscription[] {
      const all = subscribers.get(`${org} ${type}`);
      return past ? all.filter(({ seeded }) => seeded === 1) : all;
    },

    /** Where to send what is for an endpoint, and how to sign it. */
    target: (id: string): Target => targets.get(id),

    /** To be called when an endpoint was created, changed, disabled, enabled or deleted. */
    forget(): void {
      subscribers.clear();
      targets.clear();
    },
  };
}
