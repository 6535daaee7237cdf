/** The name that was probably meant: the closest one, ignoring case, if at most a third of the characters differ. */
export function closest(text: string, names: Iterable<string>): string | undefined {
  const wanted = text.toLowerCase();
  let found: string | undefined;
  let fewest = Math.floor(wanted.length / 3) + 1;
  for (const name of names) {
    if (Math.abs(name.length - wanted.length) >= fewest) continue;
    const edits = editDistance(wanted, name.toLowerCase());
    if (edits < fewest) [found, fewest] = [name, edits];
  }
  return found;
}

/** A question whether the closest name was meant. If no name is close, returns `otherwise`. */
export function didYouMean<T>(text: string, names: Iterable<string>, otherwise: T): string | T {
  const meant = closest(text, names);
  return meant === undefined ? otherwise : `Did you mean ${meant}?`;
}

/** The error message for an unknown field, which may be given as a path. */
export function unknownField(field: string, known: readonly string[], what = "field"): string {
  const meant = closest(field.split(".").at(-1)!, known);
  const list = known.length > 0 ? `Valid names: ${known.join(", ")}.` : "This endpoint accepts none.";
  const shown = field.length > 80 ? `${field.slice(0, 79)}…` : field;
  return `Unknown ${what}: ${shown}. ${meant === undefined ? "" : `Did you mean ${meant}? `}${list}`;
}

/**
 * How many characters must be added, removed, replaced or swapped with a neighbour to turn one string into the other.
 */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      let edits = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1));
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1])
        edits = Math.min(edits, beforeLast[column - 2]! + 1);
      current.push(edits);
    }
    [beforeLast, last] = [last, current];
  }
  return last[to.length]!;
}
