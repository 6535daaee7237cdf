import type { CopiedTable, Taking } from "./dialect.ts";

/**
 * What the ledger has of a table: what the trial left last, what of that the last note added, all that it has left so far, what
 * earlier runs left in the end, what is new in this run, and what was put aside.
 */
export type Noting = "last" | "added" | "seen" | "earlier" | "fresh" | "aside";

/**
 * How one kind of database writes the parts of statements about a table, its copy and its ledger. Rows have aliases: `m` is one of
 * the database, `c` one of the copy, and others are of the ledger. Selected keys have the same names everywhere.
 */
export interface LedgerParts {
  name: string;
  number: number;
  /** What the rows of a kind are selected from, and where they are put and removed. */
  noted(kind: Noting): string;
  add(kind: Noting, select: string): string;
  /** @param where what the rows `d` are, if not all of the table's */
  drop(kind: Noting, where?: string): string;
  /** Has what a note added. */
  added: Noting;
  /** `from`, with the rows that are not as in the copy, and those of the copy that are gone; a condition may follow. */
  changed: string;
  missing: string;
  keyOf(row: string): string;
  /** Whether a row of the ledger has the key of another row; whether the database or the copy has a row with its key. */
  hasKey(row: string, noted: string): string;
  isIn(where: "database" | "copy", noted: string): string;
  /** Whether two rows of the ledger are the same. */
  same(one: string, other: string): string;
  /** Selects the rows of a kind that another kind has not. */
  without(kind: Noting, other: Noting): string;
  /** Whether the rows of a kind have a row of the ledger, `o`, but for what differs in each run. */
  isAmong(row: string, kind: Noting, own: readonly string[], and?: string): string;
  /** Whether a row of the ledger is that of the database. @param own columns that do not count, and the key with them */
  equals(noted: string, own?: readonly string[]): string;
  /** Collects keys for the statements that follow. */
  collect(select: string): readonly string[];
  /** Gives the rows with these keys the values that they have in the other place. */
  intoCopy: readonly string[];
  intoDatabase: readonly string[];
  /** Gives those rows of the database the values that were put aside. */
  asideIntoDatabase: readonly string[];
  /** Selects the keys of what is otherwise than the trial left it. */
  unexpected: string;
}

type Shared = Omit<CopiedTable, "isInner" | "before" | "left" | "restore" | "adoptAll">;

/** Whether the database has a row as the trial left it. */
export const isLeft = ({ noted, equals }: LedgerParts, kind: Noting, own?: readonly string[]): string =>
  `exists (select 1 from ${noted(kind)} l where not l.gone and ${equals("l", own)})`;

/** Whether a row of the copy is gone since the trial. */
export const isGone = ({ noted, hasKey }: LedgerParts, kind: Noting): string =>
  `exists (select 1 from ${noted(kind)} l where l.gone and ${hasKey("c", "l")})`;

/** The statements that are the same for every kind of database. */
export function sharedStatements(parts: LedgerParts): Shared {
  const { name, number, noted, add, drop, changed, missing, keyOf, isIn, same, isAmong, collect } = parts;
  const where = (condition: string) => `select ${number} as number where ${condition}`;
  const counted = (inserted: string, updated: string, deleted: string, from: string) =>
    `select ${number} as number, ${Object.entries({ inserted, updated, deleted })
      .map(([what, condition]) => `count(*) filter (where ${condition}) as ${what}`)
      .join(", ")} from ${from}`;
  /** Takes the rows with the selected keys into the copy, and counts what happened to them. */
  const takingIn = (select: string, ...then: string[]): Taking => ({
    count: counted(
      ...(["present and not past", "present and past", "not present"] as const),
      `(select ${isIn("database", "k")} as present, ${isIn("copy", "k")} as past from (${select}) k) t`,
    ),
    take: [...collect(select), ...parts.intoCopy, ...then],
  });
  const isNew = `select distinct f.* from ${noted("fresh")} f join ${noted("last")} l on l.gone = f.gone and ${same("f", "l")}`;
  const fromAside = `from ${noted("aside")} a`;
  const asideRecurs = (kind: Noting, own: readonly string[]) => drop("aside", isAmong("d", kind, own));

  return {
    ...{ name, number },
    differs: where(`exists (select 1 ${changed}) or exists (select 1 ${missing})`),
    unexpected: takingIn(parts.unexpected),
    fresh: takingIn(`select ${keyOf("n")} from (${isNew}) n`, drop("fresh")),
    aside: {
      count: counted(
        ...([`not a.gone and not ${isIn("copy", "a")}`, `not a.gone and ${isIn("copy", "a")}`] as const),
        ...(["a.gone", `${noted("aside")} a`] as const),
      ),
      take: [
        ...collect(
          `select ${keyOf("a")} ${fromAside} where not exists (select 1 ${changed} and ${parts.hasKey("m", "a")})`,
        ),
        ...parts.asideIntoDatabase,
        ...parts.intoCopy,
        drop("aside"),
      ],
    },
    sort: (own, isDoubtful) => [
      asideRecurs(parts.added, own),
      ...(isDoubtful
        ? [add("fresh", `select * from ${noted(parts.added)} l where not ${isAmong("l", "seen", own)}`)]
        : []),
      add("seen", parts.without(parts.added, "seen")),
    ],
    dropRecurring: (own) => [
      asideRecurs("last", own),
      drop("fresh", isAmong("d", "seen", own, `not (${same("d", "o")})`)),
    ],
    noteRun: add("earlier", `select * from ${noted("last")} l`),
    compareRuns: (
      own,
    ) => `select ${number} as number, count(*) filter (where ${isAmong("l", "earlier", own)}) as both,
      count(*) filter (where not ${isAmong("l", "earlier", own)}) as now,
      (select count(*) from ${noted("earlier")} e where not ${isAmong("e", "last", own)}) as earlier from ${noted("last")} l`,
    takeApart: (own) => [
      add(
        "aside",
        `select * from ${noted("earlier")} e where not ${isAmong("e", "last", own)}
          and not exists (select 1 ${fromAside} where a.gone = e.gone and ${same("e", "a")})`,
      ),
      add("fresh", `select * from ${noted("last")} l where not ${isAmong("l", "earlier", own)}`),
    ],
    forget: [drop("last"), drop("fresh")],
    hasNew: where(`exists (${isNew})`),
    hasAside: where(`exists (select 1 ${fromAside})`),
    setAside: add("aside", isNew),
    dropAside: drop("aside"),
    settle: (inDelivery, own) => [
      ...collect(
        [
          `select ${keyOf("m")} ${changed} and ${isLeft(parts, "last")}`,
          `select ${keyOf("c")} ${missing} and ${isGone(parts, "last")}`,
          ...(inDelivery
            ? [
                `select ${keyOf("m")} ${changed} and ${isLeft(parts, "seen", own)}`,
                `select ${keyOf("c")} ${missing} and ${isGone(parts, "seen")}`,
              ]
            : []),
        ].join(" union "),
      ),
      ...parts.intoDatabase,
    ],
  };
}
