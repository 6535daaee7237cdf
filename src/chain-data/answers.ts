import { iso } from "../world/duration.ts";
import type { UpstreamCall, Walk } from "./ask.ts";
import { type Cache, createCache, type Entry, type Head, type Stored } from "./cache.ts";
import { errorHeaders, type Served } from "./cache-headers.ts";
import type { ChainDataContext } from "./context.ts";
import { DataError } from "./errors.ts";
import type { Pin } from "./fallback-holdings.ts";

/** A normalized query: equal requests give identical queries. */
export interface Question<Found, Row> {
  /** The route with its parameters, sorted and without duplicates. */
  key: string;
  address: string | null;
  chains: readonly number[];
  /** Queries the providers in turn, or only the pinned provider. */
  ask(pin?: Pin): Promise<Walk<Found>>;
  /** The rows to store, in order. */
  sort(found: Found): Row[];
  count(rows: readonly Row[]): number;
}

export interface Answer<Row> extends Served {
  found: readonly Row[];
}

const SHOWN_FAILURES = 4;

/** A kind of query, and how to serialize its result. */
export interface Resource<Asked, Row> {
  answer(asked: Asked): Promise<Answer<Row>>;
  /** @throws DataError 400 for a page that does not exist */
  text(answer: Answer<Row>, asked: Asked): string;
}

/**
 * Answers queries from the cache while the answer is fresh, and otherwise from the providers. Concurrent callers share
 * one request.
 */
export interface Answers {
  /**
   * Returns the cached answer while it is fresh. Otherwise queries the providers, or joins a query already in progress.
   * @param follow set for later pages: an expired answer is fetched again only from the provider it came from
   * @throws DataError 400 if a provider rejects the request, 500 if none responds
   */
  ask<Found, Row>(question: Question<Found, Row>, follow: boolean): Promise<Answer<Row>>;
  /** Purges cached answers. A query in progress still completes for its callers, but its result is not cached. */
  purge: Cache["purge"];
  /** The cached answers, oldest first. */
  list: Cache["list"];
}

/** @param isOpen returns whether the world is still open */
export function createAnswers(context: ChainDataContext, isOpen: () => boolean): Answers {
  const { world, settings } = context;
  const { clock, journal, store } = world;
  const cache: Cache = createCache(context);
  /** Answers to queries from before a restore are not recorded, and those from before a purge are not cached. */
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

  /** No provider responded: serve an expired answer unless the request itself was rejected. */
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

/** Creates a cache entry, fresh for `ttl` milliseconds or, if there are no rows, for `emptyTtl`. */
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

/** The provider of an answer and, if the answer is about a single chain, that chain. */
function toldBy({ providers, chains }: Head): { provider: string; chain_id: number | null } {
  return { provider: providers, chain_id: chains.includes(",") ? null : Number(chains) };
}

/** The error for a request that a provider rejected, or that was neither answered by a provider nor cached. */
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
    `No provider returned a result, and nothing is cached: ${why.join(", ")}. GET /_sandbox/data/providers shows their state.`,
    errorHeaders("fwd=miss; detail=upstream-failed", { providers: asked, chains }),
  );
}
