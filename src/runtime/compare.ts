/** Orders two values for `sort`. Strings are ordered by their code units, which is the same in every locale. */
export function compare<T extends bigint | number | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
