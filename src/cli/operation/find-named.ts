import { closest } from "../../errors/closest.ts";
import { notFound } from "../../errors/errors.ts";

/** The name that stands for a list's newest item. */
export const LAST = "last";

/**
 * Finds a list's item by name, or its newest item for `last`.
 * @param what the kind of item, in one word
 * @param command the command that prints the list or, with a name, the item
 * @throws SandboxError `not_found`, with the closest name
 */
export function findNamed<Item>(
  list: readonly Item[],
  name: string,
  key: keyof Item,
  what: string,
  command: string,
): Item {
  const found = name === LAST ? list.at(-1) : list.find((item) => String(item[key]) === name);
  if (found) return found;
  const meant = closest(
    name,
    list.map((item) => String(item[key])),
  );
  throw notFound(
    `There is no ${what} ${name}.`,
    meant ? `Did you mean: npx sandglass ${command} ${meant}` : `List them all: npx sandglass ${command}`,
  );
}

/** The newest item, which is the first in the list. @throws SandboxError `not_found` for an empty list */
export function newest<Item>([item]: readonly Item[], none: string, wayOut: string): Item {
  if (item) return item;
  throw notFound(none, wayOut);
}
