import { didYouMean } from "../errors/closest.ts";
import type { World } from "../world/world.ts";
import { object, type Schema, TEXT } from "./schema.ts";

/** What an area says of the rows that a file of fixtures can list. */
export interface AreaFixtures<Settings> {
  /** What a row of each kind may say, in the order in which the kinds are written. */
  kinds: Readonly<Record<string, Schema>>;
  /**
   * Writes the rows into a world that begins; the area's seed is in it. What is wrong is added to the mistakes of its row;
   * the caller then discards the world.
   */
  load(world: World, settings: Settings, rows: FixtureRows): void | Promise<void>;
  /** The present rows of each kind, as a file would list them. */
  dump(world: World, settings: Settings): Record<string, object[]>;
}

/** The rows of all files. */
export interface FixtureRows {
  /** Whether the invented past is there as well. */
  history: boolean;
  of<Value>(kind: string): FixtureRow<Value>[];
}

/** A row of a file, checked by its description. Times are virtual milliseconds. */
export interface FixtureRow<Value = unknown> {
  value: Value;
  /** Whether nothing was found wrong so far. Otherwise it is not written, and required fields may be missing. */
  readonly valid: boolean;
  /** Adds a mistake. @param expected completes "must be …" */
  refuse(field: string, expected: string, hint?: string): void;
}

/** A reference to a row that is gone: what it was for keeps its id. */
export interface Gone {
  deleted: string;
}

/** What a field that names a row may say. */
export const reference = (description: string) =>
  ({
    anyOf: [TEXT, object({ deleted: TEXT }, ["deleted"])],
    description: `${description} For one that was deleted: {"deleted": its id}.`,
    errorMessage: 'must be a name or an id, or {"deleted": an id}',
  }) as const;

/** The row that a field names. */
export interface Referred<Target> {
  /** Null where the field is left out, and where there is a mistake. */
  id: string | null;
  /** Undefined for one that was deleted, too. */
  target: Target | undefined;
}

/** Rows that others name, by id or by any of their names. */
export class References<Target> {
  readonly #targets = new Map<string, Map<string, Target>>();
  readonly #what: string;

  /** @param what such as "a product" */
  constructor(what: string) {
    this.#what = what;
  }

  /** @param scope where the names hold: an organization, a game */
  add(id: string, target: Target, names: readonly (string | null | undefined)[], scope = ""): void {
    for (const name of [id, ...names]) {
      if (typeof name !== "string") continue;
      const key = `${scope}\n${name}`;
      const found = this.#targets.get(key) ?? new Map<string, Target>();
      this.#targets.set(key, found.set(id, target));
    }
  }

  /** The row that a field names; adds a mistake if no row or several match. */
  find(row: FixtureRow, field: string, name: string | Gone | undefined, scope = ""): Referred<Target> {
    if (typeof name === "object") return { id: name.deleted, target: undefined };
    if (typeof name !== "string") return { id: null, target: undefined };
    const found = this.#targets.get(`${scope}\n${name}`) ?? new Map<string, Target>();
    const id = found.has(name) ? name : found.size === 1 ? [...found.keys()][0]! : undefined;
    if (id !== undefined) return { id, target: found.get(id) };
    if (found.size > 1) row.refuse(field, `the id of ${this.#what}, as ${found.size} have this name`);
    else row.refuse(field, `the name or id of ${this.#what}`, this.#hint(name, scope));
    return { id: null, target: undefined };
  }

  #hint(name: string, scope: string): string {
    const names = [...this.#targets.keys()]
      .filter((key) => key.startsWith(`${scope}\n`))
      .map((key) => key.slice(scope.length + 1));
    const example = names.length === 0 ? "None exists yet." : `There is, for example, ${names.at(-1)}.`;
    return didYouMean(name, names, example);
  }
}

/** Values that only one row may have. */
export class UniqueValues {
  readonly #taken = new Set<string>();

  /** Notes a value of a row that is there already. */
  add(value: string, scope = ""): void {
    this.#taken.add(`${scope}\n${value}`);
  }

  has(value: string, scope = ""): boolean {
    return this.#taken.has(`${scope}\n${value}`);
  }

  /** Takes a value for a row; adds a mistake where it is taken. */
  claim(row: FixtureRow, field: string, value: string | undefined, scope = ""): void {
    if (typeof value !== "string") return;
    if (this.has(value, scope)) row.refuse(field, "a value that no other row has");
    this.add(value, scope);
  }
}
