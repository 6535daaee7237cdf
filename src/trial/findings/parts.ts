import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import packageJson from "../../../package.json" with { type: "json" };
import { misuse, type SandboxError } from "../../errors/errors.ts";
import { isObject } from "../../runtime/is-object.ts";
import { check } from "../../schema/check.ts";
import { createMistakes } from "../../schema/mistakes.ts";
import { type NamedBytes, parseFile } from "../../schema/parse-file.ts";
import { plain } from "../../timeline/text.ts";
import type { CheckReport } from "../check/report.ts";
import type { Exploration, Finding, Survey, UnplayedStory } from "../schedules/exploration.ts";
import type { SurveyOptions } from "../schedules/options.ts";
import type { Share } from "../schedules/schedule.ts";
import type { Story } from "../stories/stories.ts";
import { eachFinding, joinSurveys } from "./findings.ts";
import { PART_SCHEMA, TEST_SCHEMA } from "./part-schema.ts";
import type { PlayedFinding } from "./play.ts";
import type { PlayedView } from "./played-report.ts";

export interface Part extends Share {
  /** The fingerprint, which is the same in all parts of an exploration. */
  of: Record<string, string>;
}

/** A result as printed by `--json` with `--shard`. */
interface PartResult {
  part: Part;
  stories: Exploration[];
  unplayed: UnplayedStory[];
}

/** The combined result of all parts. The first part of a `test` also includes saved findings and the check. */
export interface MergedParts {
  survey: Survey;
  played: PlayedFinding[];
  check: CheckReport | null;
}

/** A result as printed by `sandglass test --json`. */
interface TestResult {
  findings: PlayedView[];
  check: CheckReport | null;
  explore: PartResult;
}

const HINT =
  "Pass a folder with the output of sandglass explore --shard … --json: one .json file for each part, all with the same options.";

const digest = (content: string | Uint8Array): string =>
  createHash("sha256").update(content).digest("hex").slice(0, 16);

/** Identifies a story by its name and, for a user's own story, its content. */
function storyOf({ name, file, by }: Story): string {
  if (by) return `${name} ${digest(JSON.stringify(by.events))}`;
  return file === null ? name : `${name} ${digest(readFileSync(resolve(file)))}`;
}

/**
 * Identifies the part of an exploration that a result covers; null for a whole exploration.
 * @param flags the flags that determine what is explored, as the user wrote them
 */
export function partOf(
  { stories, shard, settings, ...options }: Omit<SurveyOptions, "subject">,
  flags: Readonly<Record<string, string | undefined>>,
): Part | null {
  if (!shard) return null;
  const { deviations, timeout, seed, all = false, ignore, ordered = [] } = options;
  const decisive = { ...flags, deviations, timeout, seed, all, ignore, ordered };
  return {
    ...shard,
    of: {
      "version of Sandglass": packageJson.version,
      stories: stories.map(storyOf).join(", "),
      "header prefix": settings.webhooks.headerPrefix ?? "",
      ...Object.fromEntries(
        Object.entries(decisive).map(([name, value]) => [name, JSON.stringify(value) ?? ""]),
      ),
    },
  };
}

/**
 * Merges an exploration's parts. The files are untrusted: their content is only displayed.
 * @throws SandboxError `bad_request` unless the files contain every part of one exploration exactly once
 */
export async function mergeParts(files: readonly NamedBytes[]): Promise<MergedParts> {
  const parts = await Promise.all(
    files.map(async (file) => ({ name: file.name, ...(await readPart(file)) })),
  );
  const [first] = parts;
  if (!first) throw misuse("There are no results to merge.", HINT);
  for (const one of parts) checkSame(one, first);
  const { count } = first.part;
  const numbers = parts.map(({ part }) => part.index);
  const lacking = Array.from({ length: count }, (_, at) => at + 1).filter((one) => !numbers.includes(one));
  if (lacking.length > 0)
    throw misuse(
      `The results are missing part ${lacking.map((one) => `${one}/${count}`).join(" and ")}.`,
      HINT,
    );
  if (parts.length > count)
    throw misuse(
      `There are ${parts.length} results for ${count} parts: ${parts.map(({ name }) => name).join(", ")}.`,
      HINT,
    );
  return {
    survey: joinSurveys(
      parts.map(({ stories, unplayed }) => ({
        ...{ explorations: stories, unplayed },
        wallMs: stories.reduce((sum, { wallMs }) => sum + wallMs, 0),
      })),
    ),
    played: parts.flatMap(({ played }) => played),
    check: parts.find(({ check }) => check)?.check ?? null,
  };
}

