import { iso } from "../world/duration.ts";
import { inserter } from "../world/save.ts";
import type { ChainDataContext } from "./context.ts";
import { MAX_CACHE_ENTRIES } from "./limits.ts";
import type { CacheEntry } from "./schemas.ts";

export interface Head {
  key: string;
  /** The providers' names, joined with ", ". */
  providers: string;
  chains: string;
  rows: number;
  stored_at: number;
  expires_at: number;
}

export interface Entry extends Head {
  /** A listing's address, in lower case. */
  address: string | null;
  found: readonly unknown[];
}

/** A stored answer. `find` returns the same object until it is replaced, purged or rolled back. */
export interface Stored extends Readonly<Head> {
  readonly id: number;
}

/** Answers stored as rows in the world, so that virtual time ages them and snapshots include them. */
export interface Cache {
  find(key: string): Stored | undefined;
  /** A stored answer's rows. */
  found(id: number): unknown[];
  /** Stores an answer, replacing an earlier one for the same query. */
  save(entry: Entry): void;
  /** Removes the entries for a key or an address, or all entries. Returns the number removed. */
  purge(what: { key?: string | undefined; address?: string | undefined }): number;
  /** Lists the entries, oldest first. */
  list(): CacheEntry[];
}

export function createCache({ world }: ChainDataContext): Cache {
  const { store, clock } = world;
  const columns = "id, key, providers, chains, rows, stored_at, expires_at";
  const byKey = store.sql<Stored>(`select ${columns} from data_cache where key = ?`);
  const foundOf = store.sql<{ found: string }>("select found from data_cache where id = ?");
  const save = inserter<Omit<Entry, "found"> & { found: string }>(store, "data_cache");
  const remove = store.sql("delete from data_cache where id = ?");
  const surplus = store.sql<{ id: number; key: string }>(
    `select id, key from data_cache order by id desc limit -1 offset ${MAX_CACHE_ENTRIES}`,
  );
  const all = store.sql<Head & { id: number; address: string | null }>(
    `select ${columns}, address from data_cache order by id`,
  );

  const found = store.remember((key: string) => byKey.get(key));

  function drop(id: number, key: string): void {
    remove.run(id);
    found.forget(key);
  }

  return {
    find: found.get,

    found: (id) => JSON.parse(foundOf.get(id)!.found),

    save(entry) {
      store.transaction(() => {
        const earlier = byKey.get(entry.key);
        if (earlier) drop(earlier.id, earlier.key);
        save({ ...entry, found: JSON.stringify(entry.found) });
        for (const row of surplus.all()) drop(row.id, row.key);
      });
    },

    purge({ key, address }) {
      return store.transaction(() => {
        const meant = all
          .all()
          .filter((row) => (key ?? row.key) === row.key && (address ?? row.address) === row.address);
        for (const row of meant) drop(row.id, row.key);
        return meant.length;
      });
    },

    list() {
      const now = clock.now();
      return all.all().map(({ id: _, stored_at, expires_at, ...row }) => ({
        ...row,
        state: now < expires_at ? ("fresh" as const) : ("expired" as const),
        stored_at: iso(stored_at),
        expires_at: iso(expires_at),
      }));
    },
  };
}
