import { wallNow, wallSleep } from "../../world/clock.ts";
import { SECOND } from "../../world/duration.ts";
import { type Fingerprints, OtherRows, type Rows, type TableShape, unlikeTables } from "./dialect.ts";
import { OnCopy } from "./on-copy.ts";
import { changedByOthers, changedOnce, listed, notRestored, tellUser } from "./words.ts";

/** How long to watch for other writers: background workers and cron jobs usually write within this time. */
const IDLE_MS = 2 * SECOND;
/** How many runs it takes to learn whether a server keeps working after its responses. */
const LEARNT = 2;
/** How many requests must change a table before it counts as the server's. */
const SURE = 2;
/** How long a database must stay unchanged if a trial ends during a request, and the maximum time to wait for that. */
const QUIET_MS = 100;
const MOST_WAIT_MS = 2 * SECOND;
/** How many times to try the final restore while another program holds the database. */
const TRIES = 3;

/**
 * The tables of the user's own database, which the server uses directly. If another program is observed to write there,
 * the trial stops without restoring anything. See docs/explore-reference.md, "Your rows".
 */
export class InPlace extends OnCopy {
  #busy: readonly string[] = [];
  #last: Fingerprints = {};
  /** How many requests have changed each table. */
  readonly #requests = new Map<string, number>();
  /** Tables that have changed since they were restored. */
  readonly #changed = new Set<string>();
  /**
   * Tables changed by only one request. Their changed rows are stored with the copy, and are restored if the trial
   * stops.
   */
  readonly #kept = new Set<string>();
  /** Tables that changed during this run while no request was in progress. */
  readonly #late = new Set<string>();
  /** How many runs have ended. */
  #runs = 0;
  /** The number of requests in progress, and whether there have been any since the tables were restored. */
  #open = 0;
  #hasBegun = false;
  /** Whether the server was observed to keep working after its responses. */
  #isLate = false;
  /** Why the trial has stopped. */
  #stopped: Error | undefined;

  /** Only the user's own server may change the user's own rows. */
  override get copied(): undefined {
    return undefined;
  }