/** @throws SandboxError `bad_request` if a file is not a part or contradicts itself */
async function readPart(file: NamedBytes): Promise<PartResult & Omit<MergedParts, "survey">> {
  const parsed = await parseFile(file, "bad_request");
  // The output of `sandglass test` contains more than the exploration.
  const tested = isObject(parsed) && "explore" in parsed ? parsed : undefined;
  const content = tested ? tested.explore : parsed;
  const refuse = (why: string): SandboxError => misuse(`${file.name} is not a part: ${why}.`, HINT);
  if (tested && content === null && isObject(tested.problem))
    throw refuse(`nothing was explored: ${plain(String(tested.problem.message))}`);
  if (!isObject(content)) throw refuse("it is not an object");
  if (content.part === null) throw refuse("it was written without --shard");
  const mistakes = createMistakes(file.name);
  const read = check(tested ? TEST_SCHEMA : PART_SCHEMA, parsed, mistakes) as unknown;
  const [mistake] = mistakes.list();
  if (mistake) throw refuse(mistake.text);
  const {
    findings,
    check: checked,
    explore: result,
  } = tested ? (read as TestResult) : { findings: [], check: null, explore: read as PartResult };
  const { part, stories } = result;
  const names = namesIn(result).split(", ");
  if (new Set(names).size < names.length) throw refuse(`it contains a story twice: ${names.join(", ")}`);
  const shard = `${part.index}/${part.count}`;
  for (const one of stories) {
    if (one.shard !== shard)
      throw refuse(`its story ${one.story.name} has the shard ${one.shard}, not ${shard}`);
    const lacksAttempts = ({ run, steps }: Finding): boolean =>
      steps.some(({ attempts }) => attempts.some((at) => !run.attempts[at]));
    if (eachFinding(one).some(({ finding }) => lacksAttempts(finding!)))
      throw refuse(`a finding of ${one.story.name} has steps for attempts that it does not have`);
  }
  return { ...result, played: findings.map(playedOf), check: checked };
}

/** The result of a saved finding that another process replayed, without its exploration. */
function playedOf({ name, file, status, reason, finding }: PlayedView): PlayedFinding {
  const of = { name, file, path: file, data: finding, schedule: [], events: undefined };
  return { finding: of, status, words: reason, hint: "", exploration: null };
}

/** @throws SandboxError `bad_request` for parts of different explorations */
function checkSame(one: PartResult & { name: string }, first: PartResult & { name: string }): void {
  const refuse = (what: string, own: unknown, other: unknown): SandboxError =>
    misuse(
      `${one.name} and ${first.name} are not parts of the same exploration: their ${what} differ: ${own}; ${other}.`,
      HINT,
    );
  if (one.part.count !== first.part.count) throw refuse("numbers of parts", one.part.count, first.part.count);
  for (const name of new Set([...Object.keys(first.part.of), ...Object.keys(one.part.of)])) {
    const [own, other] = [one.part.of[name], first.part.of[name]];
    if (own !== other) throw refuse(name, own ?? "none", other ?? "none");
  }
  for (const { story, levels } of one.stories) {
    const other = first.stories.find(({ story: { name } }) => name === story.name);
    if (other && other.levels.length !== levels.length)
      throw refuse(`levels of ${story.name}`, levels.length, other.levels.length);
  }
  const [own, other] = [one, first].map(namesIn);
  if (own !== other) throw refuse("stories", own, other);
}

const namesIn = ({ stories, unplayed }: PartResult): string =>
  [...stories.map(({ story }) => story.name), ...unplayed.map(({ name }) => name)].sort().join(", ");
