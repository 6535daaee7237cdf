import { hash } from "node:crypto";
import type { Store } from "./store.ts";

export const RANDOM_TABLES =
  "create table random_streams (name text primary key, drawn integer not null) without rowid;";

/**
 * Seeded randomness. Each named stream is a sequence of its own: the n-th draw is a hash of seed, name and n,
 * so a draw in one stream never shifts another, and the position is a row that snapshots carry.
 */
export interface Random {
  /** The next 32 bytes of a stream. */
  bytes(stream: string): Buffer;
  /** The next number of a stream, at least 0 and below 1. */
  fraction(stream: string): number;
}

/**
 * @param store keeps the streams' positions
 * @param readSeed the world's seed; asked for again after a restore
 */
export function createRandom(store: Store, readSeed: () => string): Random {
  let seed: string | undefined;
  const positions = new Map<string, number>();
  const dirty = new Set<string>();
  const read = store.sql<{ drawn: number }>("select drawn from random_streams where name = ?");
  const write = store.sql(
    "insert into random_streams (name, drawn) values (?, ?) on conflict (name) do update set drawn = excluded.drawn",
  );

  store.beforeCommit(() => {
    for (const name of dirty) write.run(name, positions.get(name)!);
    dirty.clear();
  });
  store.afterTransaction((committed) => {
    if (committed) return;
    for (const name of dirty) positions.delete(name);
    dirty.clear();
  });
  store.onRestore(() => {
    seed = undefined;
    positions.clear();
    dirty.clear();
  });

  function bytes(stream: string): Buffer {
    const drawn = (positions.get(stream) ?? read.get(stream)?.drawn ?? 0) + 1;
    positions.set(stream, drawn);
    dirty.add(stream);
    seed ??= readSeed();
    return hash("sha256", `${seed}\n${stream}\n${drawn}`, "buffer");
  }

  return {
    bytes,
    fraction: (stream) => bytes(stream).readUIntBE(0, 6) / 2 ** 48,
  };
}
