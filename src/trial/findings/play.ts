import { basename, extname } from "node:path";
import type { Settings } from "../../config/config.ts";
import { notFound, SandboxError } from "../../errors/errors.ts";
import { isPath } from "../../scenarios/files.ts";
import { type ListedEvent, senderWithEvents, storiesOf } from "../../senders/event-list.ts";
import type { OfSubject } from "../../senders/files.ts";
import { resolveKnown } from "../../webhooks/known.ts";
import { deviationOf } from "../schedules/deviations/index.ts";
import type { Exploration } from "../schedules/exploration.ts";
import { exploreSubscriber } from "../schedules/explore.ts";
import { type Invariant, loadInvariant } from "../schedules/invariant.ts";
import type { ExploreOptions } from "../schedules/options.ts";
import { senderStory } from "../stories/sender-story.ts";
import { namedStory, type Story } from "../stories/stories.ts";
import type { FoundFinding } from "./choose.ts";
import { type AskedFor, ruleName } from "./finding-file.ts";
import { deviationText } from "./finding-schema.ts";
import { headline } from "./headline.ts";
import { verdictOf, verdictWords } from "./verdict.ts";

/** Resolves the names in findings: a finding refers to code and files only by name. */
export interface Bindings {
  settings: Settings;
  cwd: string;
  /** Sender names and files. */
  senders: readonly string[];
  /** Story names and files, in addition to those in the scenarios folder. */
  stories: readonly string[];
  /** The rule's file. */
  invariant: string | undefined;
  /** The sender's API version, and the known values in the user's database to which findings refer. */
  subject?: OfSubject;
}

export interface PlayedFinding {
  finding: FoundFinding;
  /** `failed` while the bug exists; `unknown` if that cannot be determined. */
  status: "passed" | "failed" | "unknown";
  words: string;
  /** How to resolve an unknown status; empty otherwise. */
  hint: string;
  exploration: Exploration | null;
}

/** The options for replaying a finding, which is an exploration with its own budget. */
export type PlayOptions = Omit<
  ExploreOptions,
  "story" | "only" | "deviations" | "invariant" | "ignore" | "ordered" | "shard" | "all" | "timeout"
> & { timeout?: number | undefined };

/** Replays findings one by one. @param onPlayed called after each finding */
export async function playFindings(
  findings: readonly FoundFinding[],
  options: PlayOptions,
  bindings: Bindings,
  onPlayed?: (played: PlayedFinding) => void,
): Promise<PlayedFinding[]> {
  const all: PlayedFinding[] = [];
  for (const finding of findings) {
    all.push(await playFinding(finding, options, bindings));
    onPlayed?.(all.at(-1)!);
  }
  return all;
}

async function playFinding(
  saved: FoundFinding,
  options: PlayOptions,
  bindings: Bindings,
): Promise<PlayedFinding> {
  const { schedule } = saved;
  const { statements, server } = options.subject;
  const inside = statements ? undefined : schedule.find(({ point }) => point);
  const own = server ? undefined : schedule.find(({ kind }) => deviationOf(kind).server);
  const lacking = inside ?? own;
  if (lacking)
    return unplayed(
      saved,
      `${deviationText(lacking)} needs a server that Sandglass starts${inside ? ", with its database as the state" : ""}.`,
      `Pass the command that starts your server with --start, or set subject.start in the configuration${inside ? "; pass its database with --state" : ""}.`,
    );
  try {
    const finding = await withKnown(saved, bindings);
    const { data, schedule } = finding;
    const story = await storyOf(finding, bindings);
    const usual = (story.by?.sender.policy ?? bindings.settings.webhooks).timeout;
    const exploration = await exploreSubscriber({
      ...{ ...options, story, deviations: 1, timeout: options.timeout ?? usual },
      invariant: await invariantOf(finding, bindings),
      ...{ ignore: data.ignored ?? [], ordered: data.ordered, only: { schedule, data } },
    });
    const verdict = verdictOf(exploration);
    const status = verdict === "found" ? "failed" : verdict === "nothing_found" ? "passed" : "unknown";
    const words = status === "failed" ? headline(exploration.finding!) : verdictWords(exploration);
    return { ...{ finding: saved, status, words, exploration }, hint: "" };
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    return unplayed(saved, error.message, error.hintFor("command"));
  }
}

export const unplayed = (finding: FoundFinding, words: string, hint: string): PlayedFinding => ({
  ...{ finding, words, hint },
  status: "unknown",
  exploration: null,
});

/** Replaces known names in a finding with their values. @throws SandboxError `bad_request` for an unknown name */
export async function withKnown(finding: FoundFinding, bindings: Bindings): Promise<FoundFinding> {
  const { data, events, schedule } = finding;
  if (data.sender === undefined) return finding;
  const { sender } = await senderOf(data.sender, [], bindings);
  const values = sender.facts.known;
  return {
    ...finding,
    data: { ...data, ...(data.expect && { expect: resolveKnown(data.expect, values) }) },
    events: resolveKnown(events, values),
    schedule: resolveKnown(schedule, values),
  };
}

/** @throws SandboxError `not_found` for an unknown name */
export async function storyOf({ data, events }: FoundFinding, bindings: Bindings): Promise<Story> {
  const { settings, cwd, stories } = bindings;
  if (data.sender === undefined) return namedStory(data.story, settings, cwd, stories.filter(isPath));
  const { sender, stories: listed } = await senderOf(data.sender, events ?? [], bindings);
  const [story] = events ? listed : storiesOf(sender).filter(({ name }) => name === data.story);
  if (story) return senderStory(sender, data.sender, story);
  throw notFound(
    `${data.sender}'s sender file has no story ${data.story}.`,
    "If its stories have been renamed, delete the finding.",
  );
}

/** @throws SandboxError `not_found`, and like `senderWithEvents` */
async function senderOf(name: string, events: readonly ListedEvent[], { senders, subject }: Bindings) {
  try {
    return await senderWithEvents(name, senders, events, subject);
  } catch (error) {
    if (!(error instanceof SandboxError) || error.code !== "not_found") throw error;
    throw notFound(
      `There is no sender ${name}.`,
      "In the configuration, set subject.sender to its file, or add the file to senders.",
    );
  }
}

async function invariantOf({ data }: FoundFinding, { invariant, cwd }: Bindings): Promise<Invariant | null> {
  if (data.invariant === undefined) return null;
  if (invariant !== undefined && fileRule(invariant) === data.invariant) return loadInvariant(invariant, cwd);
  throw notFound(
    `There is no rule ${data.invariant}.`,
    "In the configuration, set subject.invariant to the file with that name.",
  );
}

/** The name of a module's rule, as used in finding files. */
export const fileRule = (file: string): string => ruleName(basename(file, extname(file)));

/** The scope of an exploration. Findings for other stories, senders or tables do not belong to it. */
export interface Scope extends AskedFor {
  /** The sender; undefined for the platform. */
  sender: string | undefined;
  /** The requested stories; undefined for all. */
  stories: readonly string[] | undefined;
}

/** Whether a finding belongs to an exploration with this scope. */
export function isWithin({ data }: FoundFinding, { sender, stories, tables, at }: Scope): boolean {
  const same = (one: readonly string[] = [], other: readonly string[] = []) =>
    one.toSorted().join("\n") === other.toSorted().join("\n");
  return (
    data.sender === sender &&
    (stories === undefined || stories.includes(data.story)) &&
    same(data.tables, tables) &&
    data.at === at
  );
}
