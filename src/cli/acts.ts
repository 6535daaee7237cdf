import { CALLS, type Field, type OperationName } from "../client/calls.ts";
import type { Views } from "./view.ts";

/**
 * An argument or a flag: `<endpoint>`, `[state]`, `--times <number>`, `--limit <number>=20` with the default of the command. What
 * it is follows from the operation's field, unless that stands here.
 */
type Word = string | readonly [text: string, summary: string];

/** A command, or one of its actions, that is one operation. */
export interface Act {
  /** The first has the words for what several of them take. */
  does: OperationName | readonly [OperationName, ...OperationName[]];
  /** Which of several it is, by the fields that were given; the first without it. */
  choose?: (given: Readonly<Record<string, unknown>>) => OperationName;
  args?: readonly Word[];
  flags?: readonly Word[];
  /** The field of a word, where it is not the word itself, or a list of those that the view reads it into. */
  names?: Readonly<Record<string, string | readonly string[]>>;
  /** Where no view prints the answer: its fields that are printed, in this order, and what an empty list prints. */
  shows?: string;
  empty?: string;
}

/** A command as its operations describe it. */
export interface OperationCommand {
  name: string;
  summary: string;
  /** Several actions by their names; the first is the default. */
  acts: Act | Readonly<Record<string, Act>>;
  /** What `--json` prints. */
  json: string;
  examples: [command: string, what: string][];
  /** What prints the answers, where not their fields do. */
  views?: () => Promise<{ views: Views }>;
}

/** An argument or a flag as it is read. */
export interface Part {
  /** As errors and help name it: `--times`, `endpoint`. */
  word: string;
  /** The option of commander that has its value; undefined for an argument. */
  option: string | undefined;
  /** Where its value goes: a field of the operation, or a name that the view reads. */
  key: string;
  field: Field | undefined;
  placeholder: string | undefined;
  summary: string;
  fallback: string | undefined;
}

const camelCase = (text: string) => text.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** A description as help has it. */
const words = (text: string): string =>
  text.charAt(0).toLowerCase() +
  text
    .slice(1)
    .replace(/\.$/, "")
    .replace(/\. Default: (.*)$/, " (default: $1)");

function partOf(act: Act, word: Word): Part {
  const [text, summary] = typeof word === "string" ? [word] : word;
  const [, flag, placeholder = text, fallback] = /^(?:(--[\w-]+) ?)?([<[].*?[>\]])?(?:=(.*))?$/.exec(text)!;
  const name = flag?.slice(2) ?? placeholder.slice(1, -1);
  const named = act.names?.[name];
  const candidates = [...[named ?? []].flat(), camelCase(name), name.replaceAll("-", "_")];
  const inputs = [act.does].flat().map((operation) => CALLS[operation].fields);
  const found = candidates.find((one) => inputs.some((fields) => one in fields));
  const about = inputs.find((fields) => found! in fields)?.[found!];
  const field = typeof named === "object" ? undefined : about;
  const preset = fallback ?? (summary === undefined ? field?.default : undefined);
  const described = summary ?? words(about?.description ?? "");
  return {
    word: flag ?? name,
    option: flag && camelCase(name),
    key: field ? found! : camelCase(name),
    field,
    placeholder: flag && placeholder === text ? undefined : placeholder,
    summary: preset === undefined ? described : `${described} (default: ${preset})`,
    fallback,
  };
}

export const actsOf = ({ acts }: OperationCommand): Readonly<Record<string, Act>> =>
  "does" in acts ? { "": acts as Act } : acts;

interface Parts {
  args: readonly Part[];
  flags: readonly Part[];
}

/** The arguments and flags of an action, in order. */
export const partsOf = (act: Act): Parts => ({
  args: (act.args ?? []).map((word) => partOf(act, word)),
  flags: (act.flags ?? []).map((word) => partOf(act, word)),
});
