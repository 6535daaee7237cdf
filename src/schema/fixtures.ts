import { didYouMean } from "../errors/closest.ts";
import type { World } from "../world/world.ts";
import { object, type Schema, TEXT } from "./schema.ts";

/** An area's rules for fixture rows. */
export interface AreaFixtures<Settings> {
  /** The fields of rows by kind, in the order in which they are exported. */
  kinds: Readonly<Record<string, Schema>>;
  /**
   * Writes the rows to a new world that already contains the area's seed. Problems are recorded as mistakes in the
   * rows; the caller then discards the world.
   */
  load(world: World, settings: Settings, rows: FixtureRows): void | Promise<void>;
  /** The current rows of each kind in the format of fixtures. */
  dump(world: World, settings: Settings): Record<string, object[]>;
}

export interface FixtureRows {
  /** Whether the world includes seeded history. */
  history: boolean;
  of<Value>(kind: string): FixtureRow<Value>[];
}

/** A row that matches its schema. Times are virtual milliseconds. */
export interface FixtureRow<Value = unknown> {
  value: Value;
  /**
   * Whether no mistake has been found in the row so far. An invalid row is not written, and may lack required fields.
   */
  readonly valid: boolean;
  /** Adds a mistake. @param expected completes a sentence that starts with "must be" */
  refuse(field: string, expected: string, hint?: string): void;
}

/** A reference to a row that has been deleted. It contains only the row's id. */
export interface Gone {
  deleted: string;
}

/** The schema for a field that refers to a row. */
export const reference = (description: string) =>
  ({
    anyOf: [TEXT, object({ deleted: TEXT }, ["deleted"])],
    description: `${description} For a deleted one: {"deleted": its id}.`,
    errorMessage: 'must be a name or an id, or {"deleted": an id}',
  }) as const;

/** The row that a field refers to. */
export interface Referred<Target> {
  /** The row's id; null if the field is missing or invalid. */
  id: string | null;
  /** The row itself; undefined if `id` is null or the row was deleted. */
  target: Target | undefined;
}

/** Rows to which other rows can refer by id or name. */
export class References<Target> {
  readonly #targets = new Map<string, Map<string, Target>>();
  readonly #what: string;

  /** @param what the kind of row, such as "a product" */
  constructor(what: string) {
    this.#what = what;
  }

  /** @param scope the organization or game in which the names are unique */
  add(id: string, target: Target, names: readonly (string | null | undefined)[], scope = ""): void {
    for (const name of [id, ...names]) {
      if (typeof name !== "string") continue;
      const key = `${scope}\n${name}`;
      const found = this.#targets.get(key) ?? new Map<string, Target>();
      this.#targets.set(key, found.set(id, target));
    }
  }

  /** Finds the row that a field refers to. Adds a mistake if no row or several rows match. */
  find(row: FixtureRow, field: string, name: string | Gone | undefined, scope = ""): Referred<Target> {
    if (typeof name === "object") return { id: name.deleted, target: undefined };
    if (typeof name !== "string") return { id: null, target: undefined };
    const found = this.#targets.get(`${scope}\n${name}`) ?? new Map<string, Target>();
    const id = found.has(name) ? name : found.size === 1 ? [...found.keys()][0]! : undefined;
    if (id !== undefined) return { id, target: found.get(id) };
    if (found.size > 1) row.refuse(field, `the id of ${this.#what}, because ${found.size} have this name`);
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

  /** Records a value that an existing row has. */
  add(value: string, scope = ""): void {
    this.#taken.add(`${scope}\n${value}`);
  }

  has(value: string, scope = ""): boolean {
    return this.#taken.has(`${scope}\n${value}`);
  }

  /** Claims a value for a row. Adds a mistake if it is already taken. */
  claim(row: FixtureRow, field: string, value: string | undefined, scope = ""): void {
    if (typeof value !== "string") return;
    if (this.has(value, scope)) row.refuse(field, "a value that no other row uses");
    this.add(value, scope);
  }
}
