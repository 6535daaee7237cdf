import type { SurveyOptions } from "../../trial/schedules/options.ts";
import { readShard } from "../trial/run-flags.ts";
import type { SubjectFacts } from "../trial/subject.ts";

/** The plan of an exploration, without its signal and its progress. */
export type ExplorePlan = Omit<SurveyOptions, "signal" | "onProgress" | "crew">;

/** Draws the ids of what is explored: a finding is the same for everybody. */
export const SEED = "explore";

/**
 * The plan of an exploration, with the opened server under test.
 * @throws SandboxError `bad_request`, naming the option and its values; `not_found` for an unknown story
 */
export async function explorePlan(facts: SubjectFacts, shard: string | undefined): Promise<ExplorePlan> {
  const [{ chooseStories }, { openSubject }, { loadInvariant }, { checkPaths }] = await Promise.all([
    import("../../trial/stories/sender-story.ts"),
    import("../trial/open-subject.ts"),
    import("../../trial/schedules/invariant.ts"),
    import("../../trial/subject/state.ts"),
  ]);
  const { settings, startAt, atNow, secret, secretFrom, all, ignore, ordered } = facts;
  const { deviations, budget, isLimited } = facts;
  const cwd = process.cwd();
  checkPaths(ignore, "subject.ignore");
  checkPaths(ordered, "subject.ordered");
  const stories = await chooseStories(facts, settings, cwd, secret);
  const timeout = facts.timeout ?? stories[0]!.by?.sender.policy.timeout ?? settings.webhooks.timeout;
  const invariant = facts.invariant === undefined ? null : await loadInvariant(facts.invariant, cwd);
  return {
    ...{ stories, atNow, secret, secretFrom, all, ignore, ordered },
    ...{ deviations, budget, isLimited, timeout, invariant },
    seed: SEED,
    shard: shard === undefined ? undefined : readShard(shard),
    settings: { ...settings, startAt },
    // The server is opened last, as an error would leave it running.
    subject: await openSubject(facts, timeout, stories[0]?.by?.sender),
  };
}
