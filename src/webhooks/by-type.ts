/** One setting for all events, or settings by event type. A key may end in `*`; the longest match wins. */
export type ByType<Fact extends string> = Fact | Readonly<Record<string, Fact>>;

/** Whether a type equals a name, or matches one that ends in `*`. */
export const isTyped = (name: string, type: string): boolean =>
  name === type || (name.endsWith("*") && type.startsWith(name.slice(0, -1)));

/** The setting for a type; undefined if no name matches the type. */
export function factOf<Fact extends string>(fact: ByType<Fact> | undefined, type: string): Fact | undefined {
  if (typeof fact !== "object") return fact;
  const fitting = Object.keys(fact).filter((name) => isTyped(name, type));
  const [name] = fitting.toSorted((one, other) => other.length - one.length);
  return name === undefined ? undefined : fact[name];
}
