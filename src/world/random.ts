import { hash } from "node:crypto";
import type { Store } from "./store.ts";

export const RANDOM_TABLES =
  "create table random (id integer primary key check (id = 1), drawn text not null);";

/**
 * Seeded randomness. Each named stream is a sequence of its own: the n-th draw is a hash of seed, name and n,
 * so a draw in one stream never shifts another, and the position is a row that snapshots carry.
 */
export interface Random {
  /** The next 32 bytes of a stream. */
  bytes(stream: string): Buffer;
  /** 32 bytes that the seed fixes for a name; no draw. */
  fixed(name: string): Buffer;
  /** How many draws a stream has seen. */
  drawn(stream: string): number;
  /** The next number of a stream, at least 0 and below 1. */
  fraction(stream: string): number;
}

/**
 * @param store keeps the streams' positions
 * @param readSeed the world's seed; asked for again after a restore
 */
export function createRandom(store: Store, readSeed: () => string): Random {
  let seed: string | undefined;
  /** How often each stream was drawn from; undefined until it is read. */
  let drawn: Record<string, number> | undefined;
  let dirty = false;
  const read = store.sql<{ drawn: string }>("select drawn from random");
  const write = store.sql("insert or replace into random (id, drawn) values (1, ?)");

  function save(): void {
    if (dirty) write.run(JSON.stringify(drawn));
    dirty = false;
  }

  // A file keeps the positions with every commit; without one, nobody could read them before a snapshot. A
  // rollback does not turn them back: what it drew is never seen.
  if (store.durable) store.beforeCommit(save);
  store.beforeSerialize(save);
  store.onRestore(() => {
    seed = undefined;
    drawn = undefined;
    dirty = false;
  });

  const positions = (): Record<string, number> => {
    drawn ??= JSON.parse(read.get()?.drawn ?? "{}") as Record<string, number>;
    return drawn;
  };

  function fixed(name: string): Buffer {
    seed ??= readSeed();
    return hash("sha256", `${seed}\n${name}`, "buffer");
  }

  function bytes(stream: string): Buffer {
    const position = (positions()[stream] ?? 0) + 1;
    positions()[stream] = position;
    dirty = true;
    return fixed(`${stream}\n${position}`);
  }

  return {
    bytes,
    fixed,
    drawn: (stream) => positions()[stream] ?? 0,
    fraction: (stream) => bytes(stream).readUIntBE(0, 6) / 2 ** 48,
  };
}
