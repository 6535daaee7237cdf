import { closest } from "../errors/closest.ts";
import { notFound, type SandboxError } from "../errors/errors.ts";

/** The most worlds that an error names. */
const MOST_NAMED = 20;

/** The error for a world that does not exist. @param names of the existing worlds */
export function unknownWorld(name: string, names: readonly string[]): SandboxError {
  const meant = closest(name, names);
  const listed = names.slice(0, MOST_NAMED).join(", ") + (names.length > MOST_NAMED ? ", …" : "");
  const some = `${meant === undefined ? "" : `Did you mean ${meant}? `}Worlds: ${listed}.`;
  return notFound(`There is no world '${name.slice(0, 100)}'.`, {
    command: `${some} Create one: npx sandglass worlds create <name>`,
    library: `${some} open({ name }) makes one.`,
    http: `${some} POST /_sandbox/worlds makes one.`,
  });
}
