/** Recording a database's changes and restoring it share their state, however long the file gets. */

import type { TableShape } from "../subject/rows.ts";
import type { CopiedTable, Dialect, Readable } from "./dialect.ts";
import { type Doubted, Ledger, type RowCounts } from "./ledger.ts";
import { createRecord } from "./record.ts";
import { ownIn, recover, settle } from "./recover.ts";
import {
  awaitQuiet,
  checkTables,
  listed,
  notPutBack,
  type OtherChange,
  otherNeeded,
  otherWords,
  ownColumns,
  type Tables,
  type TablesOptions,
  TRIES,
  tellUser,
} from "./tables.ts";

/** Opens a database. If an earlier trial of it was killed, its rows are restored first. */
export async function openDatabase(dialect: Dialect, options: TablesOptions): Promise<Tables> {
  const { only, copyOf } = options;
  try {
    await dialect.inTurn(async () => {
      if (!copyOf) await recover(dialect);
      const names = (await dialect.tables()).map(({ name }) => name);
      checkTables(dialect.shown, names, only);
    });
  } catch (error) {
    await dialect.end();
    throw error;
  }
  return new TrialTables(dialect, options);
}

class TrialTables implements Tables {
  readonly #dialect: Dialect;
  readonly #options: TablesOptions;
  readonly #others = new Map<string, OtherChange>();
  /** Tables that another program changed, with their rows before that. They are no longer compared. */
  readonly #frozen = new Map<string, Record<string, unknown>[]>();
  /** Tables that deliveries change; undefined until learnt. */
  #touched: Set<string> | undefined;
  #ledger: Ledger | undefined;
  /** How many requests are in progress. */
  #deliveries = 0;

  constructor(dialect: Dialect, options: TablesOptions) {
    this.#dialect = dialect;
    this.#options = options;
  }

