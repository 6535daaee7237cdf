import { SandboxError } from "../errors/errors.ts";

/** What is wrong with a configuration, all of it. */
export type Mistakes = ReturnType<typeof createMistakes>;

interface Mistake {
  field: string;
  /** A sentence without its full stop. */
  text: string;
  /** The way out of this one, where it is not the usual one. */
  hint: string | undefined;
}

/** @param source the file's name, for messages */
export function createMistakes(source: string) {
  const found: Mistake[] = [];

  return {
    /** Notes a mistake, unless it follows from one that the field, or what it is part of, has already. */
    add(field: string, text: string, hint?: string): void {
      const follows = found.some(
        (other) =>
          field === other.field ||
          (field.startsWith(other.field) && /^[.[]/.test(field.slice(other.field.length))),
      );
      if (!follows) found.push({ field, text, hint });
    },

    /** @throws SandboxError `invalid_config` with all of them, if there is one */
    refuse(): void {
      const [first, ...more] = found;
      if (first === undefined) return;
      if (more.length === 0)
        throw new SandboxError(
          "invalid_config",
          `${source}: ${first.text}.`,
          first.hint ?? "Correct the field or remove it to use the default.",
        );
      const lines = found.map(({ text, hint }) => `- ${text}.${hint === undefined ? "" : ` ${hint}`}`);
      throw new SandboxError(
        "invalid_config",
        `${source} has ${found.length} mistakes:\n${lines.join("\n")}`,
        "Correct each field, or remove it to use its default.",
      );
    },
  };
}
