import { hash } from "node:crypto";
import type { Store } from "./store.ts";

export const RANDOM_TABLES =
  "create table random (id integer primary key check (id = 1), drawn text not null);";

/**
 * Seeded randomness. Each named stream is a separate sequence: the n-th draw depends only on seed, name and n, so draws in
 * one stream never affect another. Positions are stored in a row, so snapshots contain them.
 */
export interface Random {
  /** Starts a stream's next draw. Each call of the returned function gives another 32-bit integer. */
  draw(stream: string): () => number;
  /** The next draw of a stream as 32 bytes that only the seed determines: for secrets. */
  bytes(stream: string): Buffer;
  /** Derives 32 bytes from the seed and a name, without a draw. */
  fixed(name: string): Buffer;
  drawn(stream: string): number;
  /** Skips the draws of a stream up to a position. */
  skipTo(stream: string, position: number): void;
  /** Skips the draws that another world has made in every stream, so that none is repeated here. */
  skipLike(other: Pick<Random, "positions">): void;
  /** How many draws each stream has had. */
  positions(): Readonly<Record<string, number>>;
  /** A stream's next number, at least 0 and below 1. */
  fraction(stream: string): number;
}

/** How many steps it takes until every bit of the key and the position affects the output. */
const WARM_UP_STEPS = 12;

/**
 * @param store stores the streams' positions
 * @param readSeed the world's seed; called again after a restore
 */
export function createRandom(store: Store, readSeed: () => string): Random {
  const read = store.sql<{ drawn: string }>("select drawn from random");
  const write = store.sql("insert or replace into random (id, drawn) values (1, ?)");

  const seed = store.memo(readSeed);
  /** How many draws each stream has had. A rollback does not revert this, because its draws were never visible. */
  const positions = store.untilRestore(() => JSON.parse(read.get()?.drawn ?? "{}") as Record<string, number>);
  let dirty = false;
  store.writeBehind("random", () => {
    if (!dirty) return;
    dirty = false;
    write.run(JSON.stringify(positions()));
  });
  const fixed = (name: string): Buffer => hash("sha256", `${seed.get()}\n${name}`, "buffer");

  function advance(stream: string): number {
    const position = (positions()[stream] ?? 0) + 1;
    positions()[stream] = position;
    dirty = true;
    return position;
  }

  function skipTo(stream: string, position: number): void {
    if (position <= (positions()[stream] ?? 0)) return;
    positions()[stream] = position;
    dirty = true;
  }

  function draw(stream: string): () => number {
    const key = fixed(`stream\n${stream}`);
    return generator(key.readInt32BE(0), key.readInt32BE(4), key.readInt32BE(8), advance(stream));
  }

  return {
    draw,
    bytes: (stream) => fixed(`${stream}\n${advance(stream)}`),
    fixed,
    drawn: (stream) => positions()[stream] ?? 0,
    skipTo,
    skipLike(other) {
      for (const [stream, position] of Object.entries(other.positions())) skipTo(stream, position);
    },
    positions,
    fraction: (stream) => draw(stream)() / 2 ** 32,
  };
}

/** The generator sfc32 ("small fast counting", Chris Doty-Humphrey) with a key of 96 bits, at a position. */
function generator(a: number, b: number, c: number, position: number): () => number {
  let counter = position;
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  };
  for (let step = 0; step < WARM_UP_STEPS; step += 1) next();
  return next;
}
