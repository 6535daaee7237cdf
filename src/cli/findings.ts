import { misuse, SandboxError } from "../errors/errors.ts";
import {
  type AskedFor,
  type FindingFile,
  type FoundFinding,
  findingAt,
  findingFiles,
  readFindings,
} from "../trial/findings/finding-file.ts";
import {
  type Bindings,
  fileRule,
  type PlayedFinding,
  type PlayOptions,
  playFindings,
  unplayed,
} from "../trial/findings/play.ts";
import { isTables } from "../trial/subject/tables.ts";
import { wallNow } from "../world/clock.ts";
import { parseInstant } from "../world/duration.ts";
import { confirmDatabase } from "./confirm-database.ts";
import { openSubject } from "./open-subject.ts";
import { readSubject, type SubjectFacts, type SubjectFlags } from "./subject.ts";

/** What the names in findings stand for here. */
export function bindingsOf({ settings, sender, stories = [], invariant }: SubjectFacts): Bindings {
  const named = sender === undefined || sender === "platform" ? [] : [sender];
  return {
    ...{ settings, cwd: process.cwd(), invariant },
    senders: [...settings.senders, ...named],
    stories: [...stories, ...(settings.subject.stories ?? [])],
  };
}

/** How a finding was asked for, according to its file. */
export const askedFor = ({ tables, invariant, settings }: SubjectFacts): AskedFor => ({
  ...{ tables, at: settings.subject.at },
  invariant: invariant === undefined ? undefined : fileRule(invariant),
});

/**
 * The saved findings with these names and files.
 * @returns them, and the names that are of something else
 * @throws SandboxError `bad_request` for a file that is no finding, or is elsewhere
 */
export async function chooseFindings(
  wanted: readonly string[],
  folder: string,
): Promise<{ findings: FoundFinding[]; others: string[] }> {
  const cwd = process.cwd();
  const files = findingFiles(folder, cwd);
  if (wanted.length === 0) return { findings: await readFindings(files), others: [] };
  const chosen = new Map<string, FindingFile>();
  const others: string[] = [];
  for (const text of wanted) {
    const found = findingAt(text, files, cwd);
    for (const one of found) chosen.set(one.path, one);
    if (found.length === 0 && /\.ya?ml$/i.test(text))
      throw misuse(
        `There is no finding ${text} in ${folder}.`,
        "Findings are read from that folder alone: findings in the configuration names it.",
      );
    if (found.length === 0) others.push(text);
  }
  return { findings: await readFindings([...chosen.values()]), others };
}

/** Findings with the same tables and time are played with one opened server. */
const sameSubject = ({ data }: FoundFinding): string => JSON.stringify([data.tables, data.at]);

/** Plays findings in the server under test that flags and configuration name. */
export async function runFindings(
  findings: readonly FoundFinding[],
  { subscriber, yes, ...flags }: SubjectFlags & { subscriber?: string; yes?: boolean },
  options: Pick<PlayOptions, "serve" | "signal">,
  onPlayed: (played: PlayedFinding) => void,
): Promise<PlayedFinding[]> {
  const all: PlayedFinding[] = [];
  for (const group of Map.groupBy(findings, sameSubject).values()) {
    const { tables, at } = group[0]!.data;
    try {
      const read = await readSubject("run", subscriber, flags);
      const now = wallNow();
      const startAt = at === undefined ? read.startAt : at === "now" ? now : parseInstant(at);
      const facts = { ...read, tables, startAt, atNow: at === "now" };
      if (facts.state !== undefined && isTables(facts.state)) await confirmDatabase(facts.state, yes);
      const { settings, secret, secretFrom, budget, seed, timeout } = facts;
      const subject = await openSubject(facts, timeout ?? settings.payments.webhooks.timeout);
      const plan = {
        ...{ secret, secretFrom, budget, seed, subject },
        ...(timeout !== undefined && { timeout }),
        settings: { ...settings, startAt },
      };
      try {
        all.push(...(await playFindings(group, { ...plan, ...options }, bindingsOf(facts), onPlayed)));
      } finally {
        await subject.close();
      }
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error;
      // Findings that were played have their results.
      for (const finding of group) {
        if (all.some((one) => one.finding === finding)) continue;
        all.push(unplayed(finding, error.message, error.hintFor("command")));
        onPlayed(all.at(-1)!);
      }
    }
  }
  return all;
}
