import { either } from "../../timeline/text.ts";
import type { CommandSpec, OptionSpec } from "../command.ts";
import { json, options, server } from "../command-options.ts";
import { actsOf, type OperationCommand, type Part, partsOf } from "./acts.ts";
import { runOperation } from "./run.ts";

/** A command described by its operations, whose inputs determine its arguments, flags, help and checks. */
export function operationCommand(command: OperationCommand): CommandSpec {
  const { name, summary, examples } = command;
  return {
    ...{ name, summary, examples, acts: actsOf(command) },
    // A process runs only one command, so parse only that command's parts.
    get actions() {
      const acts = partsByAction(command);
      return acts.length > 1
        ? acts.map(({ action, args }) => [action, ...args.map(shown)].join(" "))
        : undefined;
    },
    get args() {
      const acts = partsByAction(command);
      return [...choiceOf(acts.map(({ action }) => action)), ...argumentsOf(acts)];
    },
    get options() {
      const own = optionsOf(partsByAction(command));
      return [...own, ...options({ ...server, ...json(`print ${command.json} as JSON`) })];
    },
    load: async () => ({ run: runOperation(command, (await command.views?.())?.views) }),
  };
}

const partsByAction = (command: OperationCommand): Acts =>
  Object.entries(actsOf(command)).map(([action, act]) => ({ action, ...partsOf(act) }));

/** The argument that chooses an action. A command with only one action has no such argument. */
const choiceOf = ([first, ...more]: readonly string[]): Argument[] =>
  more.length === 0 ? [] : [["[action]", either([`${first} (default)`, ...more])]];

type Acts = readonly { action: string; args: readonly Part[]; flags: readonly Part[] }[];
type Labelled = Part & { action: string };
type Argument = NonNullable<CommandSpec["args"]>[number];

/** All actions' arguments and flags by word, with the actions that accept each word. */
function byWord(acts: Acts, partsOf: (act: Acts[number]) => readonly Part[]) {
  const parts = acts.flatMap((act) => partsOf(act).map((part) => ({ ...part, action: act.action })));
  const words = [...new Set(parts.map(({ word }) => word))];
  return words.map((word) => parts.filter((part) => part.word === word) as [Labelled, ...Labelled[]]);
}

const shown = ({ placeholder = "" }: Part): string => placeholder;

/** The help for each flag, including its actions if only some accept it. */
function optionsOf(acts: Acts): OptionSpec[] {
  return byWord(acts, ({ flags }) => flags).map((parts) => {
    const [{ word, placeholder, summary, field }] = parts;
    const isSame = parts.every((part) => part.summary === summary);
    const actions = parts.map(({ action }) => action).join(", ");
    const labelled = isSame
      ? `${actions}: ${summary}`
      : parts.map((part) => `${part.action}: ${part.summary}`).join("; ");
    return {
      flags: placeholder === undefined ? word : `${word} ${placeholder}`,
      summary: isSame && parts.length === acts.length ? summary : labelled,
      repeatable: field?.type === "object",
    };
  });
}

/** The help for each argument: first its usual meaning, then its meaning in particular actions. */
function argumentsOf(acts: Acts): Argument[] {
  const most = Math.max(...acts.map(({ args }) => args.length));
  return Array.from({ length: most }, (_, index): Argument => {
    const words = byWord(acts, ({ args }) => args.slice(index, index + 1)).toSorted(
      (one, other) => other.length - one.length,
    );
    const texts = words.map(([{ action, summary }], place) =>
      place === 0 ? summary : `${action}: ${summary}`,
    );
    const [{ word, placeholder }] = words[0]!;
    return [acts.length === 1 ? placeholder! : `[${word}]`, texts.join("; ")];
  });
}
