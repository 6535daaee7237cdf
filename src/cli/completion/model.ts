import type { CommandSpec, OptionSpec } from "../command.ts";

/** What a shell offers at a place of the command line. */
export interface Offer {
  words: readonly string[];
  /** Whether names of files are offered as well. */
  files: boolean;
}

/** A flag of a command, such as `--fail`. */
export interface CompletedFlag {
  flag: string;
  summary: string;
  /** What follows it; undefined for a flag without a value. */
  value: Offer | undefined;
  /** Whether a value has to follow. */
  needsValue: boolean;
}

/** A command as completion knows it. */
export interface CompletedCommand {
  name: string;
  summary: string;
  /** For each argument, in order. */
  args: Offer[];
  flags: CompletedFlag[];
}

/** Commander's own. */
const HELP: CompletedFlag = {
  flag: "--help",
  summary: "show this help",
  value: undefined,
  needsValue: false,
};
const FILES = /file|folder|recordings/;

/** @param scenarios the names that `run` and `exec --scenario` offer */
export function completionModel(
  commands: readonly CommandSpec[],
  scenarios: readonly string[],
): CompletedCommand[] {
  const names = commands.map(({ name }) => name);
  return [
    ...commands.map((spec) => completed(spec, scenarios)),
    { name: "help", summary: "show a command's help", args: [{ words: names, files: false }], flags: [] },
  ];
}

function completed(spec: CommandSpec, scenarios: readonly string[]): CompletedCommand {
  const { name, summary, args = [], actions, options } = spec;
  const offerOf = (placeholder: string, choices: readonly string[] = []): Offer => ({
    words: placeholder.includes("scenario") ? scenarios : choices,
    files: /scenario|command/.test(placeholder) || FILES.test(placeholder),
  });
  return {
    name,
    summary,
    args: args.map(([placeholder, , choices], index) =>
      index === 0 && actions
        ? { words: actions.map(firstWord), files: false }
        : offerOf(placeholder, choices),
    ),
    flags: [
      ...options.filter(({ hidden }) => !hidden).map((option) => completedFlag(name, option, scenarios)),
      HELP,
    ],
  };
}

function completedFlag(
  command: string,
  { flags, summary, choices = [] }: OptionSpec,
  scenarios: readonly string[],
): CompletedFlag {
  const [flag = "", placeholder] = flags.split(" ");
  const words = command === "exec" && flag === "--scenario" ? scenarios : choices;
  return {
    flag,
    summary,
    value: placeholder === undefined ? undefined : { words, files: FILES.test(placeholder) },
    needsValue: placeholder?.startsWith("<") ?? false,
  };
}

const firstWord = (text: string): string => text.split(" ")[0]!;
