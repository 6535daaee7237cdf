import type { Finding } from "../exploration.ts";
import { advice, whatHappened } from "./reason.ts";

/** Why a run ends as it does, in sentences. */
export const whyWords = ({ run }: Pick<Finding, "run">): string =>
  run.schedule.length === 0
    ? "Nothing was lost, repeated or reordered: the invariant does not hold when everything goes well."
    : [...whatHappened(run), advice(run)].join(" ");

/** That a schedule goes wrong in some of its runs only; empty if it does in all. */
export const oftenWords = ({ runs, wrong }: Pick<Finding, "runs" | "wrong">): string =>
  wrong < runs ? `In ${wrong} of ${runs} runs of this schedule: what happens at the same time decides.` : "";
