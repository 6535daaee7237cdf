import type { OptionSpec } from "./command.ts";

export type OptionWords = Readonly<Record<string, string | Omit<OptionSpec, "flags">>>;

export const options = (words: OptionWords): OptionSpec[] =>
  Object.entries(words).map(([flags, about]) => ({
    flags,
    ...(typeof about === "string" ? { summary: about } : about),
  }));

/** Like `options`, for a command whose code reads `Options`. The compiler reports an option that has no flag here. */
export const optionsFor =
  <Options>() =>
  <Words extends OptionWords>(words: Words & Complete<Exclude<keyof Options, OptionOf<keyof Words>>>) =>
    options(words as Words);
type Complete<Missing> = [Missing] extends [never] ? unknown : { "has no flag and no text": Missing };
/** The option name for a flag: `--api-port <number>` becomes `apiPort`. */
type OptionOf<Flag> = Flag extends `--${infer Name} ${string}`
  ? Camel<Name>
  : Flag extends `--${infer Name}`
    ? Camel<Name>
    : never;
type Camel<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;

/** Converts an option's name to a flag: `oldSecret` becomes `--old-secret`. */
export const flagOf = (option: string): string =>
  `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

export const json = (what: string) => ({ "--json": what });

/** Values from the user's database that replace the sender's example values. */
export const known: OptionWords = {
  "--known <name=value>": {
    summary:
      "values from your database for the sender's examples: customer=cus_123, metadata.userId=42 or <kind>.<field>=<value>; may be repeated",
    repeatable: true,
  },
};

/** Options that select a sandbox and one of its worlds. */
export const server: OptionWords = {
  "--url <url>":
    "the sandbox's URL, or a shared sandbox's link (default: SANDGLASS_URL, else the sandbox running in this folder, else the configured port, or 4400)",
  "--world <name>": "one of the sandbox's worlds (default: the world in the URL, else the default world)",
};

export const startingWorld = {
  "--seed <text>": "seed for data and randomness; 'empty' creates no fixtures",
  "--start-at <time>": "virtual time at the start, ISO 8601 or 'now'",
  "--from <what>": "start from a fixtures folder, a scenario (its end state), or a snapshot file",
  "--sender <name|file>": {
    summary: "also send webhooks from another sender, such as stripe; may be repeated",
    repeatable: true,
  },
  "--paused": "start with a paused clock",
  "--rate <number>": "virtual seconds per real second",
  "--rate-limit <n|off>": "API calls per minute and key (default: 120)",
} satisfies OptionWords;
