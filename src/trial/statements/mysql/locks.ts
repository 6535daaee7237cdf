import { wallNow } from "../../../world/clock.ts";
import type { Connection } from "../../database/mysql/client.ts";
import type { Unit } from "../gate.ts";
import type { Locks } from "../wire.ts";

/** InnoDB refreshes its transaction information only after 100 ms without a read. */
const RENEWED_MS = 110;
/** Without permission to see lock waits, a statement that takes this long counts as waiting for the other request. */
const SLOW_MS = 200;

/** Lock waits, as reported by MariaDB and MySQL 5.7, and by MySQL 8. */
const WAITS = [
  `select b.trx_mysql_thread_id as blocking from information_schema.innodb_lock_waits w
    join information_schema.innodb_trx r on r.trx_id = w.requesting_trx_id
    join information_schema.innodb_trx b on b.trx_id = w.blocking_trx_id where r.trx_mysql_thread_id = `,
  `select b.processlist_id as blocking from performance_schema.data_lock_waits w
    join performance_schema.threads r on r.thread_id = w.requesting_thread_id
    join performance_schema.threads b on b.thread_id = w.blocking_thread_id where r.processlist_id = `,
];

/** Finds out which statements wait for locks on rows or tables, or for the user's own (`get_lock`). */
export async function createLocks({ query, inTurn }: Connection): Promise<Locks> {
  let waits: string | undefined;
  for (const one of WAITS)
    waits ??= await inTurn(() =>
      query(`${one}0`).then(
        () => one,
        () => undefined,
      ),
    );
  let looked = wallNow();

  async function ofRows(thread: number, since: number, pids: readonly number[]): Promise<boolean> {
    if (waits === undefined) return wallNow() - since >= SLOW_MS;
    if (wallNow() - looked < RENEWED_MS) return false;
    const rows = await query(waits + thread);
    looked = wallNow();
    return rows.some(({ blocking }) => pids.includes(Number(blocking)));
  }

  /** `get_lock` locks are named by the statement's values. */
  async function ofUser({ values }: Unit, pids: readonly number[]): Promise<boolean> {
    const names = values().flatMap((value) => value ?? []);
    for (const name of names) {
      const [{ holder }] = await query(`select is_used_lock(${literal(name)}) as holder`);
      if (pids.includes(Number(holder))) return true;
    }
    return false;
  }

  return {
    waitsFor: (unit, pids) =>
      inTurn(async () => {
        const { pid } = unit.line;
        const [{ state } = { state: null }] = await query(
          `select state from information_schema.processlist where id = ${pid}`,
        );
        if (/^user lock$/i.test(state ?? "")) return ofUser(unit, pids);
        if (/^waiting for .*lock/i.test(state ?? "")) return true;
        return ofRows(pid, unit.sentAt!, pids);
      }),
    isLeft: (pids) =>
      inTurn(async () => {
        const left = await query(
          `select 1 from information_schema.processlist where id in (${pids.join(", ")}) limit 1`,
        );
        return left.length > 0;
      }),
  };
}

/** An SQL string literal that does not depend on how the session treats backslashes. */
const literal = (text: string): string => `x'${Buffer.from(text).toString("hex")}'`;
