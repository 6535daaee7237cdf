import { wallNow, wallSleep } from "../../../world/clock.ts";
import { SECOND } from "../../../world/duration.ts";
import type { Connection } from "../../database/postgres/client.ts";
import type { Locks } from "../wire.ts";

const POLL_MS = 5;
/** How long a database process may keep running after its connection was closed. */
const LEAVES_WITHIN_MS = 5 * SECOND;

export function createLocks({ query, inTurn }: Connection): Locks {
  return {
    waitsFor: ({ line: { pid } }, pids) =>
      inTurn(async () => {
        const [{ blocking }] = await query(`select pg_blocking_pids(${pid}) as blocking`);
        return pids.some((one) => blocking.includes(one));
      }),
    gone: (pids) =>
      inTurn(async () => {
        if (pids.length === 0) return;
        for (const began = wallNow(); wallNow() - began < LEAVES_WITHIN_MS; await wallSleep(POLL_MS)) {
          const left = await query(
            `select 1 from pg_stat_activity where pid in (${pids.join(", ")}) limit 1`,
          );
          if (left.length === 0) return;
        }
      }),
  };
}
