import { SandboxError } from "../../errors/errors.ts";
import type { FoundFinding } from "../../trial/findings/choose.ts";
import type { AskedFor } from "../../trial/findings/finding-file.ts";
import {
  type Bindings,
  fileRule,
  type PlayedFinding,
  type PlayOptions,
  playFindings,
  unplayed,
} from "../../trial/findings/play.ts";
import { wallNow } from "../../world/clock.ts";
import { parseInstant } from "../../world/duration.ts";
import { SEED } from "../explore/plan.ts";
import { confirmDatabase } from "./confirm-database.ts";
import { fittingOfSender } from "./fitting.ts";
import { openSubject } from "./open-subject.ts";
import { noteOutside } from "./outside-note.ts";
import { readSubject, type SubjectFacts, type SubjectFlags } from "./subject.ts";

/** The files and values on this machine that the names in findings stand for. */
export function bindingsOf({
  settings,
  sender,
  stories = [],
  invariant,
  known,
  version,
  routes,
}: SubjectFacts): Bindings {
  const named = sender === undefined || sender === "platform" ? [] : [sender];
  return {
    ...{ settings, cwd: process.cwd(), invariant, subject: { known, version, routes } },
    senders: [...settings.senders, ...named],
    stories: [...stories, ...(settings.subject.stories ?? [])],
  };
}

/** Converts an exploration's options to the format of a finding's file. */
export const askedFor = ({ tables, invariant, settings }: SubjectFacts): AskedFor => ({
  ...{ tables, at: settings.subject.at },
  invariant: invariant === undefined ? undefined : fileRule(invariant),
});

/**
 * Findings with the same key can be replayed against the same server under test: they have the same tables and start
 * time.
 */
const sameSubject = ({ data }: FoundFinding): string => JSON.stringify([data.tables, data.at]);

/** Replays findings against the server under test that the flags and the configuration describe. */
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
      const atNow = at === "now";
      const facts = { ...read, tables, startAt, atNow };
      await confirmDatabase(facts, yes);
      const { settings, secret, secretFrom, budget, timeout } = facts;
      const limit = timeout ?? settings.webhooks.timeout;
      const subject = await openSubject(facts, limit);
      const sender = facts.sender ?? group.find(({ data }) => data.sender)?.data.sender;
      const plan = {
        ...{ secret, secretFrom, budget, subject, atNow, seed: SEED },
        ...(timeout !== undefined && { timeout }),
        settings: { ...settings, startAt },
      };
      try {
        const parts = { subject, timeout: limit, ...options };
        // A finding whose sender is unknown says so itself.
        const fitting = await fittingOfSender({ ...facts, sender }, parts).catch(() => undefined);
        const playing = { ...plan, ...options, fitting };
        all.push(...(await playFindings(group, playing, bindingsOf(facts), onPlayed)));
      } finally {
        noteOutside(subject);
        await subject.close();
      }
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error;
      // Findings that have already been replayed keep their results.
      for (const finding of group) {
        if (all.some((one) => one.finding === finding)) continue;
        all.push(unplayed(finding, error.message, error.hintFor("command")));
        onPlayed(all.at(-1)!);
      }
    }
  }
  return all;
}
