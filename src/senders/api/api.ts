import { notFound } from "../../errors/errors.ts";
import { factOf } from "../../webhooks/by-type.ts";
import type { FileSender } from "../../webhooks/described.ts";
import type { StoredEvent } from "../../webhooks/sender.ts";
import type { SenderApi } from "../../webhooks/sender-api.ts";
import type { Signing } from "../../webhooks/signing.ts";
import type { World } from "../../world/world.ts";
import { type ApiRecords, type ApiRequest, answerApi, type PastCall } from "./answering.ts";
import { type Answered, type ApiAnswer, type Deed, timeAs } from "./call.ts";
import type { Fields } from "./fields.ts";
import { MARK_HEADER } from "./name.ts";
import { type Change, createTruth, type ShownEvent, type Truth } from "./truth.ts";

/** A call of a sender's API, as this sandbox's server received it. */
export interface SenderCall extends ApiRequest {
  /** The API's base URL as the caller sees it. */
  at: string;
}

/** An object that a call created, described in the terms of the sender's file. */
export interface MadeObject extends Deed {
  kind: string;
  /** The number in a header of the call that identifies it in a trial; null if there is none. */
  mark: string | null;
}

/** The changes that calls of a sender's API made in a world. */
export interface ApiEffects {
  /** The objects that the calls created, in order. */
  made: MadeObject[];
  /** Fields whose values differ from the events, by object id. */
  changed: Record<string, Fields>;
  /** The methods and paths of calls that the file does not describe. */
  unknown: string[];
}

export interface SenderApis {
  /** @throws SandboxError `not_found` for a sender without an API */
  answer(sender: FileSender, request: SenderCall): Promise<ApiAnswer>;
  effectsOf(sender: FileSender): ApiEffects;
}

interface CallRow {
  seq: number;
  call: string;
  made: string | null;
  params: string;
  /** JSON text; null for a call that the file does not describe. */
  changes: string | null;
  answer: string;
  after_event: number;
}

/** A sender's objects, and the latest events and calls that are reflected in them. */
interface Synced {
  /** The sender's facts. They change when values from the user's database are filled in. */
  facts: FileSender["facts"];
  truth: Truth;
  event: number;
  seq: number;
}

/**
 * The APIs of a world's senders. Their responses are based on the world's events; calls that write are stored as rows.
 */
