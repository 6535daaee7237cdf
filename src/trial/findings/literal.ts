export const isName = (text: string): boolean => /^[A-Za-z_$][\w$]*$/.test(text);

/** A JSON value as a person writes it in TypeScript: on one line, quotes only where they are needed. */
export function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  const fields = Object.entries(value).map(
    ([key, one]) => `${isName(key) ? key : JSON.stringify(key)}: ${literal(one)}`,
  );
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

/** Names of fields as what `toHaveProperty` takes: `"orders.order-7.status"`, or a list where a name has dots in it. */
export function property(path: readonly string[]): string {
  return path.some((name) => name === "" || /[.[\]]/.test(name)) ? literal(path) : literal(path.join("."));
}
