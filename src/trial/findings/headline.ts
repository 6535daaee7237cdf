import { clip } from "../../timeline/text.ts";
import type { Finding, Wrong } from "../schedules/exploration.ts";
import { shown } from "../schedules/words.ts";
import { namesIn } from "../subject/path.ts";
import { type Difference, isObject } from "../subject/state.ts";

const SHOWN_CHARACTERS = 60;

/** Describes a finding in a sentence: `A paid order ends up cancelled.` */
export function headline({ differences, invariant, run }: Wrong): string {
  if (differences.length === 0) {
    if (invariant) return sentence(clip(invariant.message.split("\n")[0]!, SHOWN_CHARACTERS));
    const [refusal] = run.refused;
    return refusal
      ? `${refusal.isCopy ? "A copy of " : ""}${clip(refusal.event, SHOWN_CHARACTERS)} is refused for ever.`
      : "The subscriber ends up in a different state.";
  }
  return sentence(wordsFor(mainDifference(differences, run)!));
}

/** The difference that does the most harm to the user's data; undefined if there are none. */
export function mainDifference(
  differences: readonly Difference[],
  { attempts = [] }: Wrong["run"],
): Difference | undefined {
  const ids = new Set(attempts.flatMap(({ id, eventId }) => [id, eventId]));
  const harms = differences.map((one) => ({ one, rank: rank(one) + (isRecord(one, ids) ? RECORD : 0) }));
  return harms.sort((a, b) => a.rank - b.rank)[0]?.one;
}

/** Ranks differences: statuses, entries with a status or amount, amounts, other entries, marks such as `cancelled_at`. */
function rank({ path, expected, actual, words }: Difference): number {
  if (words !== undefined) return 1;
  if (expected === undefined || actual === undefined) {
    const fields = entryFields({ path, expected, actual });
    return fields.some(([field, value]) => isStatus(field) || typeof value === "number") ? 1 : 3;
  }
  if (typeof expected === "number" && typeof actual === "number") return isTally(path) ? 6 : 2;
  if (typeof expected !== "string" || typeof actual !== "string") return 4;
  return isStatus(path) ? 0 : 5;
}

/** Higher than any rank of the user's own data. */
const RECORD = 10;

/** Whether a difference is an entry that merely records a processed event. */
function isRecord(one: Difference, ids: ReadonlySet<unknown>): boolean {
  const { path, expected, actual } = one;
  if (expected !== undefined && actual !== undefined) return false;
  if (ids.has(namesIn(path).at(-1))) return true;
  const entry = expected ?? actual;
  return (
    rank(one) === 3 && (isObject(entry) ? Object.values(entry) : [entry]).some((value) => ids.has(value))
  );
}

/** The fields of a missing or additional entry, except ids. */
function entryFields({ path, expected, actual }: Difference): [string, unknown][] {
  const entry = expected ?? actual;
  const name = namesIn(path).at(-1);
  if (!isObject(entry)) return [];
  return Object.entries(entry).filter(([field, value]) => String(value) !== name && !/id$/i.test(field));
}

const isStatus = (path: string): boolean => /(?:^|\.)(?:status|state)$/i.test(path);
/** Whether a number counts operations on a row rather than describing its content. */
const isTally = (path: string): boolean => /(?:version|revision|attempts|tries|retries|updates)$/i.test(path);

function wordsFor({ path, expected, actual, words }: Difference): string {
  if (words !== undefined) return words;
  const names = namesIn(path);
  const field = names.at(-1);
  const owner = names.at(-2);
  if (field === undefined) return `the state ends up as ${shown(actual)} instead of ${shown(expected)}`;
  if (actual === undefined)
    return isIndex(field) && owner
      ? `${spaced(owner)} lacks an entry`
      : `${named(field)} is missing${from(owner)}`;
  if (expected === undefined) {
    if (isIndex(field) && owner) return `${spaced(owner)} has an entry too many`;
    return `${owner ? spaced(owner) : "the state"} ends up with an unexpected ${named(field)}`;
  }
  if (typeof expected === "string" && typeof actual === "string" && isStatus(path) && isWord(expected)) {
    const thing =
      names.length >= 3 && !isIndex(field)
        ? singular(names.at(-3)!)
        : names.length === 2
          ? owner!
          : undefined;
    if (thing !== undefined && isWord(thing) && isWord(actual))
      return `${/^[aeiou]/i.test(expected) ? "an" : "a"} ${expected} ${spaced(thing)} ends up ${actual}`;
  }
  if (field === "*" && owner && typeof expected === "number")
    return `${spaced(owner)} has ${shown(actual)} entries instead of ${shown(expected)}`;
  const subject =
    isIndex(field) && owner ? `an entry of ${spaced(owner)}` : spaced(field) + of(owner, names.at(-3));
  const verb = !isIndex(field) && /[^su]s$/.test(field) ? ["are", "end"] : ["is", "ends"];
  if (typeof expected === "number" && typeof actual === "number" && expected !== 0) {
    if (actual === 2 * expected) return `${subject} ${verb[0]} counted twice`;
    if (actual === 3 * expected) return `${subject} ${verb[0]} counted three times`;
  }
  return `${subject} ${verb[1]} up as ${shown(actual)} instead of ${shown(expected)}`;
}

/** Whether a name is a position, `*`, or a random platform id, which mean nothing to a reader. */
const isIndex = (name: string): boolean => /^(?:\d+|\*|[a-z]{2,8}_[0-9A-Za-z]{16})$/.test(name);
const isWord = (text: string): boolean => /^[a-z][a-z _-]{1,30}$/i.test(text);
const of = (owner: string | undefined, group: string | undefined): string => {
  if (owner === undefined) return "";
  if (!isIndex(owner)) return ` of ${named(owner)}`;
  return group === undefined || isIndex(group) ? "" : ` in ${spaced(group)}`;
};
const from = (owner: string | undefined): string =>
  owner === undefined || isIndex(owner) ? "" : ` from ${spaced(owner)}`;

/** The singular of a name: `order` for `orders`. */
function singular(name: string): string {
  if (/ies$/i.test(name)) return name.replace(/ies$/i, "y");
  return name.replace(/([^su])s$/i, "$1");
}

/** Splits a name into words: `payment count` for `paymentCount` and `payment_count`. Other strings stay unchanged. */
function spaced(name: string): string {
  if (!/^[a-z][A-Za-z]*(?:_[a-z]+)*$/.test(name)) return named(name);
  return name
    .replace(/_/g, " ")
    .replace(/([a-z])([A-Z])/g, (_all, left, right) => `${left} ${right.toLowerCase()}`);
}

const named = (name: string): string => clip(name, 40);

/** Capitalizes a sentence unless it starts with a name such as `order-7`. */
function sentence(text: string): string {
  const start = /^[a-z]+(?=[ ,.]|$)/.test(text) ? text.slice(0, 1).toUpperCase() + text.slice(1) : text;
  return /[.!?]$/.test(start) ? start : `${start}.`;
}

/** States that a schedule goes wrong in only some of its runs; empty if it goes wrong in all of them. */
export const oftenWords = ({ runs, wrong }: Pick<Finding, "runs" | "wrong">): string =>
  wrong < runs ? `In ${wrong} of ${runs} runs of this schedule: the outcome depends on timing.` : "";
