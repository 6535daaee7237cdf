import { SandboxError } from "../../errors/errors.ts";
import { wallNow, wallSleep } from "../../world/clock.ts";
import {
  type Connection,
  codeOf,
  connectTo,
  databaseIn,
  isBusy,
  literal,
  nameOf,
  quoted,
  schemaIn,
} from "./postgres-client.ts";
import { type PostgresRows, type PostgresTable, rowsOf, TABLES, tableOf } from "./postgres-rows.ts";
import { createRecord, recordsOf, refuseSecondTrial, type TrialRecord } from "./record.ts";
import {
  checkTables,
  listed,
  MOST_ROWS,
  notPutBack,
  type OtherChange,
  otherNeeded,
  ownColumns,
  recovered,
  type Tables,
  type TablesOptions,
  tellUser,
  tooManyRows,
} from "./tables.ts";

/** How often it is tried to put rows back for the last time. */
const TRIES = 3;
/** How long the database has to stay as it is once a trial ends in the middle of a delivery. */
const QUIET_MS = 100;
const MOST_WAIT_MS = 2_000;

/** A connection to a schema, and the copy of its tables in a schema of the trial. */
interface Trial {
  connection: Connection;
  record: TrialRecord;
  /** The schema of the copy, as SQL takes it. */
  own: string;
  /** The tables that are as they were when they were copied, but for their rows. */
  rows(): Promise<PostgresRows[]>;
  /** Tables that the copy has not, or in another form. */
  unlike(): Promise<PostgresTable[]>;
  /** The names of the tables whose rows are not as before. */
  changed(): Promise<string[]>;
  /** Does something in one transaction, without the triggers and the foreign keys that changes cause. */
  write<Result>(work: () => Promise<Result>): Promise<Result>;
}

export async function tablesIn({ query }: Connection, schema: string): Promise<PostgresTable[]> {
  return (await query(TABLES, [quoted(schema)])).map((one) => tableOf(schema, one));
}

/** @param copied the tables of the copy, by their numbers */
function trialOf(
  connection: Connection,
  record: TrialRecord,
  schema: string,
  copied: readonly Pick<PostgresTable, "name" | "form">[],
): Trial {
  const own = quoted(record.id);
  const isCopied = (table: PostgresTable): number =>
    copied.findIndex(({ name, form }) => name === table.name && form === table.form);
  const trial: Trial = {
    ...{ connection, record, own },
    changed: async () => (await changedRows(trial)).map(({ table }) => table.name),
    rows: async () =>
      (await tablesIn(connection, schema)).flatMap((table) =>
        isCopied(table) < 0 ? [] : rowsOf(table, own, isCopied(table)),
      ),
    unlike: async () => (await tablesIn(connection, schema)).filter((table) => isCopied(table) < 0),
    write: (work) => writeTables(connection, work),
  };
  return trial;
}

/** Does something in one transaction, without the triggers and the foreign keys that changes cause. */
export async function writeTables<Result>(
  { query, shown }: Connection,
  work: () => Promise<Result>,
): Promise<Result> {
  await query("begin");
  try {
    await query("set local session_replication_role = replica").catch((error) => {
      throw mayNot(error, shown);
    });
    const result = await work();
    await query("commit");
    return result;
  } catch (error) {
    await query("rollback").catch(() => undefined);
    throw error;
  }
}

const mayNot = (error: unknown, shown: string): unknown =>
  codeOf(error) === "42501"
    ? new SandboxError(
        "invalid_state",
        `The user of ${shown} may not put rows back without causing triggers and checks of foreign keys.`,
        "Connect as a superuser of your test database, let one run: grant set on parameter session_replication_role to <user> (Postgres 15 and later), or name a --reset.",
      )
    : error;

