import { paymentsArea } from "../../src/payments/area.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import type { Store } from "../../src/world/store.ts";

/** The tables in which a payment leaves rows. Tables that refer to others come later. */
const TABLES = [
  "customers",
  "checkout_sessions",
  "transactions",
  "webhook_events",
  "webhook_plans",
  "webhook_deliveries",
  "journal",
] as const;

/** The time between two payments, in virtual milliseconds. */
const APART = 60_000;
/** One in this many payments fails, so failures stay rare. */
const FAILS_EVERY = 1_000;
const ID = /^(?:cus|cs|txn|evt|del)_\w{16}$/;
const IS_TIME = /(?:^|_)at$|^wall$/;

/** The rows from which a history is generated. */
export interface History {
  link: string;
  webhook: string;
  session: string;
  transaction: string;
  customer: string;
  delivery: string;
}

/**
 * Fills a world with a history of the given number of payments. One real payment is made, with an endpoint that
 * responds at once. Its rows are then copied in SQL with new ids, each copy a minute before the previous one.
 */
export async function fillHistory(sandbox: Sandbox, ownUrl: string, payments: number): Promise<History> {
  const { store } = sandbox.world;
  const area = sandbox.part(paymentsArea);
  const caller = { org: area.organizations.main().id, ip: "127.0.0.1", method: "POST", path: "/" };
  const webhook = area.endpoints.create(caller, { url: `${ownUrl}/_sandbox/inbox/shop` }).id;
  const link = area.links.create(caller, { name: "Tea", amount: "2500000" }).id;
  await sandbox.clock.advance({ by: payments * APART });
  const seqBefore = sandbox.world.journal.lastSeq();
  const { transaction, session, deliveries } = await sandbox.payments.pay({ payment_link_id: link });
  // Wait until everything that it caused has been written.
  await sandbox.clock.advance({ by: 1 });
  const entries = sandbox.world.journal.lastSeq() - seqBefore;
  store.transaction(() => {
    const ids = idsIn(store, seqBefore);
    for (const table of TABLES) copyRows(store, table, ids, payments, entries, seqBefore);
    store
      .sql(`update transactions set status = 'failed', failure_reason = 'reverted', failed_at = completed_at,
        completed_at = null where rowid % ${FAILS_EVERY} = 0`)
      .run();
  });
  // Restore the world, so cached data about the rows is read again.
  await sandbox.restore(await sandbox.snapshot(), "history");
  return {
    link,
    webhook,
    session: session.id,
    transaction: transaction.id,
    customer: transaction.customer_id!,
    delivery: deliveries[0]!.id,
  };
}

/** The ids in the payment that is copied. */
function idsIn(store: Store, after: number): string[] {
  const ids = new Set<string>();
  for (const { data } of store.sql<{ data: string }>("select data from journal where seq > ?").all(after))
    for (const value of Object.values(JSON.parse(data) as object))
      if (typeof value === "string" && ID.test(value)) ids.add(value);
  for (const { customer_id: id } of store
    .sql<{ customer_id: string }>("select customer_id from transactions")
    .all())
    ids.add(id);
  return [...ids];
}

/** Copies a payment's rows in a table, with new ids and earlier times. */
function copyRows(
  store: Store,
  table: (typeof TABLES)[number],
  ids: readonly string[],
  copies: number,
  entries: number,
  seqBefore: number,
): void {
  const where = table === "journal" ? ` where seq > ${seqBefore}` : "";
  const rows = store.sql<Record<string, unknown>>(`select * from ${table}${where}`).all();
  const expressionOf = (name: string) => {
    if (name === "seq") return `seq + ${entries} * n`;
    if (IS_TIME.test(name)) return `${name} - ${APART} * (${copies} - n)`;
    if (name === "wallet_address") return "printf('0x%040x', n)";
    const texts = rows.map((row) => String(row[name]));
    return ids
      .filter((id) => texts.some((text) => text.includes(id)))
      .reduce((text, id) => `replace(${text}, '${id}', '${id.slice(0, -8)}' || digits)`, `"${name}"`);
  };
  const columns = Object.keys(rows[0]!);
  const names = columns.map((name) => `"${name}"`).join(", ");
  store
    .sql(
      `with recursive numbers (n, digits) as
         (select 1, '00000001' union all select n + 1, printf('%08d', n + 1) from numbers where n < ${copies - 1})
       insert into ${table} (${names}) select ${columns.map(expressionOf).join(", ")}
       from numbers cross join (select * from ${table}${where})`,
    )
    .run();
}
