import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import packageJson from "../../../package.json" with { type: "json" };
import type { ExploreFinding } from "../../library/finding.ts";
import { refuseLinks } from "../../runtime/private-files.ts";
import type { ListedEvent } from "../../senders/event-list.ts";
import { shippedSenders } from "../../senders/files.ts";
import { plain } from "../../timeline/text.ts";
import { maskKnown } from "../../webhooks/known.ts";
import { SECOND } from "../../world/duration.ts";
import type { Exploration } from "../schedules/exploration.ts";
import { shown } from "../schedules/words.ts";
import { deviationText, pointText } from "./finding-schema.ts";
import { headline } from "./headline.ts";
import { weaveLines, weaveOf } from "./weave.ts";

const NAME_LENGTH = 45;
const SMALL_WORDS = new Set("a an the is are be ends end up as of in from instead should it its".split(" "));

/** The options with which a finding's exploration was started. */
export interface AskedFor {
  tables?: readonly string[] | undefined;
  /** `now`, or an ISO 8601 time. */
  at?: string | undefined;
  /** The rule's name in the configuration. */
  invariant?: string | undefined;
}

/**
 * Writes a finding to a folder.
 * @returns its path, or the path of an existing file with the same content
 * @throws Error if the folder cannot be written to; its message fits after a colon
 */
export const writeFinding = (folder: string, exploration: Exploration, asked: AskedFor): Promise<string> =>
  writeFindingFile(folder, findingName(exploration), async (name) => {
    return (await savedFinding(exploration, asked, name)).text;
  });

/** Like `writeFinding`, for text that depends on the finding's name. */
export async function writeFindingFile(
  folder: string,
  base: string,
  textOf: (name: string) => Promise<string>,
): Promise<string> {
  refuseLinks(folder);
  mkdirSync(folder, { recursive: true });
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}-${number}`;
    const path = join(folder, `${name}.yaml`);
    const text = await textOf(name);
    refuseLinks(path);
    const earlier = existsSync(path) ? readFileSync(path, "utf8") : undefined;
    if (earlier !== undefined && earlier !== text) continue;
    if (earlier === undefined) writeFileSync(path, text);
    return path;
  }
}

/** Masks known values: saved findings contain the names of values in the user's database, but never the values. */
const named = <Value>({ story }: Pick<Exploration, "story">, value: Value): Value =>
  maskKnown(value, story.sender?.known);

/** A name such as `paid-order-cancelled`. */
function findingName(exploration: Exploration): string {
  const words = named(exploration, headline(exploration.finding!))
    .replace(/ends? up as .*/, "wrong")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "" && !SMALL_WORDS.has(word));
  let name = "";
  for (const word of words) if (`${name}-${word}`.length <= NAME_LENGTH) name += `${name && "-"}${word}`;
  return name || "finding";
}

/** A rule's name in finding files, derived from its function or file name: `stock-level` for `stockLevel.mjs`. */
export function ruleName(name: string): string {
  const plainName = name
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  return plainName.slice(0, 60).replace(/-$/, "") || "invariant";
}

/** A finding as data and as file text. */
export async function savedFinding(
  exploration: Exploration,
  { tables, at, invariant }: AskedFor,
  name = findingName(exploration),
): Promise<{ data: ExploreFinding; text: string }> {
  const { story, finding, ignore, ordered } = exploration;
  const { run, invariant: broken } = finding!;
  const mask = <Value>(value: Value): Value => named(exploration, value);
  const expected = mask(finding!.expected);
  const { sender } = story;
  const points = run.schedule.flatMap(({ point }) => point ?? []);
  const data: ExploreFinding = {
    ...{ finding: name, story: story.name },
    ...(sender && {
      sender: sender.name,
      ...(shippedSenders().includes(sender.named) && { version: packageJson.version }),
      ...(sender.events && {
        events: sender.events.map((event) =>
          eventOf({ ...event, data: mask(event.data), body: mask(event.body) }),
        ),
      }),
    }),
    ...(at !== undefined && { at }),
    schedule: run.schedule.map(deviationText),
    ...(points.length > 0 && { statements: mask(points.map(pointText)) }),
    ...(tables && { tables: [...tables] }),
    ...(ignore.length > 0 && { ignored: [...ignore] }),
    ...(ordered.length > 0 && { ordered: [...ordered] }),
    ...(broken && !broken.isEnd && { invariant: invariant ?? "invariant" }),
    ...(run.refused.length > 0 && { accepted: [...new Set(run.refused.map(({ event }) => event))] }),
    ...(expected.length > 0 && {
      expect: Object.fromEntries(expected.map((one) => [one.path, one.expected])),
    }),
  };
  const weave = weaveOf(run);
  const text = await findingText(data, {
    title: `${mask(headline(finding!))} Found by explore`,
    notes: {
      ...(broken && !broken.isEnd && { invariant: mask(broken.message.split("\n")[0]) }),
      accepted: run.refused.map(({ status }) => `answered ${status} for ever`)[0],
    },
    expected: expected.map(({ actual }) => shown(actual)),
    drawing: weave ? ["What the database saw:", ...weaveLines(weave)].map(mask) : [],
  });
  return { data, text };
}

interface Comments {
  /** What the finding is, and who found it. */
  title: string;
  /** Comments on fields with their current values. */
  notes?: Partial<Record<string, string | undefined>>;
  /** The current values at the places in `expect`, in order. */
  expected?: readonly string[];
  drawing?: readonly string[];
}

export async function findingText(
  { expect, ...fields }: ExploreFinding,
  { title, notes = {}, expected = [], drawing = [] }: Comments,
): Promise<string> {
  const { stringify } = await import("yaml");
  /** Formats a value as single-line YAML without invisible characters. */
  function yaml(value: unknown): string {
    const text = stringify(value, {
      collectionStyle: "flow",
      ...{ lineWidth: 0, flowCollectionPadding: false, blockQuote: false, doubleQuotedAsJSON: true },
    }).trimEnd();
    if (text === plain(text)) return text;
    return JSON.stringify(value).replaceAll(
      /[\p{C}\u2028\u2029]/gu,
      (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
  }
  const lines = [
    `# ${plain(title)}; replay it with: npx sandglass run ${fields.finding}`,
    ...Object.entries(fields).map(
      ([key, value]) =>
        `${key}: ${yaml(value)}${notes[key] === undefined ? "" : `  # now: ${plain(notes[key])}`}`,
    ),
    ...(expect ? ["expect:"] : []),
    ...Object.entries(expect ?? {}).map(
      ([path, value], index) =>
        `  ${yaml(path)}: ${yaml(value)}  # when everything goes well; now: ${plain(expected[index] ?? "")}`,
    ),
    ...drawing.map((line) => `# ${plain(line)}`),
  ];
  return `${lines.join("\n")}\n`;
}

export function eventOf({ type, after, data, body }: ListedEvent) {
  const time = `${after / SECOND}s`;
  if (data === undefined && body === undefined) return after === 0 ? type : `${type}@${time}`;
  return { type, ...(after > 0 && { after: time }), ...(data && { data }), ...(body && { body }) };
}
