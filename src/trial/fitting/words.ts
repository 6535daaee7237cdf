import type { Fit } from "./rows.ts";

const nameOf = (kind: string): string => (/^\w+$/.test(kind) ? kind : JSON.stringify(kind));

/** Describes what was found: which row stands for which example, and how to keep using it. */
export function fittedWords(fits: readonly Fit[], empty: readonly string[]): string[] {
  const kinds = [...Map.groupBy(fits, ({ kind, index }) => `${kind} ${index}`).values()];
  return [
    ...kinds.map((same) => {
      const { kind, value, table, column } = same.find(({ isSet }) => !isSet) ?? same[0]!;
      return same.every(({ isSet }) => isSet)
        ? `No row in ${table} has a ${column}, so Sandglass wrote ${value} into a row of the copy, for ${kind}. To keep it, write it in subject.seed.`
        : `Using ${value} from ${table}.${column} for ${kind}. To keep it, add known: { ${nameOf(kind)}: ${JSON.stringify(value)} } to subject`;
    }),
    ...empty.map(
      (table) => `The table ${table} is empty, so nothing was found in it. Have subject.seed fill the copy.`,
    ),
  ];
}
