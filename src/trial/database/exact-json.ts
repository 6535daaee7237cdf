/** Parses JSON from a database. Integers too large for JavaScript become strings. */
export function parseExact(text: string): unknown {
  const exact = (_key: string, value: unknown, { source }: { source?: string } = {}) =>
    Number.isInteger(value) && !Number.isSafeInteger(value) ? source : value;
  return JSON.parse(text, exact as Parameters<typeof JSON.parse>[1]);
}

/** Converts text to a number, unless JavaScript would round it. */
export function exactNumber(text: string): number | string {
  const number = Number(text);
  const isExact = /^-?\d+$/.test(text)
    ? Number.isSafeInteger(number)
    : text.replaceAll(/^-?[0.]*|\D/g, "").length <= 15;
  return isExact ? number : text;
}
