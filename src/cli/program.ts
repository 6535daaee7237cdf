import { Command, CommanderError, Option } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import { closest } from "../errors/closest.ts";
import { diskFull, meansDiskFull } from "../errors/disk-full.ts";
import { misuse, SandboxError } from "../errors/errors.ts";
import { reasonOf } from "../errors/file-error.ts";
import type { CommandSpec, RunCommand } from "./command.ts";
import { COMMANDS, DEFAULT_COMMAND } from "./commands.ts";
import { FAILED, MISUSE, STOPPED } from "./exit-codes.ts";
import { NAMED, programHelp } from "./help.ts";
import { inRoom, paintError } from "./output.ts";
import { announceOutputEnd } from "./stop.ts";

/** Runs a command line and prints errors. @returns the exit code */
export async function runCommandLine(argv: string[]): Promise<number> {
  try {
    return await runCommand(argv);
  } catch (error) {
    // The user answered a question with Ctrl-C or Ctrl-D.
    if ((error as Error).name === "AbortError") return STOPPED;
    const { code, lines } = explain(error, argv);
    const [message, hint] = lines;
    if (message) process.stderr.write(paintError(message, hint));
    return code;
  }
}

async function runCommand(argv: string[]): Promise<number> {
  let exitCode = 0;
  const program = new Command("sandglass")
    .version(packageJson.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help; after a command, that command's help")
    .helpCommand("help [command]", "show a command's help")
    .configureOutput({ outputError: () => undefined })
    // Even if the flags need a wide column, descriptions get 30 columns on a 60-column terminal.
    .configureHelp({ minWidthToWrap: 20 })
    .exitOverride();
  program.helpInformation = () => programHelp(process.stdout.columns || undefined);

  // Load all commands only for the help, and for errors in a command line that names no command.
  const named = COMMANDS.filter(({ name }) => name === argv[0]);
  for (const spec of named.length > 0 ? named : COMMANDS)
    define(program, spec, argv, async (args, options) => {
      const { run } = await spec.load();
      exitCode = (await (run as RunCommand<object>)({ args, options })) ?? 0;
    });

  await program.parseAsync(argv, { from: "user" });
  return exitCode;
}

function define(
  program: Command,
  spec: CommandSpec,
  argv: string[],
  run: (args: (string | undefined)[], options: object) => Promise<void>,
): void {
  const isDefault = spec.name === DEFAULT_COMMAND;
  const command = program
    .command(spec.name, { isDefault })
    .summary(spec.summary)
    .description(`${spec.summary.charAt(0).toUpperCase()}${spec.summary.slice(1)}.`)
    .helpOption("-h, --help", "show this help")
    .allowExcessArguments(isDefault);
  for (const [placeholder, summary] of spec.args ?? []) command.argument(placeholder, summary);
  for (const { flags, summary, repeatable } of spec.options) {
    const option = new Option(flags, summary);
    // Any other flag may be given more than once; the last value counts, so `npm start -- --port 4500` overrides a
    // script's port.
    if (repeatable) option.argParser((value: string, list: string[] = []) => [...list, value]);
    command.addOption(option);
  }
  command.addHelpText("after", () => inRoom(`\nExamples:\n${exampleLines(spec)}`, process.stdout.columns));
  command.action(async () => {
    if (isDefault && command.args.length > 0) throw misplaced(command.args[0]!, argv);
    const args = command.processedArgs as (string | string[] | undefined)[];
    await run(args.flat(), command.opts());
  });
}

function exampleLines({ examples }: CommandSpec): string {
  const width = Math.max(...examples.map(([text]) => text.length));
  return examples
    .map(([text, what]) => `  ${what === "" ? text : `${text.padEnd(width)}  # ${what}`}`)
    .join("\n");
}

/**
 * The error for an argument where only options are allowed. Only `start` can be run without its name, and it takes no
 * arguments.
 */
function misplaced(word: string, argv: string[]): SandboxError {
  if (argv[0] === DEFAULT_COMMAND)
    return misuse(`start only accepts options, not '${word}'.`, "See: npx sandglass start --help");
  const names = COMMANDS.map(({ name }) => name);
  if (names.includes(word))
    return misuse(
      `The command '${word}' must come first.`,
      `Run: npx sandglass ${word} …, with the options after it.`,
    );
  const action = COMMANDS.flatMap(({ name, actions = [] }) => actions.map((one) => `${name} ${one}`)).find(
    (one) => one.split(" ")[1] === word,
  );
  const close = closest(word, NAMED) ?? names.find((name) => name.startsWith(word.slice(0, 3)));
  return misuse(
    `There is no command '${word}'.`,
    action
      ? `Run: npx sandglass ${action}`
      : close
        ? `Did you mean: npx sandglass ${close}`
        : `Commands: ${names.join(", ")}.`,
  );
}

function explain(error: unknown, argv: string[]): { code: number; lines: string[] } {
  const named = argv.map((word) => COMMANDS.find(({ name }) => name === word)).find(Boolean);
  const help = `See: npx sandglass ${named ? `${named.name} ` : ""}--help`;
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return { code: 0, lines: [] };
    const [message = "", ...suggestion] = error.message.replace(/^error: /, "").split("\n");
    const hints = suggestion.map((line) => line.replace(/^\((.*)\)$/, "$1"));
    const option = /^unknown option '(.*)'$/.exec(message)?.[1];
    const taken = (named ?? COMMANDS[0]!).removed?.[option?.split("=")[0] ?? ""];
    if (taken) return { code: MISUSE, lines: [`${option} was removed.`, taken] };
    const mistaken = argv.includes("--") ? undefined : named?.mistaken;
    if (error.code === "commander.missingArgument" && named)
      hints.push(`For example: ${named.examples[0]![0]}`);
    if (option !== undefined && mistaken?.option.test(option)) hints.push(mistaken.hint);
    return { code: MISUSE, lines: [sentence(message), hints.join(" ") || help] };
  }
  if (meansDiskFull(error)) return explain(diskFull((error as NodeJS.ErrnoException).path), argv);
  if (error instanceof SandboxError)
    return {
      code: error.code === "internal" ? FAILED : MISUSE,
      lines: [error.message, error.hintFor("command") || help],
    };
  const { code, message, stack } = error as NodeJS.ErrnoException;
  if (code !== undefined && /^E[A-Z]+$/.test(code)) return { code: FAILED, lines: [message, ""] };
  return {
    code: FAILED,
    lines: ["Something went wrong inside Sandglass. Please report it:", stack ?? String(error)],
  };
}

function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}

let outputError: NodeJS.ErrnoException | undefined;

/**
 * The exit code of a process whose output was closed. A reader such as `head` may stop reading early; that is not an
 * error.
 */
const codeWithoutOutput = (code: number) => (outputError?.code === "EPIPE" ? code : FAILED);

function noteOutputError(error: NodeJS.ErrnoException): void {
  if (outputError !== undefined) return;
  outputError = error;
  if (error.code === "EPIPE") return;
  const reason = error.code === "ENOSPC" ? "no space left on the device" : reasonOf(error);
  process.stderr.write(paintError(`Cannot write to standard output: ${reason}.`));
}

/** Runs this process's command line and exits with the resulting code. */
export async function runProcess(): Promise<void> {
  process.stdout.on("error", (error) => {
    noteOutputError(error);
    if (!announceOutputEnd()) process.exit(codeWithoutOutput(0));
  });
  // If standard error itself fails, the failure cannot be reported.
  process.stderr.on("error", () => undefined);
  const exitCode = await runCommandLine(process.argv.slice(2));
  process.stdout.write("", (error) => {
    if (error) noteOutputError(process.stdout.errored ?? error);
    process.exit(error ? codeWithoutOutput(exitCode) : exitCode);
  });
}
