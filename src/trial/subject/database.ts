/** What one trial notes of a database, and what it puts back, share their state, however long that is. */

import {
  type CopiedTable,
  type Copy,
  changedTables,
  type Dialect,
  find,
  type QueryRow,
  type Readable,
  type Taking,
} from "./dialect.ts";
import { createRecord, type TrialRecord } from "./record.ts";
import { recover, settle } from "./recover.ts";
import type { TableShape } from "./rows.ts";
import {
  awaitQuiet,
  checkTables,
  listed,
  notPutBack,
  type OtherChange,
  otherNeeded,
  ownColumns,
  type Tables,
  type TablesOptions,
  TRIES,
  tellUser,
} from "./tables.ts";

/** Opens a database. If a trial of it was killed, its rows are put back first. */
export async function openDatabase(dialect: Dialect, options: TablesOptions): Promise<Tables> {
  const { only, copyOf, tell = tellUser } = options;
  try {
    await dialect.inTurn(async () => {
      if (!copyOf) await recover(dialect, tell);
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
  readonly #only: readonly string[] | undefined;
  readonly #copyOf: TrialRecord | undefined;
  readonly #tell: (message: string) => void;
  readonly #others = new Map<string, OtherChange>();
  /** Tables that another program changed, as they were before that: they are not compared any more. */
  readonly #frozen = new Map<string, Record<string, unknown>[]>();
  /** Tables that deliveries change; unknown until that was learnt. */
  #touched: Set<string> | undefined;
  #copy: Copy | undefined;
  /** How many requests are under way. */
  #deliveries = 0;

  constructor(dialect: Dialect, { only, copyOf, tell = tellUser }: TablesOptions) {
    this.#dialect = dialect;
    this.#only = only;
    this.#copyOf = copyOf;
    this.#tell = tell;
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
    return this.#dialect.inTurn(() => (this.#copy ? this.#putBack(this.#copy) : this.#makeCopy()));
  }

  begin(): Promise<void> {
    return this.#whileWatched(async (copy) => {
      await this.#withOthers(async () => undefined);
      this.#deliveries += 1;
      copy.record.inDelivery = true;
    });
  }

  end(): Promise<void> {
    return this.#whileWatched(async (copy) => {
      await this.#noteChanges(copy);
      this.#deliveries = Math.max(0, this.#deliveries - 1);
      if (this.#deliveries === 0) copy.record.inDelivery = false;
    });
  }

  note(): Promise<void> {
    return this.#whileWatched(async (copy) => {
      if (this.#deliveries > 0) await this.#noteChanges(copy);
    });
  }

  claim(tables: readonly string[]): Promise<void> {
    return this.#dialect.inTurn(async () => {
      this.#touched = new Set([...(this.#touched ?? []), ...tables]);
    });
  }

  release(): Promise<void> {
    return this.#whileWatched((copy) => this.#release(copy));
  }

  learn(columns: readonly string[]): Promise<boolean> {
    return this.#dialect.inTurn(async () => {
      const copy = this.#watched;
      if (!copy) return false;
      copy.record.note({ own: ownColumns(columns) });
      for (const one of await copy.tables()) await copy.run(one.dropRecurring(this.#ownOf(copy, one)));
      const isFirst = this.#touched === undefined;
      const earlier = isFirst ? await this.#compareRuns(copy) : [];
      const hasNow = await this.#takeFresh(copy, () => isFirst);
      const changed = (await changedTables(copy)).flatMap(({ name, isInner }) => (isInner ? [] : name));
      const hadEarlier = await this.#takeAside(copy, true);
      // What a server does in the second run alone, it does not do for the same requests.
      const own = changed.filter((name) => earlier.includes(name));
      this.#touched = new Set([...(this.#touched ?? []), ...own]);
      const isOthers = own.length < changed.length && (await this.#release(copy));
      if (hasNow || hadEarlier) await this.#refuse();
      return hasNow || hadEarlier || isOthers;
    });
  }

  hasNew(): Promise<boolean> {
    return this.#dialect.inTurn(
      async () => this.#touched !== undefined && (await this.#isAny(({ hasNew }) => hasNew)),
    );
  }

  hasAside(): Promise<boolean> {
    return this.#dialect.inTurn(() => this.#isAny(({ hasAside }) => hasAside));
  }

  giveBack(): Promise<void> {
    return this.#dialect.inTurn(() => this.#refuse());
  }

  async close(): Promise<void> {
    await this.#dialect.inTurn(() => this.#close()).finally(() => this.#dialect.end());
  }

  /** The copy of a user's own database, which other programs may use. */
  get #watched(): Copy | undefined {
    return this.#copyOf ? undefined : this.#copy;
  }

  #whileWatched(work: (copy: Copy) => Promise<unknown>): Promise<void> {
    return this.#dialect.inTurn(async () => {
      if (this.#watched) await work(this.#watched);
    });
  }

  #isChosen = ({ name }: { name: string }): boolean => this.#only?.includes(name) ?? true;

  async #chosen(): Promise<readonly Readable[]> {
    return (await this.#dialect.tables()).filter(this.#isChosen);
  }

  #ownOf = ({ record }: Copy, { name }: CopiedTable): readonly string[] => record.noted.own[name] ?? [];

  /** In a table of another program, everything is its own. */
  #isOthers = ({ name }: CopiedTable): boolean => this.#others.has(name) && !this.#touched?.has(name);

  async #makeCopy(): Promise<void> {
    const isWork = this.#copyOf !== undefined;
    const record = this.#copyOf ?? createRecord(this.#dialect.name, false);
    try {
      this.#copy = await this.#dialect.copy(record, this.#only, isWork);
      const notCopied = isWork ? undefined : await this.#dialect.notCopied();
      if (notCopied) this.#tell(notCopied);
    } catch (error) {
      if (!isWork) record.remove();
      throw error;
    }
  }

  async #release(copy: Copy): Promise<boolean> {
    const others = (await this.#toJudge(copy)).filter(({ name }) => !this.#touched?.has(name));
    const adopted = await copy.write(async () => {
      await copy.run(others.flatMap(({ forget }) => forget));
      return this.#adopt(copy, others);
    });
    return adopted.length > 0;
  }

  #noteChanges(copy: Copy): Promise<void> {
    return this.#dialect.observe(async (isChanged) => {
      if (isChanged) await this.#note(copy, this.#touched !== undefined);
    });
  }

  async #note(copy: Copy, isDoubtful: boolean): Promise<void> {
    const changed = await copy.note();
    await copy.run(changed.flatMap((one) => one.sort(this.#ownOf(copy, one), isDoubtful)));
    const touched = this.#touched;
    if (!touched) return;
    const untouched = changed.filter(({ name, isInner }) => !isInner && !touched.has(name));
    for (const [one] of await find(copy, untouched, ({ hasAside }) => hasAside)) {
      // A second run has changed the table: so it is deliveries that do.
      touched.add(one.name);
      await copy.run([one.dropAside]);
    }
  }

  async #freeze({ name, before }: CopiedTable): Promise<void> {
    if (this.#frozen.has(name)) return;
    const [[, rows]] = (await this.#dialect.readRows([{ name, from: before }])) as [
      [string, Record<string, unknown>[]],
    ];
    this.#frozen.set(name, rows);
  }

  #add(table: string, { inserted, updated, deleted }: Omit<OtherChange, "table">): void {
    const sum = this.#others.get(table) ?? { table, inserted: 0, updated: 0, deleted: 0 };
    sum.inserted += inserted;
    sum.updated += updated;
    sum.deleted += deleted;
    this.#others.set(table, sum);
    if (!this.#copy!.record.noted.hasOthers) this.#copy!.record.note({ hasOthers: true });
  }

  /**
   * What changed although no delivery was under way is another program's, and stays.
   * @returns whether some of it is compared
   */
  async #adoptOthers(copy: Copy): Promise<boolean> {
    const touched = this.#touched;
    if (!touched) {
      await this.#note(copy, true);
      return false;
    }
    const adopted = await this.#adopt(copy, await copy.tables());
    return adopted.some((name) => touched.has(name));
  }

  /** Takes what is otherwise than the trial left it into the copy, where it stays. @returns the tables, but for inner ones */
  async #adopt(copy: Copy, tables: readonly CopiedTable[]): Promise<string[]> {
    const adopted: string[] = [];
    for (const [one, row] of await find(copy, tables, ({ unexpected }) => unexpected.count)) {
      const change = changeIn(row);
      if (!change) continue;
      if (!one.isInner) await this.#freeze(one);
      await copy.run(one.unexpected.take);
      if (one.isInner) continue;
      this.#add(one.name, change);
      adopted.push(one.name);
    }
    return adopted;
  }

  /** @throws SandboxError if another program changed what is compared */
  async #withOthers<Result>(work: () => Promise<Result>): Promise<Result> {
    const copy = this.#watched;
    if (!copy || this.#deliveries > 0) return work();
    const [needed, result] = await this.#dialect.observe(
      async (isChanged) => [isChanged && (await this.#adoptOthers(copy)), await work()] as const,
    );
    if (needed) await this.#refuse();
    return result;
  }

  /** Gives other programs back what was put aside. @throws SandboxError if that, or anything else of theirs, is compared */
  async #refuse(): Promise<void> {
    // Beside rows of another program, a row that may be its own stays.
    if (this.#watched) {
      await this.#takeFresh(this.#watched, (name) => this.#others.has(name));
      await this.#takeAside(this.#watched, true);
    }
    const needed = [...this.#others.values()].filter(({ table }) => this.#touched?.has(table));
    if (needed.length > 0) throw otherNeeded(needed);
  }

  /**
   * Finds out what only one of the runs has left: no delivery made that, and it is another program's. Where the runs have nothing
   * in common, the server remembers the first one; and rows that differ in each may be its own.
   * @returns the tables in which earlier runs have left something
   */
  async #compareRuns(copy: Copy): Promise<string[]> {
    const tables = await this.#toJudge(copy);
    const shapes = await this.#dialect.shapes(tables.map(({ name }) => name));
    const columnsOf = (one: CopiedTable): string[] => {
      const { key, draws, references } = shapes.find(({ name }) => name === one.name)!;
      // Drawn ids are others once another program has drawn one.
      return [...this.#ownOf(copy, one), ...(draws ? key : []), ...references.map(({ column }) => column)];
    };
    const runs = await find(copy, tables, (one) => one.compareRuns(columnsOf(one)));
    const hasBoth = runs.some(([, { both }]) => Number(both) > 0);
    for (const [one, { earlier, now }] of runs)
      if (hasBoth && (Number(earlier) === 0 || Number(now) === 0))
        await copy.write(() => copy.run(one.takeApart(columnsOf(one))));
    return runs.flatMap(([{ name }, { both, earlier }]) => (Number(both) + Number(earlier) > 0 ? name : []));
  }

  /** Lets stay what other programs may have changed in this run. */
  async #takeFresh(copy: Copy, isSure: (table: string) => boolean): Promise<boolean> {
    let found = false;
    for (const one of await this.#toJudge(copy))
      if (isSure(one.name)) found = (await this.#takeIn(copy, one, one.fresh)) || found;
    return found;
  }

  /** Gives other programs back what was put aside. @param isDone whether what the server left may be put back first: it may be in its place */
  async #takeAside(copy: Copy, isDone: boolean): Promise<boolean> {
    let found = false;
    for (const one of await this.#toJudge(copy))
      found = (await this.#takeIn(copy, one, one.aside, isDone ? one.restore : [])) || found;
    return found;
  }

  async #takeIn(
    copy: Copy,
    one: CopiedTable,
    { count, take }: Taking,
    before: readonly string[] = [],
  ): Promise<boolean> {
    const change = changeIn((await copy.select([count]))[0]!);
    if (!change) return false;
    await this.#freeze(one);
    await copy.write(() => copy.run([...before, ...take]));
    this.#add(one.name, change);
    return true;
  }

  async #toJudge(copy: Copy): Promise<readonly CopiedTable[]> {
    return (await copy.tables()).filter((one) => !one.isInner && !this.#isOthers(one));
  }

  async #isAny(select: (table: CopiedTable) => string): Promise<boolean> {
    const copy = this.#watched;
    return copy !== undefined && (await find(copy, await this.#toJudge(copy), select)).length > 0;
  }

  async #putBack(copy: Copy): Promise<void> {
    const isWork = copy !== this.#watched;
    const needed = await copy.write(async () => {
      await copy.lock();
      const isOthers = !isWork && this.#deliveries === 0 && (await this.#dialect.isChanged());
      const areNeeded = isOthers && (await this.#adoptOthers(copy));
      const changed = await changedTables(copy);
      const own = changed.filter((one) => !one.isInner && !this.#isOthers(one));
      if (!isWork && !this.#touched) await copy.run(own.map(({ noteRun }) => noteRun));
      if (!isWork) await copy.run(own.map(({ setAside }) => setAside));
      for (const one of changed) await copy.run(this.#isOthers(one) ? one.adoptAll : one.restore);
      if (isWork) await copy.run((await copy.unlike()).filter(this.#isChosen).map(({ empty }) => empty));
      else await copy.run((await copy.tables()).flatMap(({ forget }) => forget));
      if (!copy.record.noted.hasOthers) await copy.setNumbers();
      // No other program can have written by now.
      await this.#dialect.isChanged();
      return areNeeded;
    });
    this.#deliveries = 0;
    if (needed) await this.#refuse();
  }

  async #close(): Promise<void> {
    const copy = this.#watched;
    if (!copy) return;
    const { record } = copy;
    const { shown, source } = this.#dialect;
    let reason = "";
    for (let tries = 0; tries < TRIES; tries += 1)
      try {
        if (this.#deliveries > 0) {
          await awaitQuiet(() => this.#dialect.isChanged());
          await this.#dialect.observe(() => this.#note(copy, false));
        }
        this.#deliveries = 0;
        if (this.#touched === undefined) {
          await this.#takeAside(copy, false);
          await this.#takeFresh(copy, () => true);
        }
        const left = await settle(copy, false);
        const made = (await copy.unlike()).filter(this.#isChosen).map(({ name }) => name);
        if (left.length > 0)
          this.#tell(
            `${shown} has rows that another program changed while the trial ended: ${listed(left)}. They stay.`,
          );
        if (made.length > 0)
          this.#tell(
            `${shown} has tables that were made or altered meanwhile: ${listed(made)}. They stay as they are.`,
          );
        await copy.drop();
        return record.remove();
      } catch (error) {
        reason = (error as Error).message;
        if (!this.#dialect.isBusy(error)) break;
      }
    // From now on, it counts as one of a killed trial.
    record.note({ pid: 0 });
    throw notPutBack(shown, reason, this.#dialect.placeOf(record), source);
  }
}

/** What a select of changes has found; undefined for nothing. */
function changeIn(row: QueryRow): Omit<OtherChange, "table"> | undefined {
  const [inserted, updated, deleted] = [Number(row.inserted), Number(row.updated), Number(row.deleted)];
  return inserted + updated + deleted > 0 ? { inserted, updated, deleted } : undefined;
}
