type Entry = Readonly<Record<string, unknown>>;

/** Common names of numbers that count entries within a group, such as the events of a stream. */
const COUNTS = /(?:version|revision|sequence|seq|position|ordinal|number)$/i;

export const isNamedAsCount = (field: string): boolean => COUNTS.test(field);

/** Groups entries by the values of some fields. */
export const groupsBy = <One extends Entry>(entries: readonly One[], fields: readonly string[]): One[][] => [
  ...Map.groupBy(entries, (entry) => JSON.stringify(fields.map((field) => entry[field]))).values(),
];

/** Whether numbers are consecutive, starting after the last of the earlier numbers, or else at 0 or 1. */
export function countsOn(numbers: readonly unknown[], earlier: readonly unknown[] = []): boolean {
  const [first] = numbers;
  const start = earlier.length > 0 ? Math.max(...earlier.map(Number)) + 1 : first === 0 ? 0 : 1;
  return numbers.every((number, index) => number === start + index);
}

/**
 * Whether a field counts the entries of each group in the order they were added. A single entry proves nothing.
 * @param isEarlier whether an entry existed before
 */
export function isCount<One extends Entry>(
  field: string,
  groups: readonly (readonly One[])[],
  isEarlier: (entry: One) => boolean = () => false,
): boolean {
  const open = groups.filter((group) => !group.every(isEarlier));
  const numbersOf = (entries: readonly One[]) => entries.map((entry) => entry[field]);
  return (
    open.some(({ length }) => length > 1) &&
    open.every((group) =>
      countsOn(numbersOf(group.filter((entry) => !isEarlier(entry))), numbersOf(group.filter(isEarlier))),
    )
  );
}
