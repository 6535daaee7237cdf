import type { Clock } from "../world/clock.ts";
import type { Kept } from "./cache.ts";

/** How much is remembered; then all is forgotten, and remembered anew as it is asked for. */
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_TEXTS = 2_000;

/** An answer of the cache as it was sent. */
export interface Recent {
  kept: Kept;
  text: Buffer;
}

/**
 * What the cache answered, by what was asked word for word: so a request that comes again is not read again. It
 * holds only what the cache still keeps.
 */
export function createRecent(clock: Clock) {
  const texts = new Map<string, Recent>();
  let bytes = 0;

  return {
    get(words: string): Recent | undefined {
      const recent = texts.get(words);
      return recent && !recent.kept.gone && clock.now() < recent.kept.expires_at ? recent : undefined;
    },

    add(words: string, recent: Recent): void {
      if (texts.size >= MOST_TEXTS || bytes > MOST_BYTES) {
        texts.clear();
        bytes = 0;
      }
      texts.set(words, recent);
      bytes += recent.text.length + words.length;
    },
  };
}
