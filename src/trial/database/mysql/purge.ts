import { wallSleep } from "../../../world/clock.ts";
import type { Connection } from "./client.ts";

const POLL_MS = 2;
/**
 * InnoDB normally needs a few milliseconds, but another program's open transaction can delay the purge indefinitely.
 */
const MOST_LOOKS = 100;

/**
 * Waits until InnoDB has purged the rows that a restore deleted. Until then, inserting a deleted key also locks the gap
 * next to it, so a request could wait for another one, which would not happen with the original rows. Does nothing if
 * the user lacks the PROCESS privilege.
 */
export async function awaitPurge({ query }: Connection): Promise<void> {
  let until: bigint | undefined;
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const [row] = await query("show engine innodb status").catch(() => []);
    const [, counter, purged] =
      /^Trx id counter (\d+)\s+Purge done for trx's n:o < (\d+)/m.exec(row?.Status ?? "") ?? [];
    if (counter === undefined) return;
    until ??= BigInt(counter);
    if (BigInt(purged!) >= until) return;
    await wallSleep(POLL_MS);
  }
}