  override read(): Promise<Rows> {
    return this.#inTurn(async () => {
      if (this.isCopied) await this.#look();
      return this.readNow();
    });
  }

  override putBack(): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.isCopied) return this.copy();
      await this.#look();
      await this.restore();
    });
  }

  override begin(): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.isCopied) return;
      await this.#look();
      this.#open += 1;
      this.#hasBegun = true;
    });
  }

  override end(isLate = false): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.isCopied) return;
      await this.#look();
      this.#open -= 1;
      this.#isLate ||= isLate;
    });
  }

  override async close(): Promise<void> {
    await this.dialect
      .inTurn(async () => {
        if (this.isCopied && !this.#stopped) await this.#restoreAtEnd();
      })
      .finally(() => this.dialect.end());
  }

  protected override async compared(): Promise<readonly TableShape[]> {
    return (await super.compared()).filter(({ name }) => !this.#busy.includes(name));
  }

  /** Copies the tables after finding out which ones other programs change. */
  protected override async copy(): Promise<void> {
    const { dialect } = this;
    const before = await dialect.fingerprints();
    await wallSleep(this.options.idleMs ?? IDLE_MS);
    await super.copy();
    this.#last = (await dialect.shelf.noted()).began;
    this.#busy = unlikeTables(before, this.#last);
    if (this.#busy.length === 0) return;
    await dialect.shelf.note({ busy: this.#busy });
    tellUser(
      `${dialect.shown} changes without a request: ${listed(this.#busy)}. These tables are neither compared nor restored.`,
    );
  }

  protected override async restore(): Promise<void> {
    const { dialect } = this;
    await this.#endRun();
    const once = [...this.#changed].filter((name) => !this.#isSure(name));
    const restored = await dialect.shelf
      .restore({
        expected: this.#last,
        except: this.#busy,
        keep: once.filter((name) => !this.#kept.has(name)),
      })
      .catch((error) => this.#stopAt(error));
    for (const name of once) this.#kept.add(name);
    for (const name of this.#kept) if (this.#isSure(name)) this.#kept.delete(name);
    this.#changed.clear();
    this.#last = restored!;
    await dialect.shelf.note({ last: this.#last, unsure: this.#doubtful() });
    this.#late.clear();
    this.#hasBegun = this.#open > 0;
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.dialect.inTurn(async () => {
      if (this.#stopped) throw this.#stopped;
      return work();
    });
  }

  #count = (name: string): void => void this.#requests.set(name, (this.#requests.get(name) ?? 0) + 1);

  #isSure = (name: string): boolean => (this.#requests.get(name) ?? 0) >= SURE;

  /**
   * Records what has changed since the last check, and who changed it. @throws SandboxError if it was another program
   */
  async #look(isChanged?: boolean): Promise<void> {
    const { dialect } = this;
    if (!(isChanged ?? (await dialect.isChanged()))) return;
    const now = await dialect.fingerprints();
    const changed = unlikeTables(this.#last, now).filter((name) => !this.#busy.includes(name));
    if (changed.length === 0) return;
    if (this.#open === 0) await this.#judge(changed);
    for (const name of changed) {
      this.#changed.add(name);
      if (this.#open > 0) this.#count(name);
      else this.#late.add(name);
    }
    this.#last = now;
    await dialect.shelf.note({ last: now, unsure: this.#doubtful() });
  }

  /**
   * Judges changes made while no request was in progress. They may come from a server that keeps working after its
   * responses.
   */
  async #judge(changed: readonly string[]): Promise<void> {
    // The first runs show whether this server keeps working.
    const isOpen = this.#hasBegun && this.#runs < LEARNT;
    const others = changed.filter((name) => !this.#hasBegun || !(this.#isLate && this.#isSure(name)));
    if (!isOpen && others.length > 0) await this.#stop(others);
  }

  /**
   * Judges a run. A table that the server changed in one request changes again in the next run: the first two runs have the
   * same requests, and a deviation that makes the server change another table is repeated immediately.
   */
  async #endRun(): Promise<void> {
    if (!this.#hasBegun) return;
    const others = [...this.#kept].filter((name) => !this.#changed.has(name));
    // A server that changes nothing at all in its second run remembers the first one. Another check reports that.
    if (others.length > 0 && this.#changed.size > 0) await this.#stop(others, changedOnce);
    // Changes after responses count once per run.
    for (const name of this.#late) this.#count(name);
    this.#isLate ||= this.#late.size > 0;
    this.#runs += 1;
  }

  /** The tables whose changes may come from another program: those changed by only one request. */
  #doubtful = (): string[] =>
    [...new Set([...this.#changed, ...this.#kept])].filter((name) => !this.#isSure(name));

  async #stopAt(error: unknown): Promise<never> {
    if (error instanceof OtherRows) return this.#stop(error.tables);
    throw error;
  }

  /** Ends the trial without restoring the tables. Changed rows that may belong to another program are put back. */
  async #stop(tables: readonly string[], words = changedByOthers): Promise<never> {
    const { dialect } = this;
    this.#stopped = words({ ...dialect, place: dialect.shelf.place }, tables);
    const only = [...this.#kept].filter((name) => !this.#changed.has(name));
    if (only.length > 0) await dialect.shelf.restore({ only, left: true });
    throw this.#stopped;
  }

  async #restoreAtEnd(): Promise<void> {
    const { dialect } = this;
    const { shelf } = dialect;
    const kept = { ...dialect, place: shelf.place };
    for (let tries = 1; ; tries += 1)
      try {
        const wasOpen = this.#open > 0;
        await this.#look((wasOpen && (await this.#awaitQuiet())) || undefined);
        this.#open = 0;
        const doubtful = this.#doubtful().filter((name) => this.#runs >= LEARNT || this.#late.has(name));
        if (doubtful.length > 0) await this.#stop(doubtful, changedOnce);
        const except = this.#busy;
        await shelf.restore({ expected: this.#last, except });
        // A server that was interrupted may still write.
        if (wasOpen && (await this.#awaitQuiet())) await shelf.restore({ except });
        return await shelf.drop();
      } catch (error) {
        if (error instanceof OtherRows) await this.#stop(error.tables);
        if (dialect.isBusy(error) && tries < TRIES) continue;
        if (dialect.isBusy(error)) throw notRestored(kept, (error as Error).message);
        throw error;
      }
  }

  /** Waits until nothing is being written. @returns whether anything was being written */
  async #awaitQuiet(): Promise<boolean> {
    const began = wallNow();
    let isChanged = false;
    for (let since = began; wallNow() - since < QUIET_MS && wallNow() - began < MOST_WAIT_MS; ) {
      await wallSleep(QUIET_MS / 5);
      if (!(await this.dialect.isChanged())) continue;
      isChanged = true;
      since = wallNow();
    }
    return isChanged;
  }
}
