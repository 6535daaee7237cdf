import { count, listed } from "../../timeline/text.ts";
import type { CheckReport } from "../check/report.ts";
import { headline } from "../findings/headline.ts";
import type { PlayedFinding } from "../findings/play.ts";
import { comparedIn, mainOf, surveyVerdict } from "../findings/verdict.ts";
import type { OutsideReport } from "../outside/calls.ts";
import type { Survey } from "../schedules/exploration.ts";

/** A trial's result. Each part is present if it was tried. */
export interface Trial {
  played: readonly PlayedFinding[];
  check: CheckReport | null;
  survey: Survey | null;
  /** Why nothing could be explored; null if something was, or if exploring was not requested. */
  problem: { message: string; hint: string } | null;
  /** What a started server did outside this machine; null if no server was started. */
  outside: OutsideReport | null;
  /** Real milliseconds. */
  wallMs: number;
}

/** `unknown` if nothing failed but a question is still open. */
export type Outcome = "failed" | "unknown" | "passed";

export const trialOf = (parts: Partial<Trial>): Trial => ({
  ...{ played: [], check: null, survey: null, problem: null, outside: null },
  wallMs: parts.survey?.wallMs ?? parts.check?.duration_ms ?? 0,
  ...parts,
});

export function outcomeOf({ played, check, survey, problem }: Trial): Outcome {
  const verdict = survey && surveyVerdict(survey);
  if (played.some(({ status }) => status === "failed") || check?.verdict === "fail" || verdict === "found")
    return "failed";
  const isOpen =
    played.some(({ status }) => status === "unknown") ||
    problem !== null ||
    (check !== null && check.unknown_calls.length > 0);
  return isOpen || (verdict !== null && verdict !== "nothing_found") ? "unknown" : "passed";
}

const UNFOUND = {
  nothing_found: "No difference found",
  not_deterministic: "The subscriber is not deterministic",
  inconclusive: "Cannot tell whether there is a difference",
};

/** A trial's worst result: a sentence without its full stop, and the part of the trial with the evidence. */
interface Worst {
  sentence: string;
  in: "check" | "played" | "survey" | undefined;
}

export function worstOf({ played, check, survey, problem }: Trial): Worst {
  const isFailed = check?.verdict === "fail";
  const known = played.find(({ status }) => status === "failed");
  const found = survey ? mainOf(survey)?.finding : null;
  const hazard = check?.hazards.find(({ verdict }) => verdict === "fail" || verdict === "flaky");
  const verdict = survey && surveyVerdict(survey);
  const unplayed = played.find(({ status }) => status === "unknown");
  const candidates: [Worst["in"], string | false | null | undefined][] = [
    // Faults that let anyone in, or prevent a verdict, come first.
    ["check", isFailed && check.finding?.replace(/^It\b/, "Your server")],
    ["played", known?.words],
    ["survey", found && headline(found)],
    ["check", isFailed && hazard && `${hazard.title}: ${hazard.summary}`],
    [undefined, problem?.message],
    ["survey", verdict !== null && verdict !== "nothing_found" && verdict !== "found" && UNFOUND[verdict]],
    ["played", unplayed && `${unplayed.finding.name} cannot be played: ${unplayed.words}`],
    ["survey", survey && UNFOUND.nothing_found],
    ["check", check && `${count(check.counts.pass, "hazard")} passed`],
  ];
  const [where, sentence] = candidates.find(([, text]) => text) ?? [undefined, "Nothing was tried"];
  return { sentence: (sentence as string).replace(/\.$/, ""), in: where };
}

/** The evidence that a trial found no fault, in a sentence. */
export function evidenceOf({ played, check, survey }: Trial): string {
  const levels = survey?.explorations.flatMap((one) => one.levels) ?? [];
  const parts = [
    ...(played.length > 0 ? [`${count(played.length, "saved finding")} no longer found`] : []),
    ...(check ? [`${check.counts.pass} of ${count(check.hazards.length, "hazard")} passed`] : []),
    ...(survey ? [`${count(comparedIn(levels), "schedule")}${comparedStories(survey)} ended correctly`] : []),
  ];
  return `Nothing wrong found: ${listed(parts)}`;
}

/** Names the stories that were compared, unless all were; stories that change nothing are no evidence. */
const comparedStories = ({ explorations, unplayed }: Survey): string =>
  unplayed.length === 0 ? "" : ` of ${listed(explorations.map(({ story }) => story.name))}`;

/** Saved findings that were replayed outside the exploration. */
export const playedAlone = ({ played, survey }: Trial): PlayedFinding[] =>
  played.filter(({ exploration }) => !exploration || !survey?.explorations.includes(exploration));
