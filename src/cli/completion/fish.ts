import type { CompletedCommand } from "./model.ts";

/** The commands as a completion script for fish. @param fallback the command that runs when none is named */
export function fishScript(commands: readonly CompletedCommand[], fallback: string): string {
  const lines = commands.flatMap((command) => [
    line("__fish_use_subcommand", `-a ${command.name}`, command.summary),
    ...flagLines(command, `__fish_seen_subcommand_from ${command.name}`),
    ...argLines(command),
  ]);
  const start = commands.find(({ name }) => name === fallback);
  return [
    "# Completion of sandglass for fish. Load it with: sandglass completion fish | source",
    "complete -c sandglass -f",
    ...(start ? flagLines(start, "__fish_use_subcommand") : []),
    ...lines,
    "",
  ].join("\n");
}

const flagLines = ({ flags }: CompletedCommand, condition: string): string[] =>
  flags.map(({ flag, summary, value, needsValue }) => {
    const words = value && value.words.length > 0 ? ` -a ${quoted(value.words.join(" "))}` : "";
    const takes = needsValue ? (value?.files ? " -r -F" : " -x") : "";
    return line(condition, `-l ${flag.slice(2)}${takes}${words}`, summary);
  });

/** The first argument is offered until it is there; what follows it, after it. */
function argLines({ name, args }: CompletedCommand): string[] {
  const [first, ...rest] = args;
  const seen = `__fish_seen_subcommand_from ${name}`;
  const until =
    first && first.words.length > 0 ? `; and not __fish_seen_subcommand_from ${first.words.join(" ")}` : "";
  const later = rest.flatMap(({ words }) => words);
  return [
    ...(first && first.words.length > 0 ? [line(seen + until, `-a ${quoted(first.words.join(" "))}`)] : []),
    ...(first?.files ? [line(seen, "-F")] : []),
    ...(later.length > 0 ? [line(seen, `-a ${quoted(later.join(" "))}`)] : []),
  ];
}

const line = (condition: string, what: string, summary?: string): string =>
  `complete -c sandglass -n ${quoted(condition)} ${what}${summary === undefined ? "" : ` -d ${quoted(summary)}`}`;

/** Fish escapes within single quotes by a backslash. */
const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