/** Copies tables into a schema of the trial: on disk when it resolves. */
async function copyTables(
  connection: Connection,
  record: TrialRecord,
  schema: string,
  only?: readonly string[],
): Promise<Trial> {
  const { query, shown } = connection;
  const own = quoted(record.id);
  const tables = (await tablesIn(connection, schema)).filter(({ name }) => only?.includes(name) ?? true);
  await query("begin isolation level repeatable read");
  try {
    await query(
      `create schema ${own}; comment on schema ${own} is 'Rows of before a trial of Sandglass, which its next command puts back and removes';
       create unlogged table ${own}.last (tbl int, gone bool, k text, v text);
       create unlogged table ${own}.seen (tbl int, gone bool, k text, v text);
       create unlogged table ${own}.fresh (tbl int, gone bool, k text, v text);
       create unlogged table ${own}.aside (tbl int, gone bool, k text, v text);
       create table ${own}.copied (number int, name text, form text);
       create table ${own}.sequences (sql text, last_value bigint, is_called bool)`,
    ).catch((error) => {
      throw codeOf(error) === "42501"
        ? new SandboxError(
            "invalid_state",
            `The user of ${shown} may not copy its tables, and without a copy no row is changed.`,
            `Let an owner of the database run: grant create on database ${quoted(databaseIn(shown))} to <user>`,
          )
        : error;
    });
    for (const [number, table] of tables.entries()) {
      await query(rowsOf(table, own, number).copy);
      await query(`insert into ${own}.copied values ($1, $2, $3)`, [number, table.name, table.form]);
    }
    const names = await query(
      `select format('%I.%I', $1::text, relname) as sql from pg_class s
       where relkind = 'S' and relnamespace = quote_ident($1)::regnamespace and ($2::text[] is null or exists (
         select 1 from pg_depend d join pg_class t on t.oid = d.refobjid
         where d.objid = s.oid and d.deptype in ('a', 'i') and t.relname = any($2)))`,
      [schema, only ?? null],
    );
    for (const { sql } of names)
      await query(`insert into ${own}.sequences select ${literal(sql)}, last_value, is_called from ${sql}`);
    await query("commit");
  } catch (error) {
    await query("rollback").catch(() => undefined);
    throw error;
  }
  return trialOf(connection, record, schema, tables);
}

/** The copy that a killed trial left; undefined if it made none. */
export async function findCopy(
  connection: Connection,
  record: TrialRecord,
  schema: string,
): Promise<Trial | undefined> {
  const own = quoted(record.id);
  const there = await connection.query("select 1 from pg_namespace where nspname = $1", [record.id]);
  if (there.length === 0) return undefined;
  const copied = await connection.query(`select name, form from ${own}.copied order by number`);
  return trialOf(connection, record, schema, copied);
}

const setSequences = ({ connection, own }: Trial) =>
  connection.query(
    `select setval(sql::regclass, last_value, is_called) from ${own}.sequences where to_regclass(sql) is not null`,
  );

const run = async ({ connection }: Trial, statements: readonly string[]): Promise<void> => {
  for (const statement of statements) await connection.query(statement);
};

async function numbersOf({ connection }: Trial, parts: readonly string[]): Promise<Record<string, number>[]> {
  if (parts.length === 0) return [];
  const found = await connection.query(parts.join(" union all "));
  return found.map((one) =>
    Object.fromEntries(Object.entries(one).map(([name, value]) => [name, Number(value)])),
  );
}

