import { isObject, mergeOver, readJson } from "../webhooks/body-text.ts";
import { wholeWords } from "../webhooks/known.ts";
import type { SenderFacts } from "../webhooks/sender-file.ts";

type Kinds = NonNullable<SenderFacts["kinds"]>;

/** The first two examples of a kind; undefined for a kind with fewer. */
export function twoExamples(kinds: Kinds | undefined, kind: string): [string, string] | undefined {
  const [first, second] = [kinds?.[kind] ?? []].flat();
  return first === undefined || second === undefined ? undefined : [first, second];
}

/**
 * The data that makes an event be about the second example of some kinds, wherever its body names the first.
 * @param data the event's other data
 */
export function secondData(
  body: string,
  { kinds }: Pick<SenderFacts, "kinds">,
  second: readonly string[],
  data: object = {},
): object {
  const ids = new Map(second.map((kind) => twoExamples(kinds, kind)!));
  const other = body.replaceAll(wholeWords([...ids.keys()]), (id) => ids.get(id)!);
  const changed = changedIn(readJson(body), readJson(other)) as object;
  return JSON.parse(mergeOver(JSON.stringify(changed), data));
}

/** The parts of a value that differ from another's, as data that is merged over it. */
function changedIn(one: unknown, other: unknown): unknown {
  if (!isObject(one) || !isObject(other)) return other;
  return Object.fromEntries(
    Object.entries(other).flatMap(([name, value]) =>
      JSON.stringify(one[name]) === JSON.stringify(value) ? [] : [[name, changedIn(one[name], value)]],
    ),
  );
}
