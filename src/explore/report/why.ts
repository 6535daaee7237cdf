import type { Finding } from "../exploration.ts";

/** That a schedule goes wrong in some of its runs only; empty if it does in all. */
export const oftenWords = ({ runs, wrong }: Pick<Finding, "runs" | "wrong">): string =>
  wrong < runs ? `In ${wrong} of ${runs} runs of this schedule: what happens at the same time decides.` : "";
