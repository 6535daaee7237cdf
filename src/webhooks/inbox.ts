import { readDelay } from "../http/delay.ts";
import { iso } from "../world/duration.ts";
import type { EngineContext } from "./context.ts";
import { expandUrl } from "./endpoint-url.ts";
import type { Endpoints } from "./endpoints.ts";
import type { WebhookRow } from "./rows.ts";

/** How many messages an inbox retains. */
const KEPT_MESSAGES = 1_000;

/** How an inbox responds. */
export interface InboxBehaviour {
  /** The status of the inbox's responses; 200 by default. */
  status?: number;
  /** Statuses for the next deliveries, one each. After the last one, the inbox responds with `status` again. */
  sequence?: number[];
  /** Real milliseconds to wait before responding. */
  delay?: number;
  body?: string;
}

export const INBOX_SIGNATURES = ["valid", "invalid", "missing", "unknown_webhook"] as const;

interface MessageRow {
  seq: number;
  received_at: number;
  headers: string;
  body: string;
  signature: (typeof INBOX_SIGNATURES)[number];
  answered: number;
}

interface Recognized extends Pick<MessageRow, "signature"> {
  delivery: string | null;
  type: string | null;
}

/** A received message; its time is virtual, in ISO 8601. */
interface Message extends Pick<MessageRow, "seq" | "body" | "signature" | "answered"> {
  received_at: string;
  headers: Record<string, string>;
}

/**
 * Built-in subscribers: an endpoint can point to one, which stores what it receives. See docs/guide/faults.md, "An
 * inbox".
 */
export interface Inboxes {
  /** Stores a request and decides how to respond to it after `delay` real milliseconds. */
  receive(
    inbox: string,
    headers: Message["headers"],
    body: string,
  ): Required<Omit<InboxBehaviour, "sequence">>;
  list(): { data: { name: string; messages: number; last_received_at: string }[] };
  /** An inbox's messages after `seq`, oldest first. */
  messages(range: { name: string; after: number; limit: number }): { data: Message[] };
  behaviour(inbox: { name: string }): InboxBehaviour;
  /** Replaces its behaviour. @throws SandboxError `bad_request`, `invalid_duration` for a delay */
  behave(
    behaviour: { name: string; delay?: string | number } & Omit<InboxBehaviour, "delay">,
  ): InboxBehaviour;
}

export function createInboxes({ world, origin, senders }: EngineContext, endpoints: Endpoints): Inboxes {
  const { store, clock, journal } = world;
  const insert = store.sql(
    "insert into inbox_messages (inbox, received_at, headers, body, signature, answered) values (?, ?, ?, ?, ?, ?)",
  );
  const trim = store.sql(
    "delete from inbox_messages where inbox = ? and seq <= (select seq from inbox_messages where inbox = ? order by seq desc limit 1 offset ?)",
  );
  const messages = store.sql<MessageRow>(
    "select seq, received_at, headers, body, signature, answered from inbox_messages where inbox = ? and seq > ? order by seq limit ?",
  );
  const summary = store.sql<{ name: string; messages: number; last_received_at: number }>(
    "select inbox as name, count(*) as messages, max(received_at) as last_received_at from inbox_messages group by inbox order by inbox",
  );
  const readBehaviour = store.sql<{ behaviour: string; calls: number }>(
    "select behaviour, calls from inbox_behaviours where inbox = ?",
  );
  const writeBehaviour = store.sql(
    "insert or replace into inbox_behaviours (inbox, behaviour, calls) values (?, ?, 0)",
  );
  const present = store.sql<WebhookRow>(
    "select * from webhooks where deleted_at is null order by created_at, id",
  );
  const countCall = store.sql("update inbox_behaviours set calls = calls + 1 where inbox = ?");

  function read(inbox: string): { behaviour: InboxBehaviour; calls: number } {
    const stored = readBehaviour.get(inbox);
    return { behaviour: stored ? JSON.parse(stored.behaviour) : {}, calls: stored?.calls ?? 0 };
  }

  /**
   * Identifies a request's sender and verifies its signature. The senders of areas name the endpoint in the request;
   * other senders may not.
   */
  function recognize(inbox: string, headers: Record<string, string>, body: string): Recognized {
    const request = { headers, body, url: `${origin()}/_sandbox/inbox/${inbox}` };
    const ofAreas = senders.ofAreas().map(({ sender }) => sender);
    for (const row of present.all()) {
      if (expandUrl(row.url, origin()) !== request.url) continue;
      const sender = senders.of(row.sender);
      const signature = ofAreas.includes(sender) ? "missing" : sender.verify(request, row.secret);
      if (signature !== "missing") return { delivery: null, type: sender.typeOf(request), signature };
    }
    const isSigned = Object.keys(headers).some((name) => /(?:^|-)signature$/i.test(name));
    let found: Recognized = {
      ...{ delivery: null, type: null },
      signature: isSigned ? "unknown_webhook" : "missing",
    };
    for (const sender of ofAreas) {
      const { endpoint = "", delivery = null, type = null } = sender.read(headers);
      const webhook = endpoints.byId(endpoint);
      const verdict = sender.verify(request, webhook?.secret ?? "");
      const signature = verdict === "missing" || webhook ? verdict : "unknown_webhook";
      found = { delivery, type, signature };
      if (signature !== "missing") break;
    }
    return found;
  }

  return {
    receive(inbox, headers, body) {
      return store.transaction(() => {
        const { behaviour, calls } = read(inbox);
        const status = behaviour.sequence?.[calls] ?? behaviour.status ?? 200;
        countCall.run(inbox);
        const { delivery, type, signature } = recognize(inbox, headers, body);
        insert.run(inbox, clock.now(), JSON.stringify(headers), body, signature, status);
        trim.run(inbox, inbox, KEPT_MESSAGES);
        journal.append("inbox.received", {
          inbox,
          delivery_id: delivery,
          event: type,
          signature,
          answered: status,
        });
        return {
          status,
          delay: behaviour.delay ?? 0,
          body: behaviour.body ?? JSON.stringify({ received: status < 300 }),
        };
      });
    },

    list: () => ({
      data: summary.all().map((row) => ({ ...row, last_received_at: iso(row.last_received_at) })),
    }),

    messages: ({ name, after, limit }) => ({
      data: messages
        .all(name, after, limit)
        .map((row) => ({ ...row, received_at: iso(row.received_at), headers: JSON.parse(row.headers) })),
    }),

    behaviour: ({ name }) => read(name).behaviour,

    behave({ name, delay, ...rest }) {
      const behaviour = { ...rest, ...(delay !== undefined && { delay: readDelay(delay, "delay") }) };
      store.transaction(() => {
        writeBehaviour.run(name, JSON.stringify(behaviour));
        journal.append("inbox.behaviour", { inbox: name, behaviour });
      });
      return behaviour;
    },
  };
}
