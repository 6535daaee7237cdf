import type { Connection } from "../../database/postgres/client.ts";
import type { Locks } from "../wire.ts";

export function createLocks({ query, inTurn }: Connection): Locks {
  return {
    waitsFor: ({ line: { pid } }, pids) =>
      inTurn(async () => {
        const [{ blocking }] = await query(`select pg_blocking_pids(${pid}) as blocking`);
        return pids.some((one) => blocking.includes(one));
      }),
    isLeft: (pids) =>
      inTurn(async () => {
        const left = await query(`select 1 from pg_stat_activity where pid in (${pids.join(", ")}) limit 1`);
        return left.length > 0;
      }),
  };
}
