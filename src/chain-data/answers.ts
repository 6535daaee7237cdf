import { iso } from "../world/duration.ts";
import type { UpstreamCall, Walk } from "./ask.ts";
import { type Cache, createCache, type Entry, type Head, type Stored } from "./cache.ts";
import { errorHeaders, type Served } from "./cache-headers.ts";
import type { ChainDataContext } from "./context.ts";
import { DataError } from "./errors.ts";
import type { Pin } from "./fallback-holdings.ts";

/** A question to the area, in a form that is identical for equal requests. */
export interface Question<Found, Row> {
  /** Route and parameters, sorted, each once. */
  key: string;
  address: string | null;
  chains: readonly number[];
  /** Asks the providers in turn; with a pin, only that provider. */
  ask(pin?: Pin): Promise<Walk<Found>>;
  /** The rows to store, in order. */
  sort(found: Found): Row[];
  /** The number of tokens in the rows. */
  count(rows: readonly Row[]): number;
}

export interface Answer<Row> extends Served {
  found: readonly Row[];
}

const SHOWN_FAILURES = 4;

/** A kind of question, with its answer for the wire. */
export interface Resource<Asked, Row> {
  answer(asked: Asked): Promise<Answer<Row>>;
  /** @throws DataError 400 for a place that the answer does not have */
  text(answer: Answer<Row>, asked: Asked): string;
}

/** Answers questions: from the cache while that is fresh, else from the providers, once for concurrent callers. */
export interface Answers {
  /**
   * The cached answer while it is fresh. Otherwise asks the providers, or waits for a request that is already asking them.
   * @param follow for a later page: an answer that expired is asked for where it came from, and nowhere else
   * @throws DataError 400 when a provider refuses the request, 500 when none answers
   */
  ask<Found, Row>(question: Question<Found, Row>, follow: boolean): Promise<Answer<Row>>;
  /** Forgets answers; an answer in progress goes to the requests that wait for it, and is not cached. */
  purge: Cache["purge"];
  /** The cached answers, in the order in which they were stored. */
  list: Cache["list"];
}

/** @param isOpen tells whether the world is still there */
export function createAnswers(context: ChainDataContext, isOpen: () => boolean): Answers {
  const { world, settings } = context;
  const { clock, journal, store } = world;
  const cache: Cache = createCache(context);
  /** Answers to questions from before a restore are not recorded, and those from before a purge are not cached. */
  const life = store.untilRestore(() => ({
    flights: new Map<string, Promise<Answer<unknown>>>(),
    purges: 0,
  }));

  function recordCalls(key: string, calls: readonly UpstreamCall[]): void {
    for (const call of calls) {
      const result = call.reason !== null ? "failed" : call.rows > 0 ? "answered" : "empty";
      journal.append(`upstream.${result}`, { request: key, ...call });
    }
  }

  function fromCache<Row>(head: Stored, state: "HIT" | "STALE"): Answer<Row> {
    return { head, state, stored: false, collapsed: false, found: cache.found(head.id) as Row[] };
  }

  async function askProviders<Found, Row>(
    question: Question<Found, Row>,
    expired: boolean,
    pin: Pin | undefined,
  ): Promise<Answer<Row>> {
    const born = life();
    const { purges } = born;
    const walk = await question.ask(pin);
    const alive = isOpen() && born === life();
    if (!walk.found) return giveUp(question, walk, alive);
    const rows = question.sort(walk.found.rows);
    const entry = entryOf(question, walk.found, rows, { at: clock.now(), ...settings.cache });
    const stored = walk.found.whole && alive && born.purges === purges;
    if (alive)
      store.transaction(() => {
        recordCalls(question.key, walk.calls);
        if (!stored) return;
        cache.save(entry);
        const about = { rows: entry.rows, expires_at: iso(entry.expires_at) };
        journal.append("cache.stored", { key: entry.key, ...toldBy(entry), ...about });
      });
    const state = expired ? "EXPIRED" : "MISS";
    return { head: entry, state, stored, collapsed: false, found: rows };
  }

  /** No provider answered: serve an expired answer, unless the request itself was refused. */
  function giveUp<Found, Row>(
    question: Question<Found, Row>,
    walk: Walk<Found>,
    alive: boolean,
  ): Answer<Row> {
    const { key, chains } = question;
    const stale = alive && !walk.refusal ? cache.find(key) : undefined;
    if (alive)
      store.transaction(() => {
        recordCalls(key, walk.calls);
        if (stale) journal.append("cache.served_stale", { key, ...toldBy(stale) });
      });
    if (!stale) throw unanswered(walk, chains);
    return fromCache(stale, "STALE");
  }

  return {
    list: cache.list,

    async ask<Found, Row>(question: Question<Found, Row>, follow: boolean): Promise<Answer<Row>> {
      const head = cache.find(question.key);
      if (head && clock.now() < head.expires_at) return fromCache(head, "HIT");
      const pin =
        follow && head && head.rows > 0
          ? { provider: head.providers, chain: Number(head.chains) }
          : undefined;
      const slot = pin ? `${question.key} of ${pin.provider}` : question.key;
      const { flights } = life();
      const flying = flights.get(slot);
      if (flying) return { ...((await flying) as Answer<Row>), collapsed: true };
      const flight = askProviders(question, head !== undefined, pin).finally(() => {
        if (flights.get(slot) === flight) flights.delete(slot);
      });
      flights.set(slot, flight as Promise<Answer<unknown>>);
      return flight;
    },

    purge(what) {
      life().purges += 1;
      life().flights.clear();
      return store.transaction(() => {
        const purged = cache.purge(what);
        if (purged > 0)
          journal.append("cache.purged", { key: what.key ?? null, address: what.address ?? null, purged });
        return purged;
      });
    },
  };
}

/** An answer as it is cached: fresh for `ttl` milliseconds, or for `emptyTtl` without rows. */
function entryOf<Row>(
  { key, address, count }: Pick<Question<unknown, Row>, "key" | "address" | "count">,
  { providers, chains }: NonNullable<Walk<unknown>["found"]>,
  found: readonly Row[],
  { at, ttl, emptyTtl }: { at: number; ttl: number; emptyTtl: number },
): Entry {
  const rows = count(found);
  return {
    ...{ key, address, rows, found },
    providers: providers.join(", "),
    chains: chains.join(", "),
    stored_at: at,
    expires_at: at + (rows > 0 ? ttl : emptyTtl),
  };
}

/** The provider of an answer, and its chain if it is about one. */
function toldBy({ providers, chains }: Head): { provider: string; chain_id: number | null } {
  return { provider: providers, chain_id: chains.includes(",") ? null : Number(chains) };
}

/** The error for a request that a provider refused, or that none answered and the cache lacks. */
function unanswered({ refusal, asked, calls }: Walk<unknown>, chains: readonly number[]): DataError {
  if (refusal)
    return new DataError(
      400,
      `${refusal.provider} refused the request: ${refusal.message || "no reason given"}.`,
      errorHeaders("fwd=miss; fwd-status=400", { providers: [refusal.provider], chains }),
    );
  const failures = calls.filter(({ reason }) => reason !== null).slice(0, SHOWN_FAILURES);
  const why = failures.map(
    ({ provider, reason, status }) => `${provider} (${reason === "status" ? `status ${status}` : reason})`,
  );
  return new DataError(
    500,
    `No provider could answer, and nothing is cached: ${why.join(", ")}. GET /_sandbox/data/providers shows their state.`,
    errorHeaders("fwd=miss; detail=upstream-failed", { providers: asked, chains }),
  );
}
