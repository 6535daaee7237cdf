/** A fact that holds for all events, or facts by event type. A name may end in `*`; the longest one that fits counts. */
export type ByType<Fact extends string> = Fact | Readonly<Record<string, Fact>>;

/** Whether a type has a name, or begins as one that ends in `*`. */
export const isTyped = (name: string, type: string): boolean =>
  name === type || (name.endsWith("*") && type.startsWith(name.slice(0, -1)));

/** The fact of a type; undefined if none is given for it. */
export function factOf<Fact extends string>(fact: ByType<Fact> | undefined, type: string): Fact | undefined {
  if (typeof fact !== "object") return fact;
  const fitting = Object.keys(fact).filter((name) => isTyped(name, type));
  const [name] = fitting.toSorted((one, other) => other.length - one.length);
  return name === undefined ? undefined : fact[name];
}
