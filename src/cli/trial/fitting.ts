import type { Fitting } from "../../trial/fitting/fitted.ts";
import { createFitting, type FittingOptions } from "../../trial/fitting/fitting.ts";
import { SEED } from "../explore/plan.ts";
import { note } from "../output.ts";
import type { SubjectFacts } from "./subject.ts";

/**
 * Prepares to adapt the sender's examples to the rows in the subject's database copy; undefined for events written by a
 * person.
 */
export function fittingFor(
  { events, settings, secret, budget, startAt }: SubjectFacts,
  plan: Pick<FittingOptions, "stories" | "subject" | "timeout" | "signal" | "serve">,
): Fitting | undefined {
  if (events !== undefined) return undefined;
  const { stories, subject, timeout, signal, serve } = plan;
  return createFitting({
    ...{ stories, subject, timeout, signal, secret, budget, serve },
    onFound: (lines) => lines.forEach(note),
    ...{ ignore: [], deviations: 1, seed: SEED, settings: { ...settings, startAt } },
  });
}

/** Like `fittingFor`, for all stories in the sender's file. A check needs this because it does not run stories. */
export async function fittingOfSender(
  facts: SubjectFacts,
  plan: Pick<FittingOptions, "subject" | "timeout" | "signal" | "serve">,
): Promise<Fitting | undefined> {
  if (facts.start === undefined || facts.sender === undefined) return undefined;
  const { chooseStories } = await import("../../trial/stories/sender-story.ts");
  const stories = await chooseStories({ ...facts, stories: [] }, facts.settings, process.cwd());
  return fittingFor(facts, { ...plan, stories });
}