  get others(): readonly OtherChange[] {
    return [...this.#others.values()];
  }

  read(): Promise<unknown> {
    return this.#dialect.inTurn(() =>
      this.#withOthers(async () => {
        const tables = (await this.#chosen()).filter(({ name }) => !this.#frozen.has(name));
        return Object.fromEntries([...(await this.#dialect.readRows(tables)), ...this.#frozen]);
      }),
    );
  }

  shapes(): Promise<readonly TableShape[]> {
    return this.#dialect.inTurn(async () =>
      this.#dialect.shapes((await this.#chosen()).map(({ name }) => name)),
    );
  }

  putBack(): Promise<void> {
    return this.#dialect.inTurn(() => (this.#ledger ? this.#putBack(this.#ledger) : this.#makeCopy()));
  }

  begin(): Promise<void> {
    return this.#whileWatched(async ({ copy }) => {
      await this.#withOthers(async () => undefined);
      this.#deliveries += 1;
      copy.record.note({ inDelivery: true });
    });
  }

  end(): Promise<void> {
    return this.#whileWatched(async (ledger) => {
      await this.#noteChanges(ledger);
      this.#deliveries = Math.max(0, this.#deliveries - 1);
      if (this.#deliveries === 0) ledger.copy.record.note({ inDelivery: false });
    });
  }

  note(): Promise<void> {
    return this.#whileWatched(async (ledger) => {
      if (this.#deliveries > 0) await this.#noteChanges(ledger);
    });
  }

  claim(tables: readonly string[]): Promise<void> {
    return this.#whileWatched(async () => this.#touch(tables));
  }

  release(): Promise<void> {
    return this.#whileWatched((ledger) => this.#release(ledger));
  }

  async learn(columns: readonly string[]): Promise<boolean> {
    return this.#forOthers(async (ledger) => {
      ledger.copy.record.note({ own: ownColumns(columns) });
      await ledger.dropRecurring(ownIn(ledger));
      const isFirst = this.#touched === undefined;
      const earlier = isFirst ? await this.#compareRuns(ledger) : [];
      const hasNow = await this.#takeFresh(ledger, () => isFirst);
      const changed = (await ledger.changed()).flatMap(({ name, isInner }) => (isInner ? [] : name));
      const hadEarlier = await this.#takeAside(ledger, true);
      // If only the second run changed a table, the same requests did not.
      const own = changed.filter((name) => earlier.includes(name));
      this.#touch(own);
      const isOthers = own.length < changed.length && (await this.#release(ledger));
      if (hasNow || hadEarlier) await this.#refuse(ledger);
      return hasNow || hadEarlier || isOthers;
    });
  }

  hasNew(): Promise<boolean> {
    return this.#forOthers(async (ledger) => {
      if (this.#touched === undefined || !(await this.#has(ledger, "fresh"))) return false;
      this.#doubt(true);
      return true;
    });
  }

  hasAside(): Promise<boolean> {
    return this.#forOthers(async (ledger) => {
      if (await this.#has(ledger, "aside")) return true;
      this.#doubt(false);
      return false;
    });
  }

  giveBack(): Promise<void> {
    return this.#whileWatched((ledger) => this.#refuse(ledger));
  }

  async close(): Promise<void> {
    await this.#whileWatched((ledger) => this.#close(ledger)).finally(() => this.#dialect.end());
  }

  #whileWatched(work: (ledger: Ledger) => Promise<unknown>): Promise<void> {
    return this.#dialect.inTurn(async () => {
      if (this.#watched) await work(this.#watched);
    });
  }

  /** Does the same while a question is open. */
  #forOthers(work: (ledger: Ledger) => Promise<boolean>): Promise<boolean> {
    return this.#dialect.inTurn(async () => this.#watched !== undefined && work(this.#watched));
  }

  /** The copy of a user's own database, which other programs may also use. */
  get #watched(): Ledger | undefined {
    return this.#options.copyOf ? undefined : this.#ledger;
  }

  #doubt(isDoubtful: boolean): void {
    const { record } = this.#ledger!.copy;
    if (record.noted.isDoubtful !== isDoubtful) record.note({ isDoubtful });
  }

  /** Knowing the tables that deliveries change settles the first doubts. */
  #touch(tables: readonly string[]): void {
    if (!this.#touched) this.#doubt(false);
    this.#touched = new Set([...(this.#touched ?? []), ...tables]);
  }

  #isChosen = ({ name }: { name: string }): boolean => this.#options.only?.includes(name) ?? true;

  async #chosen(): Promise<readonly Readable[]> {
    return (await this.#dialect.tables()).filter(this.#isChosen);
  }

  /** In another program's table, every row is that program's. */
  #isOthers = ({ name }: CopiedTable): boolean => this.#others.has(name) && !this.#touched?.has(name);

  async #makeCopy(): Promise<void> {
    const isWork = this.#options.copyOf !== undefined;
    const record = this.#options.copyOf ?? createRecord(this.#dialect.name, false);
    try {
      this.#ledger = new Ledger(await this.#dialect.copy(record, this.#options.only, isWork));
      const notCopied = isWork ? undefined : await this.#dialect.notCopied();
      if (notCopied) tellUser(notCopied);
    } catch (error) {
      if (!isWork) record.remove();
      throw error;
    }
  }

  async #release(ledger: Ledger): Promise<boolean> {
    const others = (await this.#toJudge(ledger)).filter(({ name }) => !this.#touched?.has(name));
    const adopted = await ledger.copy.write(async () => {
      await ledger.forget(others);
      return this.#adopt(ledger, others);
    });
    return adopted.length > 0;
  }

  #noteChanges(ledger: Ledger): Promise<void> {
    return this.#dialect.observe(async (isChanged) => {
      if (isChanged) await this.#note(ledger, this.#touched !== undefined);
    });
  }

  async #note(ledger: Ledger, isDoubtful: boolean): Promise<void> {
    const changed = await ledger.note();
    await ledger.sort(changed, ownIn(ledger), isDoubtful);
    const touched = this.#touched;
    if (!touched) return;
    const untouched = changed.filter(({ name, isInner }) => !isInner && !touched.has(name));
    for (const one of await ledger.with("aside", untouched)) {
      // A second run has changed the table, so deliveries change it.
      touched.add(one.name);
      await ledger.dropAside(one);
    }
  }

  async #freeze({ name, before }: CopiedTable): Promise<void> {
    if (this.#frozen.has(name)) return;
    const [[, rows]] = (await this.#dialect.readRows([{ name, from: before }])) as [
      [string, Record<string, unknown>[]],
    ];
    this.#frozen.set(name, rows);
  }

  #add(name: string, { inserted, updated, deleted }: RowCounts): void {
    const sum = this.#others.get(name) ?? { table: name, inserted: 0, updated: 0, deleted: 0 };
    sum.inserted += inserted;
    sum.updated += updated;
    sum.deleted += deleted;
    this.#others.set(name, sum);
    const { record } = this.#ledger!.copy;
    if (!record.noted.hasOthers) record.note({ hasOthers: true });
  }

  /**
   * Changes without a delivery in progress are another program's, and stay.
   * @returns whether some of them are compared
   */
  async #adoptOthers(ledger: Ledger): Promise<boolean> {
    const touched = this.#touched;
    if (!touched) {
      await this.#note(ledger, true);
      return false;
    }
    const adopted = await this.#adopt(ledger, await ledger.copy.tables());
    return adopted.some((name) => touched.has(name));
  }

  /** Accepts rows that differ from how the trial left them. @returns the tables, except inner ones */
  async #adopt(ledger: Ledger, tables: readonly CopiedTable[]): Promise<string[]> {
    await ledger.changed();
    return this.#take(ledger, "unexpected", tables);
  }

  /** @throws SandboxError if another program changed a compared table */
  async #withOthers<Result>(work: () => Promise<Result>): Promise<Result> {
    const ledger = this.#watched;
    if (!ledger || this.#deliveries > 0) return work();
    const [needed, result] = await this.#dialect.observe(
      async (isChanged) => [isChanged && (await this.#adoptOthers(ledger)), await work()] as const,
    );
    if (needed) await this.#refuse(ledger);
    return result;
  }

  /** Returns other programs' rows that were put aside. @throws SandboxError if one of their changes is in a compared table */
  async #refuse(ledger: Ledger): Promise<void> {
    // A row beside another program's rows may be its own, so it stays.
    await this.#takeFresh(ledger, ({ name }) => this.#others.has(name));
    await this.#takeAside(ledger, true);
    this.#doubt(false);
    const needed = [...this.#others.values()].filter(({ table }) => this.#touched?.has(table));
    if (needed.length > 0) throw otherNeeded(needed);
  }

  /**
   * Finds rows that only one of the runs left: no delivery made these, so they are another program's. If the runs have nothing in
   * common, the server remembers the first one; and rows that differ in each run may be its own.
   * @returns the tables in which earlier runs left rows
   */
  async #compareRuns(ledger: Ledger): Promise<string[]> {
    const tables = await this.#toJudge(ledger);
    const shapes = await this.#dialect.shapes(tables.map(({ name }) => name));
    const runs = [];
    for (const one of tables) {
      const { key, draws, references } = shapes.find(({ name }) => name === one.name)!;
      // Generated ids shift when another program has generated one.
      const own = [...ownIn(ledger)(one), ...(draws ? key : []), ...references.map(({ column }) => column)];
      runs.push({ one, own, ...(await ledger.compareRuns(one, own)) });
    }
    const hasBoth = runs.some(({ both }) => both > 0);
    for (const { one, own, earlier, now } of runs)
      if (hasBoth && (earlier === 0 || now === 0)) await ledger.copy.write(() => ledger.takeApart(one, own));
    return runs.flatMap(({ one, both, earlier }) => (both + earlier > 0 ? one.name : []));
  }

  async #has(ledger: Ledger, what: "fresh" | "aside"): Promise<boolean> {
    return (await ledger.with(what, await this.#toJudge(ledger))).length > 0;
  }

  /** Accepts rows that other programs may have changed in this run. */
  async #takeFresh(ledger: Ledger, isSure: (table: CopiedTable) => boolean): Promise<boolean> {
    const tables = await ledger.with("fresh", (await this.#toJudge(ledger)).filter(isSure));
    if (tables.length > 0) await ledger.copy.write(() => this.#take(ledger, "fresh", tables));
    return tables.length > 0;
  }

  /** Returns other programs' put-aside rows. @param isDone whether to restore the server's rows first, which may be in the way */
  async #takeAside(ledger: Ledger, isDone: boolean): Promise<boolean> {
    const tables = await ledger.with("aside", await this.#toJudge(ledger));
    if (tables.length > 0)
      await ledger.copy.write(async () => {
        await ledger.changed();
        if (isDone) for (const one of tables) await ledger.restore(one);
        await this.#take(ledger, "aside", tables);
      });
    return tables.length > 0;
  }

  /** Copies other programs' changes into the trial's copy, so that they stay. @returns the tables, except inner ones */
  async #take(ledger: Ledger, what: Doubted, tables: readonly CopiedTable[]): Promise<string[]> {
    const taken: string[] = [];
    for (const one of tables) {
      const counts = await ledger.count(what, one);
      if (!counts) continue;
      if (!one.isInner) await this.#freeze(one);
      await ledger.take(what, one);
      if (one.isInner) continue;
      this.#add(one.name, counts);
      taken.push(one.name);
    }
    return taken;
  }

  async #toJudge({ copy }: Ledger): Promise<readonly CopiedTable[]> {
    return (await copy.tables()).filter((one) => !one.isInner && !this.#isOthers(one));
  }

  async #putBack(ledger: Ledger): Promise<void> {
    const { copy } = ledger;
    const isWork = ledger !== this.#watched;
    const needed = await copy.write(async () => {
      await copy.lock();
      const isOthers = !isWork && this.#deliveries === 0 && (await this.#dialect.isChanged());
      const areNeeded = isOthers && (await this.#adoptOthers(ledger));
      const changed = await ledger.changed();
      if (!isWork) await ledger.endRun(changed.filter((one) => !one.isInner && !this.#isOthers(one)));
      for (const one of changed)
        await (this.#isOthers(one) ? ledger.take("changes", one) : ledger.restore(one));
      if (isWork) await copy.run((await copy.unlike()).filter(this.#isChosen).map(({ empty }) => empty));
      else await ledger.forget(await copy.tables());
      if (!copy.record.noted.hasOthers) await copy.setNumbers(false);
      // No other program can have written up to now.
      await this.#dialect.isChanged();
      return areNeeded;
    });
    this.#deliveries = 0;
    if (needed) await this.#refuse(ledger);
  }

  /** Leaves rows that may be another program's, because no further run can show whose they are. */
  async #leaveDoubtful(ledger: Ledger): Promise<void> {
    const hasAside = await this.#takeAside(ledger, false);
    const hasFresh = await this.#takeFresh(ledger, () => true);
    if (hasAside || hasFresh)
      tellUser(
        `${this.#dialect.shown} has rows that may be another program's: ${this.others.map(otherWords).join("; ")}. They stay.`,
      );
  }

  async #close(ledger: Ledger): Promise<void> {
    const { record } = ledger.copy;
    const { shown, source } = this.#dialect;
    let reason = "";
    for (let tries = 0; tries < TRIES; tries += 1)
      try {
        if (this.#deliveries > 0) {
          await awaitQuiet(() => this.#dialect.isChanged());
          await this.#dialect.observe(() => this.#note(ledger, false));
        }
        this.#deliveries = 0;
        if (record.noted.isDoubtful) await this.#leaveDoubtful(ledger);
        const left = await settle(ledger, false);
        const made = (await ledger.copy.unlike()).filter(this.#isChosen).map(({ name }) => name);
        if (left.length > 0)
          tellUser(
            `${shown} has rows that another program changed while the trial ended: ${listed(left)}. They stay.`,
          );
        if (made.length > 0)
          tellUser(
            `${shown} has tables that were made or altered meanwhile: ${listed(made)}. They stay as they are.`,
          );
        await ledger.copy.drop();
        return record.remove();
      } catch (error) {
        reason = (error as Error).message;
        if (!this.#dialect.isBusy(error)) break;
      }
    // From now on, the copy counts as a killed trial's.
    record.note({ pid: 0 });
    throw notPutBack(shown, reason, this.#dialect.placeOf(record), source);
  }
}
