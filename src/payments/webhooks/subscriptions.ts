import type { PaymentsContext } from "../context.ts";
import type { WebhookRow } from "../rows.ts";
import { expandUrl, mayConnect } from "./endpoint-url.ts";
import type { EventType } from "./payload.ts";

/** What deciding who gets an event needs to know of an endpoint. */
export type Subscription = Pick<WebhookRow, "id" | "status">;

/** What sending to an endpoint needs to know of it. */
export interface Target extends Pick<WebhookRow, "id" | "org" | "secret"> {
  url: string;
  origin: string;
  /** Path and query of the URL. */
  path: string;
  /** Whether the sandbox may connect there. */
  connects: boolean;
  /** What the latest attempt wrote into the endpoint's row. */
  noted?: { failures: number; at: number };
}

export type Subscriptions = ReturnType<typeof createSubscriptions>;

/** Which endpoints get which events, and where they are. Kept in memory until an endpoint changes, as every event asks. */
export function createSubscriptions({ world, settings, origin }: PaymentsContext) {
  const { store } = world;
  const read = store.sql<Subscription & { events: string }>(
    "select id, status, events from webhooks where org = ? and deleted_at is null order by created_at, id",
  );
  const known = new Map<string, Subscription[]>();
  const readTarget = store.sql<Pick<WebhookRow, "id" | "org" | "url" | "secret">>(
    "select id, org, url, secret from webhooks where id = ?",
  );
  const targets = new Map<string, Target>();
  const forget = () => {
    known.clear();
    targets.clear();
  };
  store.onRestore(forget);
  store.afterTransaction((committed) => {
    if (!committed) forget();
  });

  return {
    /** The endpoints of an organization that subscribe to `type`, oldest first, disabled ones too. */
    of(org: string, type: EventType): Subscription[] {
      const key = `${org} ${type}`;
      let found = known.get(key);
      if (!found) {
        found = read.all(org).filter(({ events }) => {
          const names = JSON.parse(events) as string[];
          return names.includes("*") || names.includes(type);
        });
        known.set(key, found);
      }
      return found;
    },
    /** Where to send what is for an endpoint, and how to sign it. */
    target(id: string): Target {
      let target = targets.get(id);
      if (!target) {
        const row = readTarget.get(id)!;
        const url = expandUrl(row.url, origin());
        const { origin: host, pathname, search } = new URL(url);
        target = {
          ...row,
          url,
          origin: host,
          path: pathname + search,
          connects: mayConnect(url, settings.webhooks),
        };
        targets.set(id, target);
      }
      return target;
    },
    /** To be called when an endpoint was made, changed, disabled, enabled or deleted. */
    forget,
  };
}
