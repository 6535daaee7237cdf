import { type CopiedTable, type Copy, NOTINGS, type Noting } from "./dialect.ts";

export interface RowCounts {
  inserted: number;
  updated: number;
  deleted: number;
}

/** How many rows of a table both of two runs left, and how many only one of them. */
export interface RunRows {
  both: number;
  earlier: number;
  now: number;
}

/**
 * Rows whose owner is unknown: all that differ from before, those that differ from how the trial left them, those that only this
 * run has left so far, and those that were put aside.
 */
export type Doubted = "changes" | "unexpected" | "fresh" | "aside";

/** Columns of a table whose values differ in each run. */
export type OwnOf = (table: CopiedTable) => readonly string[];

const same = (one: string, other: string): string =>
  `${one}.tbl = ${other}.tbl and ${one}.k = ${other}.k and ${one}.v = ${other}.v`;
const numbersOf = (tables: readonly CopiedTable[]): string =>
  tables.map(({ number }) => number).join() || "-1";

/** Records beside the copy what a trial has done to a database. */
export class Ledger {
  readonly copy: Copy;
  readonly #of: Readonly<Record<Noting, string>>;

  constructor(copy: Copy) {
    this.copy = copy;
    this.#of = Object.fromEntries(NOTINGS.map((kind) => [kind, copy.noted(kind)])) as Record<Noting, string>;
  }

  /** The tables whose rows differ from before. */
  async changed(): Promise<CopiedTable[]> {
    return this.#within("changes", await this.#compare());
  }

  /** Records the present differences from the copy as the trial's. @returns the tables with new differences */
  async note(): Promise<CopiedTable[]> {
    const { changes, added, last } = this.#of;
    const tables = await this.#compare();
    await this.copy.run([
      `delete from ${last} as l where not ${this.#has("changes", "l")}`,
      `delete from ${added}`,
      `insert into ${added} select * from ${changes} c where not ${this.#has("last", "c")}`,
      `insert into ${last} select * from ${added}`,
    ]);
    return this.#within("added", tables);
  }