export function createSenderApis({ store, clock }: Pick<World, "store" | "clock">): SenderApis {
  const newEvents = store.sql<{ rowid: number; type: string; data: string; created_at: number }>(
    "select rowid, type, data, created_at from webhook_events where org = ? and rowid > ? order by rowid",
  );
  const newCalls = store.sql<CallRow>("select * from sender_calls where sender = ? and seq > ? order by seq");
  const ofKey = store.sql<CallRow>("select * from sender_calls where sender = ? and idempotency_key = ?");
  const alike = store.sql<CallRow>("select * from sender_calls where sender = ? and call = ?");
  const naming = store.sql("select 1 from webhook_events where org = ? and instr(data, ?) > 0 limit 1");
  const lastEvent = store.sql<{ n: number }>("select coalesce(max(rowid), 0) as n from webhook_events");
  const insert = store.sql(
    "insert into sender_calls (sender, call, made, params, changes, answer, idempotency_key, after_event, at) values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const synced = store.memo(() => new Map<string, Synced>());

  function truthOf(sender: FileSender, api: SenderApi): Truth {
    const all = synced.get();
    const present = all.get(sender.name);
    const state = (present?.facts === sender.facts ? present : undefined) ?? {
      facts: sender.facts,
      truth: createTruth(api, sender.facts.objects ?? {}, sender.example),
      event: 0,
      seq: 0,
    };
    all.set(sender.name, state);
    const events = newEvents.all(sender.name, state.event);
    for (const call of newCalls.all(sender.name, state.seq)) {
      for (let [first] = events; first && first.rowid <= call.after_event; [first] = events) {
        state.truth.show(shownEvent(sender, first));
        events.shift();
      }
      for (const change of JSON.parse(call.changes ?? "[]") as Change[]) state.truth.write(change);
      state.seq = call.seq;
    }
    for (const event of events) state.truth.show(shownEvent(sender, event));
    state.event = lastEvent.get()!.n;
    return state.truth;
  }

  function pastCall({ call, answer: text }: CallRow): PastCall {
    const { sent, answer } = JSON.parse(text) as Omit<PastCall, "name">;
    return { name: call, sent, answer };
  }

  function recordsOf(sender: FileSender, api: SenderApi, mark: string | null): ApiRecords {
    const namedAs = (name: string) => alike.all(sender.name, name);
    return {
      state() {
        const truth = truthOf(sender, api);
        return {
          ...{ api, truth, time: timeIn(sender, clock.now()) },
          mentions: (id) => truth.mentions(id) || naming.get(sender.name, id) !== undefined,
        };
      },
      alike: (name) => namedAs(name).map(pastCall),
      ofKey(key) {
        const row = ofKey.get(sender.name, key);
        return row && pastCall(row);
      },
      record({ name, sent, answer }, { effect, unknown }, key) {
        const write = (
          call: string,
          {
            kind,
            params,
            changes,
            deeds = [],
          }: Omit<NonNullable<Answered["effect"]>, "changes" | "deeds"> & {
            changes: Change[] | null;
            deeds?: readonly Deed[];
          },
        ): void =>
          void insert.run(
            ...[sender.name, call, kind, JSON.stringify(params), changes && JSON.stringify(changes)],
            ...[JSON.stringify({ sent, answer, deeds, mark }), changes && key],
            ...[lastEvent.get()!.n, clock.now()],
          );
        if (effect) write(name, effect);
        if (unknown !== undefined && !namedAs(unknown).some(({ changes }) => changes === null))
          write(unknown, { kind: null, params: {}, changes: null });
      },
    };
  }

  return {
    async answer(sender, request) {
      const { api } = sender.facts;
      if (!api)
        throw notFound(
          `${sender.name}'s sender file has no api.`,
          'docs/senders.md, "Sender APIs", says how to describe one.',
        );
      const graphql = api.graphql && (await import("./graphql.ts"));
      const { body, ...answer } = store.transaction(() =>
        answerApi(api, request, recordsOf(sender, api, markOf(request)), graphql),
      );
      // Links in the response point to this server or, if the sender's own host was called, to that host.
      const isOwn = new URL(request.at).host === new URL(api.base).host;
      return { ...answer, body: isOwn ? body : withBase(body, api.base, request.at) };
    },

    effectsOf(sender) {
      const { api } = sender.facts;
      if (!api) return { made: [], changed: {}, unknown: [] };
      const rows = newCalls.all(sender.name, 0);
      return {
        made: rows.flatMap(madeBy),
        changed: truthOf(sender, api).written(momentsOf(api)),
        unknown: rows.flatMap(({ call, changes }) => (changes === null ? call : [])),
      };
    },
  };
}

function markOf({ headers }: ApiRequest): string | null {
  const { [MARK_HEADER]: mark } = headers;
  return typeof mark === "string" ? mark : null;
}

/** The objects that a call created, with their current values. */
function madeBy({ made: kind, params, answer }: CallRow): MadeObject[] {
  if (kind === null) return [];
  const { deeds, mark = null } = JSON.parse(answer) as { deeds?: Deed[]; mark?: string | null };
  const fields = JSON.parse(params) as Fields;
  // Worlds from earlier versions lack this description.
  const [first = { key: kind, thing: `the ${kind}`, done: "made", fields }, ...others] = deeds ?? [];
  const all = others.length > 0 ? [first, ...others] : [{ ...first, fields }];
  return all.map((deed) => ({ ...deed, kind, mark }));
}

/** An instant in the sender's format. @param at virtual milliseconds */
const timeIn = ({ facts }: FileSender, at: number): string | number =>
  timeAs(facts.api?.unit ?? factOf<Signing["time"]>(facts.unit, "*") ?? "seconds", at);

const shownEvent = (sender: FileSender, event: StoredEvent): ShownEvent => ({
  type: event.type,
  body: sender.body(event, ""),
  time: timeIn(sender, event.created_at),
});

const withBase = (body: unknown, base: string, at: string): unknown =>
  body === undefined ? undefined : JSON.parse(JSON.stringify(body).replaceAll(`"${base}/`, `"${at}/`));

/** The fields that calls set to the current time. Their values depend on when a delivery arrived. */
function momentsOf(api: SenderApi): Set<string> {
  const forms = Object.values(api.writes).flatMap(({ set, also = [] }) => [
    set,
    ...also.flatMap((one) => [one.set, one.full]),
  ]);
  return new Set(
    forms.flatMap((form) =>
      Object.entries(form ?? {}).flatMap(([name, value]) => (/\{time\}/.test(String(value)) ? name : [])),
    ),
  );
}
