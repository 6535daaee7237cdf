import { afterPendingIo } from "./clock.ts";

/** Items that are worked on within some milliseconds. */
const ITEMS = 4_096;

/** All of these, with a turn for whatever else waits after each slice. */
export async function* inSlices<T>(items: Iterable<T>): AsyncGenerator<T> {
  let count = 0;
  for (const item of items) {
    yield item;
    count += 1;
    if (count % ITEMS === 0) await new Promise<void>((resolve) => afterPendingIo(resolve));
  }
}
