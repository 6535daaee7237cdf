import { listed } from "../../timeline/text.ts";
import type { MadeCall } from "../schedules/made-calls.ts";
import type { Excuse } from "../schedules/unavoidable.ts";
import { shown } from "../schedules/words.ts";
import { namesIn } from "../subject/path.ts";
import type { Difference } from "../subject/state.ts";

/** Describes faults in service calls: `the mail to ada@example.com is sent twice: at attempts 1 and 3`. */

/** The service and the key of a difference in calls; undefined for any other difference. */
export function callAt({ path }: Pick<Difference, "path">, calls: readonly MadeCall[]) {
  const [, service, key, ...rest] = namesIn(path);
  const same = calls.filter((one) => one.service === service && one.key === key);
  return same.length === 0 ? undefined : { service: service!, key: key!, rest, same };
}

/**
 * Adds a description to a difference if it is about calls.
 * @param calm the calls in the calm run
 * @param found the calls in the run that differs
 */
export function withCallWords(
  difference: Difference,
  calm: readonly MadeCall[],
  found: readonly MadeCall[],
): Difference {
  const [wanted, made] = [callAt(difference, calm), callAt(difference, found)];
  if (!wanted && !made) return difference;
  const { expected, actual } = difference;
  const words =
    typeof expected === "number" && typeof actual === "number"
      ? countWords(wanted?.same ?? [], made?.same ?? [])
      : fieldWords(difference, (wanted ?? made)!);
  return { ...difference, words };
}

/**
 * Among calls with the same key, describes those made a different number of times. Calls are distinguished by their
 * fields.
 */
function countWords(wanted: readonly MadeCall[], made: readonly MadeCall[]): string {
  const textOf = ({ fields }: MadeCall): string => JSON.stringify(fields);
  const groups = [...new Set([...wanted, ...made].map(textOf))].map((text) => ({
    should: wanted.filter((one) => textOf(one) === text),
    did: made.filter((one) => textOf(one) === text),
  }));
  const more = made.length > wanted.length;
  const { should, did } =
    groups.find((one) => (more ? one.did.length > one.should.length : one.did.length < one.should.length)) ??
    groups[0]!;
  const { thing, done } = (did[0] ?? should[0])!.words;
  const where = [...new Set(did.map(({ at }) => String(at + 1)))];
  const at = where.length === 0 ? "" : `: at ${where.length === 1 ? "attempt" : "attempts"} ${listed(where)}`;
  if (did.length === 0) return `${thing} is never ${done}`;
  if (should.length === 0) return `${thing} is ${done}, but never when everything goes well${at}`;
  const instead = should.length === 1 ? "" : ` instead of ${timesWords(should.length)}`;
  return `${thing} is ${done} ${timesWords(did.length)}${instead}${at}`;
}

const timesWords = (times: number): string => ["", "once", "twice"][times] ?? `${times} times`;

function fieldWords({ expected, actual }: Difference, { rest, same }: { rest: string[]; same: MadeCall[] }) {
  const { thing, done } = same[0]!.words;
  const field = rest.findLast((name) => !/^\d+$/.test(name));
  if (field === undefined) return `${thing} is ${done} with other contents`;
  return `${thing} is ${done} with ${field} ${shown(actual)} instead of ${shown(expected)}`;
}

/** Describes the differences that were accepted as unavoidable, and how to avoid them if the service offers a way. */
export function excuseWords({ effect: { words, takes }, how, by }: Excuse): string {
  const { thing, done } = words;
  const what =
    how === "again"
      ? `${by} right after ${thing} means it is ${done} again`
      : `${by} right before ${thing} means it is never ${done}`;
  return `${what}${takes === undefined ? "" : `; ${takes}`}`;
}
