import type { SurveyOptions } from "../../trial/schedules/options.ts";
import { readShard } from "../trial/run-flags.ts";
import type { SubjectFacts } from "../trial/subject.ts";

/** An exploration's plan, without its signal and progress callback. */
export type ExplorePlan = Omit<SurveyOptions, "signal" | "onProgress" | "crew">;

/** The fixed seed for ids. With it, everybody gets the same findings. */
export const SEED = "explore";

/**
 * Plans an exploration, and opens the server under test.
 * @throws SandboxError `bad_request` with the option and its valid values; `not_found` for an unknown story
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
    // Open the server last, because an error after that would leave it running.
    subject: await openSubject(facts, timeout, stories[0]?.by?.sender),
  };
}
