/** What one trial notes of a Postgres database, and what it puts back, share their state, however long that is. */

import { connectTo, isBusy, literal, nameOf, quoted, schemaIn } from "./postgres-client.ts";
import {
  changedRows,
  copyTables,
  mayNot,
  numbersOf,
  type PostgresTrial,
  run,
  setSequences,
  settle,
  tablesIn,
} from "./postgres-copy.ts";
import { recoverPostgres } from "./postgres-recover.ts";
import type { PostgresRows, PostgresTable } from "./postgres-rows.ts";
import { shapesOf } from "./postgres-shapes.ts";
import { createRecord } from "./record.ts";
import {
  awaitQuiet,
  checkTables,
  listed,
  MOST_ROWS,
  notPutBack,
  type OtherChange,
  otherNeeded,
  ownColumns,
  type Tables,
  type TablesOptions,
  TRIES,
  tellUser,
  tooManyRows,
} from "./tables.ts";

/**
 * Opens a schema of a subscriber's Postgres database, with the package pg of the user's project.
 * @param address a `postgres://` URL; `?schema=` names the schema, by default the first of the search path
 * @throws SandboxError `bad_request` without pg or a URL, `unreachable`, `not_found` for a table that is not there
 */
export async function openPostgres(
  address: string,
  { only, copyOf, shown: named, tell = tellUser }: TablesOptions = {},
): Promise<Tables> {
  const connection = await connectTo(address);
  const { query, inTurn } = connection;
  const shown = named ?? connection.shown;
  const isCopy = copyOf !== undefined;
  const others = new Map<string, OtherChange>();
  /** Tables that another program changed, as they were before that: they are not compared any more. */
  const frozen = new Map<string, unknown[]>();
  let schema = "";
  let touched: Set<string> | undefined;
  let trial: PostgresTrial | undefined;
  let version: string | undefined;
  let deliveries = 0;

  const chosen = async (): Promise<PostgresTable[]> =>
    (await tablesIn(connection, schema)).filter(({ name }) => only?.includes(name) ?? true);

  /** All rows at one instant, in the order in which they were written. */
  async function readRows(tables: readonly { name: string; from: string }[]): Promise<[string, unknown[]][]> {
    if (tables.length === 0) return [];
    const parts = tables.map(
      ({ name, from }) =>
        `select ${literal(name)} as name, array(select row_to_json(sandglass_row)::text from ${from} sandglass_row order by xmin::text::bigint, ctid limit ${MOST_ROWS + 1}) as rows`,
    );
    let count = 0;
    return (await query(parts.join(" union all "))).map(({ name, rows }) => {
      count += rows.length;
      if (count > MOST_ROWS) throw tooManyRows(shown, name);
      return [name, rows.map(asJson)];
    });
  }

  async function isChanged(): Promise<boolean> {
    const [{ now }] = await query("select pg_current_snapshot()::text as now");
    const changed = now !== version;
    version = now;
    return changed;
  }

  const ownOf = ({ table }: PostgresRows): string[] => trial!.record.noted.own[table.name] ?? [];

  /**
   * Does something at one instant of the database, which this connection changes then only in the schema of the trial.
   * Afterwards, it is known whether another connection has changed anything since.
   */
  async function atOneInstant<Result>(work: () => Promise<Result>): Promise<Result> {
    await query("begin isolation level repeatable read; set local synchronous_commit = off");
    try {
      const [{ snapshot, own }] = await query(
        "select pg_current_snapshot()::text as snapshot, pg_current_xact_id()::text as own",
      );
      const result = await work();
      await query("commit");
      const next = BigInt(own) + 1n;
      // Only if nothing else was under way, no other transaction can have ended in between unseen.
      version = snapshot === `${own}:${own}:` ? `${next}:${next}:` : undefined;
      return result;
    } catch (error) {
      await query("rollback").catch(() => undefined);
      version = undefined;
      throw error;
    }
  }

  /** @param isDoubtful whether what is new may be another program's */
  async function noteRows(isDoubtful: boolean): Promise<void> {
    const { own, rows } = trial!;
    const all = await rows();
    if (all.length === 0) return;
    await query(
      `delete from ${own}.last; insert into ${own}.last ${all.map((one) => one.note).join(" union all ")}`,
    );
    const left = new Set((await query(`select distinct tbl from ${own}.last`)).map(({ tbl }) => tbl));
    const changed = all.filter(({ number }) => left.has(number));
    if (changed.length === 0) return;
    await query(
      [
        ...changed.flatMap((one) => one.sort(ownOf(one), isDoubtful)),
        `insert into ${own}.seen select * from ${own}.last except select * from ${own}.seen`,
      ].join("; "),
    );
    const untouched = touched === undefined ? [] : changed.filter(({ table }) => !touched!.has(table.name));
    for (const { number } of await numbersOf(
      trial!,
      untouched.map(({ hasAside }) => hasAside),
    )) {
      // A second run has changed the table: so it is deliveries that do.
      const one = untouched.find((row) => row.number === number)!;
      touched!.add(one.table.name);
      await query(one.dropAside);
    }
  }

  function add(table: string, { inserted, updated, deleted }: Omit<OtherChange, "table">): void {
    const sum = others.get(table) ?? { table, inserted: 0, updated: 0, deleted: 0 };
    sum.inserted += inserted;
    sum.updated += updated;
    sum.deleted += deleted;
    others.set(table, sum);
  }

  async function freeze({ table: { name }, number }: PostgresRows): Promise<void> {
    if (frozen.has(name)) return;
    const from = `${trial!.own}.${quoted(`before ${number}`)}`;
    frozen.set(name, (await readRows([{ name, from }]))[0]![1]);
  }

  /**
   * What changed although no delivery was under way is another program's, and stays.
   * @returns whether some of it is compared
   */
  async function adoptOthers(): Promise<boolean> {
    const rows = await trial!.rows();
    let needed = false;
    for (const { number, inserted, updated, deleted } of await numbersOf(
      trial!,
      rows.map(({ unexpected }) => unexpected),
    )) {
      const one = rows.find((row) => row.number === number)!;
      const change = { table: one.table.name, inserted: inserted!, updated: updated!, deleted: deleted! };
      await freeze(one);
      await run(trial!, one.adopt);
      add(change.table, change);
      needed ||= touched!.has(change.table);
    }
    return needed;
  }

  const mayHaveOthers = (): boolean =>
    trial !== undefined && !isCopy && deliveries === 0 && touched !== undefined;

  /** @throws SandboxError if another program changed what is compared */
  async function withOthers<Result>(work: () => Promise<Result>): Promise<Result> {
    if (!trial || isCopy || deliveries > 0 || !(await isChanged())) return work();
    if (touched === undefined)
      return atOneInstant(async () => {
        await noteRows(true);
        return work();
      });
    const [needed, result] = await atOneInstant(async () => [await adoptOthers(), await work()] as const);
    if (needed) await refuse();
    return result;
  }

  /** Gives other programs back what was put aside, and lets stay what they may have changed since. */
  async function giveBack(isSure: (name: string) => boolean): Promise<boolean> {
    let found = false;
    for (const one of await rowsToJudge()) {
      found = (await takeIn(one, one.giveBack.count, one.giveBack.give)) || found;
      if (isSure(one.table.name))
        found = (await takeIn(one, one.adoptNew.count, one.adoptNew.adopt)) || found;
    }
    return found;
  }

  async function takeIn(one: PostgresRows, count: string, statements: readonly string[]): Promise<boolean> {
    const [found] = await numbersOf(trial!, [count]);
    const change = found as unknown as OtherChange;
    if (change.inserted + change.updated + change.deleted === 0) return false;
    await freeze(one);
    await trial!.write(() => run(trial!, statements));
    add(one.table.name, change);
    return true;
  }

  /** Gives other programs back what was put aside. @throws SandboxError if that, or anything else of theirs, is compared */
  async function refuse(): Promise<void> {
    // Beside rows of another program, a row that may be its own stays.
    await giveBack((name) => others.has(name));
    version = undefined;
    const needed = [...others.values()].filter(({ table }) => touched?.has(table));
    if (needed.length > 0) throw otherNeeded(needed);
  }

  async function putBack(): Promise<void> {
    const tables = await trial!.rows();
    const needed = await trial!.write(async () => {
      // No other program writes from here on.
      if (tables.length > 0)
        await query(
          `lock table ${tables.map(({ table }) => table.from).join(", ")} in share row exclusive mode`,
        );
      if (!isCopy && deliveries === 0 && touched === undefined) await noteRows(true);
      const areNeeded = mayHaveOthers() && (await adoptOthers());
      const changed = await changedRows(trial!);
      if (!isCopy) await endRun(changed);
      for (const one of changed) await run(trial!, isOthers(one) ? one.adoptAll : one.restore);
      for (const one of isCopy ? await trial!.unlike() : []) await query(`delete from ${one.from}`);
      await query(`delete from ${trial!.own}.last`);
      await setSequences(trial!);
      return areNeeded;
    });
    version = undefined;
    deliveries = 0;
    if (needed) await refuse();
  }

  /** In a table of another program, everything is its own. */
  const isOthers = ({ table: { name } }: PostgresRows): boolean => others.has(name) && !touched?.has(name);

  /** Puts aside what this run alone has left. */
  async function endRun(changed: readonly PostgresRows[]): Promise<void> {
    const lone = changed.filter((one) => !isOthers(one));
    await query([...lone.map(({ setAside }) => setAside), `delete from ${trial!.own}.fresh`].join("; "));
  }

  const rowsToJudge = async (): Promise<PostgresRows[]> =>
    isCopy || !trial ? [] : (await trial.rows()).filter((one) => !isOthers(one));

  async function copy(): Promise<void> {
    const record = copyOf ?? createRecord(nameOf(address), false);
    try {
      // Whether rows can be put back is known before anything is changed.
      await query("begin; set local session_replication_role = replica; rollback").catch(async (error) => {
        await query("rollback");
        throw mayNot(error, shown);
      });
      trial = await copyTables(connection, record, schema, only);
      if (!isCopy) await tellOfOthers();
    } catch (error) {
      if (!isCopy) record.remove();
      throw error;
    }
  }

  /** Says what is not put back. */
  async function tellOfOthers(): Promise<void> {
    const [{ schemas, objects }] = await query(
      `select array(select distinct nspname::text from pg_class c join pg_namespace n on n.oid = relnamespace
         where relkind in ('r', 'p') and nspname not in ('pg_catalog', 'information_schema', $1) and nspname not like 'pg\\_t%' and nspname not like 'sandglass\\_trial\\_%') as schemas,
       exists (select 1 from pg_largeobject_metadata) as objects`,
      [schema],
    );
    const parts = [
      ...(schemas.length > 0 ? [`the tables of ${listed(schemas)}`] : []),
      ...(objects ? ["large objects"] : []),
    ];
    if (parts.length > 0)
      tell(
        `Of ${shown}, the schema ${schema} is put back, and not ${parts.join(", nor ")}: what your server changes there stays.`,
      );
  }

  async function close(): Promise<void> {
    if (!trial || isCopy) return;
    const { record, own } = trial;
    let reason = "";
    for (let tries = 0; tries < TRIES; tries += 1)
      try {
        if (deliveries > 0) {
          await awaitQuiet(isChanged);
          await atOneInstant(() => noteRows(false));
        }
        deliveries = 0;
        if (touched === undefined) await giveBack(() => true);
        const left = await settle(trial, false);
        const made = await trial.unlike();
        if (left.length > 0)
          tell(
            `${shown} has rows that another program changed while explore ended: ${listed(left)}. They stay.`,
          );
        const missing = made.filter(({ name }) => only?.includes(name) ?? true).map(({ name }) => name);
        if (missing.length > 0)
          tell(
            `${shown} has tables that were made or altered meanwhile: ${listed(missing)}. They stay as they are.`,
          );
        await query(`drop schema ${own} cascade`);
        return record.remove();
      } catch (error) {
        reason = (error as Error).message;
        if (!isBusy(error)) break;
      }
    // From now on, it counts as one of a killed trial.
    record.note({ pid: 0 });
    throw notPutBack(shown, reason, `the schema ${record.id} of that database`, address);
  }

  async function isAny(part: (rows: PostgresRows) => string): Promise<boolean> {
    const rows = await rowsToJudge();
    return rows.length > 0 && (await numbersOf(trial!, rows.map(part))).length > 0;
  }

  try {
    await inTurn(async () => {
      schema = schemaIn(address) ?? (await query("select current_schema() as schema"))[0].schema;
      if (!isCopy) await recoverPostgres(connection, address, schema, tell);
      checkTables(
        shown,
        (await tablesIn(connection, schema)).map(({ name }) => name),
        only,
      );
    });
  } catch (error) {
    await connection.end();
    throw error;
  }
  return {
    read: () =>
      inTurn(() =>
        withOthers(async () => {
          const tables = (await chosen()).filter(({ name }) => !frozen.has(name));
          return Object.fromEntries([...(await readRows(tables)), ...frozen]);
        }),
      ),
    shapes: () =>
      inTurn(async () => {
        const all = await shapesOf(query, quoted(schema));
        return all.filter(({ name }) => only?.includes(name) ?? true);
      }),
    putBack: () => inTurn(() => (trial ? putBack() : copy())),
    begin: () =>
      inTurn(async () => {
        if (isCopy || !trial) return;
        await withOthers(async () => undefined);
        deliveries += 1;
        trial.record.inDelivery = true;
      }),
    end: () =>
      inTurn(async () => {
        if (isCopy || !trial) return;
        if (await isChanged()) await atOneInstant(() => noteRows(touched !== undefined));
        deliveries = Math.max(0, deliveries - 1);
        if (deliveries === 0) trial.record.inDelivery = false;
      }),
    learn: (columns) =>
      inTurn(async () => {
        if (isCopy || !trial) return false;
        trial.record.note({ own: ownColumns(columns) });
        for (const one of await trial.rows()) await run(trial, one.dropRecurring(ownOf(one)));
        const found = await giveBack(() => touched === undefined);
        touched = new Set([...(touched ?? []), ...(await trial.changed())]);
        version = undefined;
        if (found) await refuse();
        return found;
      }),
    hasNew: () => inTurn(async () => touched !== undefined && (await isAny(({ hasNew }) => hasNew))),
    hasAside: () => inTurn(() => isAny(({ hasAside }) => hasAside)),
    giveBack: () => inTurn(refuse),
    get others() {
      return [...others.values()];
    },
    async close() {
      await inTurn(close).finally(() => connection.end());
    },
  };
}

/** A row; a whole number that a number cannot hold is text. */
function asJson(row: string): unknown {
  const exact = (_key: string, value: unknown, { source }: { source?: string } = {}) =>
    Number.isInteger(value) && !Number.isSafeInteger(value) ? source : value;
  return JSON.parse(row, exact as Parameters<typeof JSON.parse>[1]);
}
