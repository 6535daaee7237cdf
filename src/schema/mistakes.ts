import { closest } from "../errors/closest.ts";
import { type ErrorCode, SandboxError } from "../errors/errors.ts";

export interface Mistakes {
  /**
   * Adds a mistake, unless there already is one for the field or for an object or list that contains it. An undefined
   * value means that the field is missing.
   * @param expected completes a sentence that starts with "must be"
   */
  add(field: string, expected: string, value: unknown, hint?: string): void;
  /** @param names the valid names of fields */
  addUnknown(field: string, name: string, names: string[]): void;
  count(): number;
  /** All mistakes, each with its correction. */
  list(): readonly Mistake[];
  /** @throws SandboxError `invalid_config` with all mistakes, if there are any */
  refuse(): void;
}

export interface Mistake {
  field: string;
  /** A sentence, without its final full stop. */
  text: string;
  /** How to fix the mistake, if that is not obvious. */
  hint: string | undefined;
}

/** @param source the name of the file, for messages */
export function createMistakes(source: string): Mistakes {
  const wrong: Mistake[] = [];
  /** Unknown fields are listed last, after missing fields that they may explain. */
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
      const hint = `${question}Valid names: ${names.toSorted().join(", ")}.`;
      unknown.push({ field, text: `there is no field ${field}`, hint });
    },

    count: () => wrong.length + unknown.length,
    list: () => [...wrong, ...unknown],

    refuse() {
      const all = [...wrong, ...unknown];
      refuseAll("invalid_config", source, all, "Correct the field or remove it to use the default.", () =>
        all.some(({ hint }) => hint === undefined)
          ? "Correct each field, or remove it to use its default."
          : CORRECT_EACH,
      );
    },
  };
}

const CORRECT_EACH = "Correct each of them.";

/** @param correct the hint to show if there is only one mistake and it has no hint */
function refuseAll(
  code: ErrorCode,
  name: string,
  all: readonly (Mistake & { file?: string })[],
  correct: string,
  correctAll = () => CORRECT_EACH,
): void {
  const [first] = all;
  if (first === undefined) return;
  if (all.length === 1)
    throw new SandboxError(code, `${first.file ?? name}: ${first.text}.`, first.hint ?? correct);
  const lines = all
    .slice(0, MOST_LISTED)
    .map(({ file, text, hint }) => `- ${file ? `${file}: ` : ""}${text}.${hint ? ` ${hint}` : ""}`);
  if (all.length > MOST_LISTED) lines.push(`- and ${all.length - MOST_LISTED} more`);
  throw new SandboxError(code, `${name} has ${all.length} errors:\n${lines.join("\n")}`, correctAll());
}

/**
 * A single cause, such as an outdated export, can make every row invalid. Mistakes beyond this number are only counted.
 */
const MOST_LISTED = 30;

/**
 * Rejects several files at once.
 * @param folder their folder's name for messages
 * @throws SandboxError `invalid_fixtures` with the mistakes of every file, if there are any
 */
export function refuseFiles(folder: string, files: readonly { file: string; mistakes: Mistakes }[]): void {
  const all = files.flatMap(({ file, mistakes }) => mistakes.list().map((one) => ({ ...one, file })));
  refuseAll("invalid_fixtures", folder, all, "Correct the file.");
}
