import { CALLS, type Field } from "../../client/calls.ts";
import { inOwnWords } from "../../client/refusal.ts";
import type { SandboxError } from "../../errors/errors.ts";
import { misuse } from "../../errors/errors.ts";
import type { Invocation } from "../command.ts";
import { namesIn, readKnown, readNamedValues } from "../named-values.ts";
import { print, printJson } from "../output.ts";
import { chosenSandbox, type ServerOptions } from "../server.ts";
import { chooseAction } from "./actions.ts";
import { type Act, actsOf, type OperationCommand, type Part, partsOf } from "./acts.ts";
import { answerLines } from "./answer-lines.ts";
import type { Given, ViewCall, Views } from "./view.ts";

type OperationOptions = ServerOptions & Record<string, unknown>;

/**
 * Runs a command described by its operations. The sandbox validates the values; its errors are reworded to mention the
 * arguments and flags.
 */
export function runOperation(command: OperationCommand, views: Views = {}) {
  return async ({ args, options }: Invocation<OperationOptions>): Promise<number> => {
    const acts = actsOf(command);
    const isOne = "" in acts;
    const action = isOne ? "" : (args[0] ?? Object.keys(acts)[0]!);
    const act = isOne ? acts[""]! : chooseAction(command.name, acts, action);
    const { given, words } = readGiven(command, action, isOne ? args : args.slice(1), options);
    const name = act.choose?.(given) ?? [act.does].flat()[0]!;
    const { read = (input: Given) => input, pick, lines, exit } = views[name] ?? {};
    const call: ViewCall = { sandbox: await chosenSandbox(options), given, options };
    try {
      const answer = (await call.sandbox.run(name, onlyFields(name, await read(given, call)))) as never;
      const shown = pick ? await pick(answer, call) : answer;
      if (options.json) printJson(shown);
      else for (const line of lines ? await lines(shown, call) : answerLines(shown, act)) print(line);
      return exit?.(answer) ?? 0;
    } catch (error) {
      // A flag's value is a single word.
      throw inOwnWords(error, words, (word) => word);
    }
  };
}

/** Omits values that only a view reads. */
const onlyFields = (name: keyof typeof CALLS, input: object): object =>
  Object.fromEntries(Object.entries(input).filter(([field]) => field in CALLS[name].fields));

/**
 * Reads the given values, keyed by field, and which argument or flag set each one. @throws SandboxError `bad_request`
 */
function readGiven(
  command: OperationCommand,
  action: string,
  args: readonly (string | undefined)[],
  options: OperationOptions,
): { given: Given; words: Record<string, string> } {
  const acts = actsOf(command);
  const act = acts[action]!;
  const parts = partsOf(act);
  const called = action === "" ? command.name : `${command.name} ${action}`;
  refuseFlagsOfOthers(command, parts.flags, options);
  const given: Given = {};
  const words: Record<string, string> = {};
  for (const [index, part] of [...parts.args, ...parts.flags].entries()) {
    const value = part.option === undefined ? args[index] : (options[part.option] ?? part.fallback);
    if (isMissing(part, value)) throw missing(command, called, part);
    if (value !== undefined) given[part.key] = readValue(part, value);
    for (const field of [part.key, ...namesOf(act, part)]) words[field] = part.word;
  }
  return { given, words };
}

const namesOf = ({ names = {} }: Act, { word }: Part): readonly string[] =>
  [names[word.replace(/^--/, "")] ?? []].flat();

/** An unset shell variable becomes an empty argument, which counts as missing. */
const isMissing = ({ option, placeholder = "" }: Part, value: unknown): boolean =>
  option === undefined && (value === "" || (value === undefined && placeholder.startsWith("<")));

function missing(command: OperationCommand, called: string, { word, summary }: Part): SandboxError {
  const example = command.examples.find(([text]) => text.startsWith(`npx sandglass ${called} `))?.[0];
  return misuse(
    `${called} needs ${/^[aeio]/.test(word) ? "an" : "a"} ${word}: ${summary}.`,
    example ? `For example: ${example}` : "",
  );
}

/** @throws SandboxError `bad_request` for a flag of another action */
function refuseFlagsOfOthers(
  command: OperationCommand,
  own: readonly Part[],
  options: OperationOptions,
): void {
  const acts = Object.entries(actsOf(command));
  for (const [action, act] of acts.length > 1 ? acts : [])
    for (const { word, option } of partsOf(act).flags)
      if (options[option!] !== undefined && !own.some((one) => one.word === word)) {
        const example = command.examples.find(([text]) => text.includes(word))?.[0];
        throw misuse(`${word} can only be used with ${action}.`, example ? `For example: ${example}` : "");
      }
}

/** Converts a value for the operation. A value of the wrong type stays a string, which the sandbox rejects. */
function readValue({ field, word }: Part, value: unknown): unknown {
  if (word === "--known") return readKnown(value as string[]);
  if (Array.isArray(value))
    return readNamedValues(word, value as string[], word === "--header" ? "'X-Tenant: acme'" : "order=1234");
  if (typeof value !== "string" || field === undefined) return value;
  if (field.type !== "array") return readNumber(field, value);
  return namesIn(value)!.map((item) => readNumber(field.items, item));
}

function readNumber(field: Field | undefined, text: string): string | number {
  const types = [field?.type, ...(field?.anyOf ?? []).map(({ type }) => type)];
  const isNumber = types.includes("integer") || (types.includes("number") && !types.includes("string"));
  return isNumber && /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}
