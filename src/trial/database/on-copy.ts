import type { Dialect, Lookup, Rows, TableShape } from "./dialect.ts";
import { heldByOther } from "./words.ts";

/** The tables of a server's database, while the server is using it. */
export interface Tables {
  /** The rows to compare. */
  read(): Promise<Rows>;
  /** The tables to compare. */
  shapes(): Promise<readonly TableShape[]>;
  /** The first call copies all tables; the copy is on disk when it resolves. Later calls restore the tables. */
  putBack(): Promise<void>;
  /** Called before a request is sent, which may change rows. */
  begin(): Promise<void>;
  /** Called when a request's effects are complete. @param isLate whether the server may still be working on it */
  end(isLate?: boolean): Promise<void>;
  /** Finds and changes rows; undefined unless the tables belong to a copy. */
  copied?: CopiedRows | undefined;
  /** Restores the tables a final time and removes the copy. */
  close(): Promise<void>;
}

/** A copy's rows, which a trial may change before it starts. */
export interface CopiedRows extends Pick<Lookup, "soughtBy" | "firstRows" | "meets"> {
  /** Changes rows. From then on, `putBack` restores the changed version. @returns false if the change was not possible */
  change(work: (set: Lookup["set"]) => Promise<boolean>): Promise<boolean>;
}

export interface TablesOptions {
  /** The tables to read; by default, all. Restoring always includes all tables. */
  only?: readonly string[] | undefined;
  /** The name by which the user knows the original database, if this one is a copy used only by the server. */
  copyOf?: string | undefined;
  /** How long to watch for tables that other programs change, in real milliseconds. */
  idleMs?: number | undefined;
}

/** A copy's tables, which only the server under test changes. */
export class OnCopy implements Tables {
  protected readonly dialect: Dialect;
  protected readonly options: TablesOptions;
  protected isCopied = false;

  constructor(dialect: Dialect, options: TablesOptions) {
    this.dialect = dialect;
    this.options = options;
  }

  read(): Promise<Rows> {
    return this.dialect.inTurn(() => this.readNow());
  }

  shapes(): Promise<readonly TableShape[]> {
    return this.dialect.inTurn(() => this.compared());
  }

  putBack(): Promise<void> {
    return this.dialect.inTurn(async () => {
      if (!this.isCopied) return this.copy();
      if (await this.dialect.isChanged()) await this.restore();
    });
  }

  get copied(): CopiedRows | undefined {
    const { inTurn, lookup, shelf } = this.dialect;
    return {
      soughtBy: (...given) => inTurn(() => lookup.soughtBy(...given)),
      firstRows: (table) => inTurn(() => lookup.firstRows(table)),
      meets: (...given) => inTurn(() => lookup.meets(...given)),
      change: async (work) => {
        await this.putBack();
        return inTurn(async () => {
          const isDone = await work(lookup.set);
          await shelf.drop();
          await this.copy();
          return isDone;
        });
      },
    };
  }

  async begin(): Promise<void> {}
  async end(_isLate?: boolean): Promise<void> {}
  close(): Promise<void> {
    return this.dialect.end();
  }

  protected async copy(): Promise<void> {
    const { shelf, shown } = this.dialect;
    // A copy's shelf remains after its connection is closed.
    if ((await shelf.take()) === "taken") await shelf.restore();
    else if (!(await shelf.make())) throw heldByOther(shown);
    this.isCopied = true;
    await this.dialect.isChanged();
  }

  protected async restore(): Promise<void> {
    await this.dialect.shelf.restore();
    await this.dialect.isChanged();
  }

  protected async readNow(): Promise<Rows> {
    return this.dialect.readRows((await this.compared()).map(({ name }) => name));
  }

  protected async compared(): Promise<readonly TableShape[]> {
    const { only } = this.options;
    return (await this.dialect.shapes()).filter(({ name }) => only?.includes(name) ?? true);
  }
}
