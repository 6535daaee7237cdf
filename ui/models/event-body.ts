import { isObject } from "../../src/runtime/is-object.ts";

type Json = Record<string, unknown>;

/**
 * Parses an edited example body.
 * @returns the changes compared with the example, which the sandbox merges into it, setting a fresh id and time; or the
 * problem
 */
export function readEdited(example: Json, text: string): { data: Json } | { problem: string } {
  let edited: unknown;
  try {
    edited = JSON.parse(text);
  } catch (error) {
    return { problem: `This is not JSON: ${(error as Error).message}.` };
  }
  if (!isObject(edited)) return { problem: "The body must be a JSON object, in { }." };
  const [missing] = missingFrom(example, edited);
  return missing === undefined
    ? { data: changes(example, edited) }
    : { problem: `${missing} is in every event of this type. Set it to null instead of removing it.` };
}

function changes(example: Json, edited: Json): Json {
  const changed = Object.entries(edited).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(example[name]),
  );
  return Object.fromEntries(
    changed.map(([name, value]) => {
      const before = example[name];
      return [name, isObject(before) && isObject(value) ? changes(before, value) : value];
    }),
  );
}

/** The paths in the example that are missing from the edited body. */
function missingFrom(example: Json, edited: Json): string[] {
  return Object.entries(example).flatMap(([name, value]) => {
    const now = edited[name];
    if (!(name in edited)) return [name];
    return isObject(value) && isObject(now) ? missingFrom(value, now).map((rest) => `${name}.${rest}`) : [];
  });
}
