import { closest } from "../errors/closest.ts";
import { SandboxError } from "../errors/errors.ts";

export interface Mistakes {
  /**
   * Adds a mistake, unless the field, or an object or list around it, already has one. An undefined value is a missing one.
   * @param expected completes "must be …"
   */
  add(field: string, expected: string, value: unknown, hint?: string): void;
  /** @param names the fields that exist there */
  addUnknown(field: string, name: string, names: string[]): void;
  count(): number;
  /** All mistakes, each with its correction. */
  list(): readonly Mistake[];
  /** @throws SandboxError `invalid_config` with all mistakes, if there are any */
  refuse(): void;
}

export interface Mistake {
  field: string;
  /** A sentence without its full stop. */
  text: string;
  /** The correction, if it is not obvious. */
  hint: string | undefined;
}

/** @param source the file's name, for messages */
export function createMistakes(source: string): Mistakes {
  const wrong: Mistake[] = [];
  /** Unknown fields are listed last, as they may be the reason why another field is missing. */
  const unknown: Mistake[] = [];

  return {
    add(field, expected, value, hint) {
      const follows = wrong.some(
        (other) =>
          field === other.field || field.startsWith(`${other.field}.`) || field.startsWith(`${other.field}[`),
      );
      if (follows) return;
      if (value === undefined)
        wrong.push({ field, text: `${field} is required: ${expected}`, hint: hint ?? "Add it." });
      else
        wrong.push({
          field,
          text: `${field} must be ${expected}, not ${JSON.stringify(value) ?? String(value)}`,
          hint,
        });
    },

    addUnknown(field, name, names) {
      const meant = closest(name, names);
      const question = meant === undefined ? "" : `Did you mean ${meant}? `;
      const hint = `${question}Known here: ${names.toSorted().join(", ")}.`;
      unknown.push({ field, text: `there is no field ${field}`, hint });
    },

    count: () => wrong.length + unknown.length,
    list: () => [...wrong, ...unknown],

    refuse() {
      const all = [...wrong, ...unknown];
      const [first, ...more] = all;
      if (first === undefined) return;
      if (more.length === 0)
        throw new SandboxError(
          "invalid_config",
          `${source}: ${first.text}.`,
          first.hint ?? "Correct the field or remove it to use the default.",
        );
      throw new SandboxError(
        "invalid_config",
        `${source} has ${all.length} mistakes:\n${all.map((one) => lineOf(one)).join("\n")}`,
        all.some(({ hint }) => hint === undefined)
          ? "Correct each field, or remove it to use its default."
          : "Correct each of them.",
      );
    },
  };
}

const lineOf = ({ text, hint }: Mistake, source = ""): string =>
  `- ${source}${text}.${hint === undefined ? "" : ` ${hint}`}`;

/** One cause, such as an old export, can make every row a mistake: mistakes beyond this number are only counted. */
const MOST_LISTED = 30;

/**
 * Refuses several files at once.
 * @param folder their common name, for messages
 * @throws SandboxError `invalid_fixtures` with the mistakes of all, if there are any
 */
export function refuseFiles(folder: string, files: readonly { file: string; mistakes: Mistakes }[]): void {
  const all = files.flatMap(({ file, mistakes }) => mistakes.list().map((one) => ({ file, one })));
  const [first] = all;
  if (first === undefined) return;
  if (all.length === 1)
    throw new SandboxError(
      "invalid_fixtures",
      `${first.file}: ${first.one.text}.`,
      first.one.hint ?? "Correct the file.",
    );
  const lines = all.slice(0, MOST_LISTED).map(({ file, one }) => lineOf(one, `${file}: `));
  if (all.length > MOST_LISTED) lines.push(`- and ${all.length - MOST_LISTED} more`);
  throw new SandboxError(
    "invalid_fixtures",
    `${folder} has ${all.length} mistakes:\n${lines.join("\n")}`,
    "Correct each of them.",
  );
}
