import Database from "better-sqlite3";

type Value = string | number;

/** A fact that the server has confirmed: a query that finds a row as long as the fact is still true. */
export interface Acknowledgement {
  says: string;
  found: string;
  values: Value[];
}

/** Everything that a server has confirmed about a world. After a kill, the world must still contain all of it. */
export class Acknowledged {
  readonly #list: Acknowledgement[] = [];

  get size(): number {
    return this.#list.length;
  }

  add(says: string, found: string, ...values: Value[]): void {
    this.#list.push({ says, found, values });
  }

  /** Returns everything that was confirmed but is no longer in the database. */
  lost(file: string): string[] {
    const db = new Database(file);
    try {
      const lost = this.#list.filter(({ found, values }) => db.prepare(found).get(...values) === undefined);
      return lost
        .slice(0, 5)
        .map(({ says, values }) => `lost although confirmed: ${says} (${values.join(", ")})`);
    } finally {
      db.close();
    }
  }
}
