/** The longest name that the server takes. */
const LONGEST = 64;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** @returns what is wrong with a name, if anything is; none at all is fine, as the server makes one */
export function nameProblem(name: string): string | undefined {
  if (name === "" || NAME.test(name)) return undefined;
  return "1 to 64 letters, digits, dots, hyphens and underscores, beginning with a letter or digit.";
}

/**
 * The names under which a world is kept before it goes back: only the latest is kept, so there is one. The other
 * serves when the world goes back to that very one.
 * @param world the world's name
 */
export function guardNames(world: string): [usual: string, other: string] {
  const name = `undo-${world}`.slice(0, LONGEST - 2);
  return [name, `${name}-2`];
}

/** The name that is used before the world goes back to `target`. */
export function guardName(world: string, target: string | undefined): string {
  const [usual, other] = guardNames(world);
  return usual === target ? other : usual;
}

/** The name under which a world is saved before each advance of its clock. */
export const advanceName = (world: string): string => `before-advance-${world}`.slice(0, LONGEST);

/** The name under which a world is kept before it ends. */
export const lastName = (world: string): string => `last-of-${world}`.slice(0, LONGEST);

/** A snapshot's name, made of a file's. */
export function nameOfFile(file: string): string {
  const name = file
    .replace(/\.sandglass$/i, "")
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, LONGEST);
  return name || "uploaded";
}
