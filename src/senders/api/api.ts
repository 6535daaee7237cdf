import { isDeepStrictEqual } from "node:util";
import { notFound } from "../../errors/errors.ts";
import { factOf } from "../../webhooks/by-type.ts";
import type { FileSender } from "../../webhooks/described.ts";
import type { StoredEvent } from "../../webhooks/sender.ts";
import type { SenderApi } from "../../webhooks/sender-api.ts";
import { type Signing, timeText } from "../../webhooks/signing.ts";
import type { World } from "../../world/world.ts";
import { type Answered, type ApiAnswer, type ApiCall, type ApiState, Refused, refusal } from "./call.ts";
import { type Fields, fieldAt, readParameters } from "./fields.ts";
import { answerRead } from "./reads.ts";
import { findRoute, readRoute, routesOf } from "./routes.ts";
import { type Change, createTruth, type ShownEvent, type Truth } from "./truth.ts";
import { answerWrite } from "./writes.ts";

export interface ApiRequest {
  method: string;
  /** The URL after the sender's name, with its query. */
  url: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The API's address for its caller. */
  at: string;
  body: string;
}

/** The effects of calls of a sender's API in a world. */
export interface ApiEffects {
  /**
   * Effects by kind: new objects as the calls described them; and fields that differ from those of the events, by the object's
   * id.
   */
  effects: Record<string, Fields[] | Fields>;
  /** Methods and paths that the file does not describe. */
  unknown: string[];
}

/** A world's part of the APIs of its senders. */
export interface SenderApis {
  /** @throws SandboxError `not_found` for a sender without an API */
  answer(sender: FileSender, request: ApiRequest): Promise<ApiAnswer>;
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

/** Loaded for senders that have GraphQL. */
type GraphQl = typeof import("./graphql.ts");

/** A sender's objects, and the latest events and calls that they include. */
interface Synced {
  /** Of the sender, which change once it knows what a person's database has. */
  facts: FileSender["facts"];
  truth: Truth;
  event: number;
  seq: number;
}

/** The APIs of a world's senders: they answer from its events, and calls that write are stored as rows. */
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

  function answerOf(sender: FileSender, api: SenderApi, request: ApiRequest, graphql?: GraphQl): ApiAnswer {
    const call = readCall(api, request);
    const { method, path, body: parameters } = call;
    const name = `${method} ${path}`;
    const isSame = (row: CallRow, name: string) =>
      row.call === name && isDeepStrictEqual(JSON.parse(row.answer).sent, parameters);
    const stateOf = (name: string): ApiState => {
      const truth = truthOf(sender, api);
      return {
        ...{ api, truth, time: timeIn(sender, clock.now()) },
        mentions: (id) => truth.mentions(id) || naming.get(sender.name, id) !== undefined,
        times: () => alike.all(sender.name, name).filter((row) => isSame(row, name)).length,
      };
    };
    function record(name: string, { answer, effect, unknown }: Answered, key: string | null): void {
      const write = (call: string, kind: string | null, params: Fields, changes: Change[] | null): void =>
        void insert.run(
          ...[sender.name, call, kind, JSON.stringify(params), changes && JSON.stringify(changes)],
          ...[JSON.stringify({ sent: parameters, answer }), changes && key],
          ...[lastEvent.get()!.n, clock.now()],
        );
      if (effect) write(name, effect.kind, effect.params, effect.changes);
      if (unknown !== undefined && !alike.all(sender.name, unknown).some(({ changes }) => changes === null))
        write(unknown, null, {}, null);
    }
    if (graphql && readRoute(`POST ${api.graphql!.path}`)!.path.test(path) && method === "POST")
      return graphql.answerGraphQl(api.graphql!, call, stateOf, (field, answered) =>
        record(field, answered, null),
      );
    const key = keyOf(api, request, parameters);
    const earlier = key === null || method === "GET" ? undefined : ofKey.get(sender.name, key);
    if (earlier)
      return isSame(earlier, name)
        ? JSON.parse(earlier.answer).answer
        : refusal(api, 400, "idempotency_error", `The key ${key} was used for another call before.`);
    const answered = answerCall(name, call, stateOf(name));
    record(name, answered, key);
    return answered.answer;
  }

  return {
    async answer(sender, request) {
      const { api } = sender.facts;
      if (!api)
        throw notFound(
          `The file of ${sender.name} has no api.`,
          'docs/senders.md, "The API of a sender", says how to describe one.',
        );
      const graphql = api.graphql && (await import("./graphql.ts"));
      const { status, body } = store.transaction(() => answerOf(sender, api, request, graphql));
      // Links in the answer lead back here, unless the sender's own host was called, as from a server in Node.
      const isOwn = new URL(request.at).host === new URL(api.base).host;
      return { status, body: isOwn ? body : withBase(body, api.base, request.at) };
    },

    effectsOf(sender) {
      const { api } = sender.facts;
      if (!api) return { effects: {}, unknown: [] };
      const rows = newCalls.all(sender.name, 0);
      const effects: ApiEffects["effects"] = truthOf(sender, api).written(momentsOf(api));
      for (const { made, params, changes } of rows) {
        if (made === null || changes === null) continue;
        effects[made] = [...((effects[made] as Fields[] | undefined) ?? []), JSON.parse(params)];
      }
      return { effects, unknown: rows.flatMap(({ call, changes }) => (changes === null ? call : [])) };
    },
  };
}

/** An instant as the sender writes it. @param at virtual milliseconds */
function timeIn({ facts }: FileSender, at: number): string | number {
  const unit = factOf<Signing["time"]>(facts.unit, "*") ?? "seconds";
  const text = timeText(unit, at);
  return unit === "iso" ? text : Number(text);
}

const shownEvent = (sender: FileSender, event: StoredEvent): ShownEvent => ({
  type: event.type,
  body: sender.body(event, ""),
  time: timeIn(sender, event.created_at),
});

/** The key that makes a repeated call one effect. */
function keyOf({ idempotency }: SenderApi, { headers }: ApiRequest, parameters: Fields): string | null {
  const key = idempotency.startsWith("body.")
    ? fieldAt(parameters, idempotency.slice("body.".length))
    : headers[idempotency.toLowerCase()];
  return key === undefined ? null : String(key);
}

/** Reads a request, whose path may begin with that of the sender's own API. */
function readCall(api: SenderApi, { method, url, body }: ApiRequest): ApiCall {
  const { pathname, search } = new URL(url, "http://localhost");
  const { pathname: base } = new URL(api.base);
  const path = base !== "/" && pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname;
  return { method, path, query: readParameters(search.slice(1)), body: readParameters(body) };
}

function answerCall(name: string, call: ApiCall, state: ApiState): Answered {
  const { api } = state;
  const found = findRoute(routesOf(api), call.method, call.path);
  if (!found) return { answer: refusal(api, 404, "unknown_call", `There is no ${name}.`), unknown: name };
  try {
    const { route, params } = found;
    return route.write
      ? answerWrite({ route, rule: route.write, params, call, name }, state)
      : answerRead({ route, rule: route.read!, params, call, name }, state);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { answer, unknown } = error;
    return { answer, ...(unknown !== undefined && { unknown }) };
  }
}

const withBase = (body: unknown, base: string, at: string): unknown =>
  body === undefined ? undefined : JSON.parse(JSON.stringify(body).replaceAll(`"${base}/`, `"${at}/`));

/** The fields that calls set to the present time, which depends on when a delivery arrived. */
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