async function changedRows(trial: Trial): Promise<PostgresRows[]> {
  const rows = await trial.rows();
  const found = await numbersOf(trial, rows.map(({ differs }) => differs));
  return rows.filter(({ number }) => found.some((one) => one.number === number));
}

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
  let trial: Trial | undefined;
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

  const note = (): Promise<void> => atOneInstant(noteRows);

  async function noteRows(): Promise<void> {
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
        ...changed.flatMap((one) => one.sort(ownOf(one))),
        `insert into ${own}.seen select * from ${own}.last except select * from ${own}.seen`,
      ].join("; "),
    );
    const untouched = touched === undefined ? [] : changed.filter(({ table }) => !touched!.has(table.name));
    for (const { number } of await numbersOf(trial!, untouched.map(({ hasAside }) => hasAside))) {
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

  const mayHaveOthers = (): boolean => trial !== undefined && !isCopy && deliveries === 0 && touched !== undefined;

  /** @throws SandboxError if another program changed what is compared */
  async function withOthers<Result>(work: () => Promise<Result>): Promise<Result> {
    if (!mayHaveOthers() || !(await isChanged())) return work();
    const [needed, result] = await atOneInstant(async () => [await adoptOthers(), await work()] as const);
    if (needed) await refuse();
    return result;
  }

  async function takeIn(one: PostgresRows, count: string, statements: readonly string[]): Promise<void> {
    const [found] = await numbersOf(trial!, [count]);
    const change = found as unknown as OtherChange;
    if (change.inserted + change.updated + change.deleted === 0) return;
    await freeze(one);
    await trial!.write(() => run(trial!, statements));
    add(one.table.name, change);
  }

  /** Gives other programs back what was put aside. @throws SandboxError if that, or anything else of theirs, is compared */
  async function refuse(): Promise<void> {
    for (const one of await rowsToJudge()) {
      await takeIn(one, one.giveBack.count, one.giveBack.give);
      // Beside rows of another program, a row that may be its own stays.
      if (others.has(one.table.name)) await takeIn(one, one.adoptNew.count, one.adoptNew.adopt);
    }
    version = undefined;
    const needed = [...others.values()].filter(({ table }) => touched?.has(table));
    if (needed.length > 0) throw otherNeeded(needed);
  }

  async function putBack(): Promise<void> {
    const tables = await trial!.rows();
    const needed = await trial!.write(async () => {
      // No other program writes from here on.
      if (tables.length > 0)
        await query(`lock table ${tables.map(({ table }) => table.from).join(", ")} in share row exclusive mode`);
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
    const lone = changed.filter(
      ({ table: { name } }) => touched !== undefined && !others.has(name),
    );
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
    await isChanged();
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
      tell(`Of ${shown}, the schema ${schema} is put back, and not ${parts.join(", nor ")}: what your server changes there stays.`);
  }

  async function awaitQuiet(): Promise<void> {
    const began = wallNow();
    for (let since = began; wallNow() - since < QUIET_MS && wallNow() - began < MOST_WAIT_MS; ) {
      await wallSleep(QUIET_MS / 5);
      if (await isChanged()) since = wallNow();
    }
  }

  async function close(): Promise<void> {
    if (!trial || isCopy) return;
    const { record, own } = trial;
    let reason = "";
    for (let tries = 0; tries < TRIES; tries += 1)
      try {
        if (deliveries > 0) {
          await awaitQuiet();
          await note();
        }
        deliveries = 0;
        const left = await settle(trial, false);
        const made = await trial.unlike();
        if (left.length > 0)
          tell(`${shown} has rows that another program changed while explore ended: ${listed(left)}. They stay.`);
        const missing = made.filter(({ name }) => only?.includes(name) ?? true).map(({ name }) => name);
        if (missing.length > 0)
          tell(`${shown} has tables that were made or altered meanwhile: ${listed(missing)}. They stay as they are.`);
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
        if (await isChanged()) await note();
        deliveries = Math.max(0, deliveries - 1);
        if (deliveries === 0) trial.record.inDelivery = false;
      }),
    learn: (columns) =>
      inTurn(async () => {
        if (isCopy || !trial) return;
        trial.record.note({ own: ownColumns(columns) });
        const changed = await changedRows(trial);
        touched = new Set([...(touched ?? []), ...changed.map(({ table }) => table.name)]);
      }),
    hasNew: () =>
      inTurn(async () => {
        if (touched === undefined) return false;
        const rows = await rowsToJudge();
        return rows.length > 0 && (await numbersOf(trial!, rows.map(({ hasNew }) => hasNew))).length > 0;
      }),
    hasAside: () =>
      inTurn(async () => {
        const rows = await rowsToJudge();
        return rows.length > 0 && (await numbersOf(trial!, rows.map(({ hasAside }) => hasAside))).length > 0;
      }),
    giveBack: () => inTurn(refuse),
    get others() {
      return [...others.values()];
    },
    async close() {
      await inTurn(close).finally(() => connection.end());
    },
  };
}

/** Puts back what is still as the trial left it. @returns what stays */
async function settle(trial: Trial, inDelivery: boolean): Promise<string[]> {
  const changed = await changedRows(trial);
  const { own } = trial.record.noted;
  await trial.write(async () => {
    for (const one of changed) await run(trial, one.settle(inDelivery, own[one.table.name] ?? []));
    await setSequences(trial);
  });
  if (changed.length === 0) return [];
  const left = await trial.connection.query(changed.map((one) => one.left).join(" union all "));
  return left.map(({ name, k }) => `${name} ${k}`);
}

/** Puts back what a killed trial left, and removes what it made. */
export async function recoverPostgres(
  connection: Connection,
  address: string,
  schema: string,
  tell: (message: string) => void,
): Promise<void> {
  const records = recordsOf(nameOf(address));
  refuseSecondTrial(connection.shown, records);
  for (const record of records.abandoned) {
    if (record.noted.onCopy) {
      const { dropWork } = await import("./postgres-work.ts");
      await dropWork(address, record, connection, schema, tell);
      continue;
    }
    const trial = await findCopy(connection, record, schema);
    if (!trial) {
      record.remove();
      continue;
    }
    const changed = (await changedRows(trial)).map(({ table }) => table.name);
    const left = await settle(trial, record.inDelivery);
    const place = `the schema ${record.id} of that database`;
    if (left.length === 0) {
      await connection.query(`drop schema ${trial.own} cascade`);
      record.remove();
    } else record.note({ isKept: true });
    const words = recovered(connection.shown, changed, left, place, address);
    if (words) tell(words);
  }
}

/** Puts back all rows that the copy of an earlier trial has. */
export async function restorePostgres(address: string): Promise<string> {
  const connection = await connectTo(address);
  const { shown, query, inTurn } = connection;
  try {
    return await inTurn(async () => {
      const schema = schemaIn(address) ?? (await query("select current_schema() as schema"))[0].schema;
      const records = recordsOf(nameOf(address));
      refuseSecondTrial(shown, records);
      for (const record of [...records.kept, ...records.abandoned]) {
        if (record.noted.onCopy) {
          const { restoreFromWork } = await import("./postgres-work.ts");
          if (await restoreFromWork(address, record, connection, schema)) return `${shown} has the rows of before again.`;
          continue;
        }
        const trial = await findCopy(connection, record, schema);
        if (!trial) continue;
        const changed = await changedRows(trial);
        await trial.write(async () => {
          for (const one of changed) await run(trial, one.restore);
          await setSequences(trial);
        });
        await query(`drop schema ${trial.own} cascade`);
        record.remove();
        return `${shown} has the rows of before again, in ${listed(changed.map(({ table }) => table.name)) || "all tables"}.`;
      }
      throw new SandboxError(
        "not_found",
        `There is no copy of ${shown} from an earlier trial.`,
        "Explore leaves one only if it could not put all rows back.",
      );
    });
  } finally {
    await connection.end();
  }
}

/** A row; a whole number that a number cannot hold is text. */
function asJson(row: string): unknown {
  const exact = (_key: string, value: unknown, { source }: { source?: string } = {}) =>
    Number.isInteger(value) && !Number.isSafeInteger(value) ? source : value;
  return JSON.parse(row, exact as Parameters<typeof JSON.parse>[1]);
}