  /** After a note: rows that recur are no longer aside. @param isDoubtful whether new rows may be another program's */
  async sort(added: readonly CopiedTable[], ownOf: OwnOf, isDoubtful: boolean): Promise<void> {
    const isNew = (table: CopiedTable) =>
      `a.tbl = ${table.number} and not ${this.#has("seen", "a")} and not ${this.#among("a", "seen", table, ownOf(table))}`;
    await this.copy.run([
      ...added.map((table) => this.#drop("aside", table, this.#among("d", "added", table, ownOf(table)))),
      ...(isDoubtful
        ? added.map((table) => this.#add("fresh", `${this.#of.added} a where ${isNew(table)}`))
        : []),
      this.#add("seen", `${this.#of.added} a where not ${this.#has("seen", "a")}`),
    ]);
  }

  /** Rows that two runs have left are not another program's. */
  async dropRecurring(ownOf: OwnOf): Promise<void> {
    for (const table of await this.copy.tables()) {
      const own = ownOf(table);
      const recurs = `exists (select 1 from ${this.#of.seen} o where o.tbl = ${table.number}
        and ${sign("o", table, own)} = ${sign("d", table, own)} and not (${same("o", "d")}))`;
      await this.copy.run([
        this.#drop("aside", table, this.#among("d", "last", table, own)),
        this.#drop("fresh", table, recurs),
      ]);
    }
  }

  /** Compares the rows that this run and earlier ones left. */
  async compareRuns(table: CopiedTable, own: readonly string[]): Promise<RunRows> {
    const isEarlier = this.#among("l", "earlier", table, own);
    const [row] = await this.copy.select(
      `select count(*) filter (where ${isEarlier}) as one, count(*) filter (where not ${isEarlier}) as two,
        (select count(*) from ${this.#of.earlier} e where e.tbl = ${table.number} and not ${this.#among("e", "last", table, own)}) as three
       from ${this.#of.last} l where l.tbl = ${table.number}`,
    );
    return { both: Number(row!.one), now: Number(row!.two), earlier: Number(row!.three) };
  }

  /** Puts aside rows that only earlier runs left, and marks rows that only this run left as fresh. */
  takeApart(table: CopiedTable, own: readonly string[]): Promise<void> {
    const only = (kind: Noting, other: Noting) =>
      `${this.#of[kind]} a where a.tbl = ${table.number} and not ${this.#among("a", other, table, own)}`;
    return this.copy.run([
      this.#add("aside", `${only("earlier", "last")} and not ${this.#has("aside", "a")}`),
      this.#add("fresh", only("last", "earlier")),
    ]);
  }

  /** The given tables with rows that only this run has left so far, or with rows put aside. */
  with(what: "fresh" | "aside", tables: readonly CopiedTable[]): Promise<CopiedTable[]> {
    return this.#within(what, tables, what === "fresh" ? this.#has("last", "n") : undefined);
  }

  /** Records what a run leaves at its end, and puts aside the rows that only this run left. */
  endRun(tables: readonly CopiedTable[]): Promise<void> {
    const within = `where a.tbl in (${numbersOf(tables)})`;
    return this.copy.run([
      this.#add("earlier", `${this.#of.last} a ${within} and not ${this.#has("earlier", "a")}`),
      this.#add("aside", `${this.#of.fresh} a ${within} and ${this.#has("last", "a")}`),
    ]);
  }

  dropAside(table: CopiedTable): Promise<void> {
    return this.copy.run([this.#drop("aside", table)]);
  }

  /** Records that nothing differs. */
  forget(tables: readonly CopiedTable[]): Promise<void> {
    return this.copy.run(tables.flatMap((table) => [this.#drop("last", table), this.#drop("fresh", table)]));
  }

  /** Counts the rows of a table that another program may have changed; undefined for none. Call `changed` or `note` first. */
  async count(what: Doubted, table: CopiedTable): Promise<RowCounts | undefined> {
    const isOld = `k in (${table.keys.copy})`;
    const [row] = await this.copy.select(
      `select count(*) filter (where gone = 0 and not ${isOld}) as inserted, count(*) filter (where gone = 0 and ${isOld}) as updated,
        count(*) filter (where gone = 1) as deleted from (${this.#rowsOf(what, table)}) t`,
    );
    const [inserted, updated, deleted] = [Number(row!.inserted), Number(row!.updated), Number(row!.deleted)];
    return inserted + updated + deleted > 0 ? { inserted, updated, deleted } : undefined;
  }

  /** Copies those rows into the trial's copy, so that they stay. */
  async take(what: Doubted, table: CopiedTable): Promise<void> {
    if (what === "aside") await this.giveAside(table);
    else await this.#collect(table, this.#rowsOf(what, table));
    await this.copy.run(table.moveTo("copy"));
    if (what === "fresh" || what === "aside") await this.copy.run([this.#drop(what, table)]);
  }

  /** Returns other programs' rows that were put aside, unless another row is in their place. */
  async giveAside(table: CopiedTable): Promise<void> {
    await this.#compare();
    const { aside, changes, keys } = this.#of;
    const isFree = `not exists (select 1 from ${changes} c where c.tbl = a.tbl and c.k = a.k and c.v <> '')`;
    await this.#collect(table, `select a.k from ${aside} a where a.tbl = ${table.number} and ${isFree}`);
    const collected = `select k from ${keys} where tbl = ${table.number}`;
    await this.copy.replace(
      table,
      `select k, v from ${aside} where tbl = ${table.number} and v <> '' and k in (${collected})`,
    );
  }

  /** Restores a table from the copy. Call `changed` first. */
  async restore(table: CopiedTable): Promise<void> {
    await this.#collect(table, this.#rowsOf("changes", table));
    await this.copy.run(table.restore);
  }

  /**
   * Restores the rows that are still as the trial left them.
   * @param inDelivery whether a delivery was in progress: then also rows as the trial ever saw them
   */
  async settle(ownOf: OwnOf, inDelivery: boolean): Promise<void> {
    for (const table of await this.changed()) {
      const isSeen = inDelivery ? ` or ${this.#among("c", "seen", table, ownOf(table))}` : "";
      await this.#collect(
        table,
        `select c.k from ${this.#of.changes} c where c.tbl = ${table.number} and (${this.#has("last", "c")}${isSeen})`,
      );
      await this.copy.run(table.moveTo("database"));
    }
  }

  /** Names the rows that differ from before. */
  async left(): Promise<string[]> {
    const tables = (await this.changed()).filter(({ isInner }) => !isInner);
    const rows = await this.copy.select(
      `select tbl, k from ${this.#of.changes} where tbl in (${numbersOf(tables)}) order by tbl, k`,
    );
    return rows.map(({ tbl, k }) => `${tables.find(({ number }) => number === Number(tbl))!.name} ${k}`);
  }

  async #compare(): Promise<readonly CopiedTable[]> {
    const { changes } = this.#of;
    const tables = await this.copy.tables();
    await this.copy.run([
      `delete from ${changes}`,
      ...tables.map((table) => `insert into ${changes} ${table.changes}`),
    ]);
    return tables;
  }

  /** The given tables that have an entry of a kind. */
  async #within(kind: Noting, tables: readonly CopiedTable[], and = "true"): Promise<CopiedTable[]> {
    const rows = await this.copy.select(`select distinct tbl from ${this.#of[kind]} n where ${and}`);
    return tables.filter(({ number }) => rows.some(({ tbl }) => Number(tbl) === number));
  }

  #has = (kind: Noting, row: string): string =>
    `exists (select 1 from ${this.#of[kind]} o where ${same("o", row)})`;

  /** An SQL condition: whether a kind has the row, ignoring columns that differ in each run. */
  #among(row: string, kind: Noting, table: CopiedTable, own: readonly string[]): string {
    return `${sign(row, table, own)} in (select ${sign("o", table, own)} from ${this.#of[kind]} o where o.tbl = ${table.number})`;
  }

  #add = (kind: Noting, from: string): string =>
    `insert into ${this.#of[kind]} select distinct a.* from ${from}`;
  #drop = (kind: Noting, { number }: CopiedTable, where = "true"): string =>
    `delete from ${this.#of[kind]} as d where d.tbl = ${number} and ${where}`;

  /** Selects the keys of rows, and whether each was deleted. */
  #rowsOf(what: Doubted, { number, keys }: CopiedTable): string {
    if (what !== "unexpected") {
      const isLeft = what === "fresh" ? ` and ${this.#has("last", "n")}` : "";
      return `select k, case v when '' then 1 else 0 end as gone from ${this.#of[what]} n where tbl = ${number}${isLeft}`;
    }
    const only = (kind: Noting, other: Noting) =>
      `select k from ${this.#of[kind]} n where tbl = ${number} and not ${this.#has(other, "n")}`;
    return `select k, case when k in (${keys.database}) then 0 else 1 end as gone
      from (${only("changes", "last")} union ${only("last", "changes")}) u`;
  }

  #collect({ number }: CopiedTable, select: string): Promise<void> {
    const { keys } = this.#of;
    return this.copy.run([
      `delete from ${keys} where tbl = ${number}`,
      `insert into ${keys} select distinct ${number}, k, '' from (${select}) u`,
    ]);
  }
}

/** An SQL text that is equal for rows without a difference that counts. */
const sign = (row: string, table: CopiedTable, own: readonly string[]): string =>
  `case ${row}.v when '' then 'gone ' || ${row}.k else ${table.masked(`${row}.v`, own)} end`;
