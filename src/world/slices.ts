import { afterPendingIo } from "./clock.ts";

/** Items per slice: a few milliseconds of work. */
const ITEMS = 4_096;

/** Yields all items, and lets other work run after each slice. */
export async function* inSlices<T>(items: Iterable<T>): AsyncGenerator<T> {
  let count = 0;
  for (const item of items) {
    yield item;
    count += 1;
    if (count % ITEMS === 0) await new Promise<void>((resolve) => afterPendingIo(resolve));
  }
}
