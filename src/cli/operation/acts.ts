import { CALLS, type Field, type OperationName } from "../../client/calls.ts";
import type { Views } from "./view.ts";

/**
 * An argument or flag: `<endpoint>`, `[state]`, `--times <number>`, or `--limit <number>=20` with the command's default. Its
 * description is the operation field's, unless given here.
 */
type Word = string | readonly [text: string, summary: string];

/** A command, or one of its actions, that runs one operation. */
export interface Act {
  /** The operations that the command can run. If several have the same field, the first one describes it. */
  does: OperationName | readonly [OperationName, ...OperationName[]];
  /** Chooses the operation based on the given fields. The default is the first operation. */
  choose?: (given: Readonly<Record<string, unknown>>) => OperationName;
  args?: readonly Word[];
  flags?: readonly Word[];
  /** The field for an argument or flag with a different name, or the fields that the view derives from it. */
  names?: Readonly<Record<string, string | readonly string[]>>;
  /** For a response without a view: the fields to print, in this order, and the text for an empty list. */
  shows?: string;
  empty?: string;
}

export interface OperationCommand {
  name: string;
  summary: string;
  /** Several actions by name; the first is the default. */
  acts: Act | Readonly<Record<string, Act>>;
  /** What `--json` prints. */
  json: string;
  examples: [command: string, what: string][];
  /** Views that print the responses, if listing their fields is not enough. */
  views?: () => Promise<{ views: Views }>;
}

/** A parsed argument or flag. */
export interface Part {
  /** The name in errors and help: `--times`, `endpoint`. */
  word: string;
  /** The option in commander's syntax; undefined for an argument. */
  option: string | undefined;
  /** The key for its value: a field of the operation, or a name that the view reads. */
  key: string;
  field: Field | undefined;
  placeholder: string | undefined;
  summary: string;
  fallback: string | undefined;
}

const camelCase = (text: string) => text.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Rewrites a field's description in the style of help texts. */
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

/** An action's arguments and flags, in order. */
export const partsOf = (act: Act) => ({
  args: (act.args ?? []).map((word) => partOf(act, word)),
  flags: (act.flags ?? []).map((word) => partOf(act, word)),
});
