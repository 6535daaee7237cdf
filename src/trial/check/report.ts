import type { CheckExchange, CheckHazard, CheckResult } from "../../library/check.ts";
import { clip } from "../../timeline/text.ts";
import { type Answer, type Hazard, type Judgement, VERDICTS } from "../hazards/hazard.ts";
import { assumedFor } from "../hazards/index.ts";
import type { Terms } from "./terms.ts";

export type { CheckExchange as ExchangeReport, CheckHazard as HazardResult, CheckResult as CheckReport };

const SHOWN_CHARACTERS = 2_000;

export const hazardResult = (
  hazard: Hazard,
  { verdict, summary, note, fix = hazard.fix }: Judgement,
  terms: Terms,
  answers: readonly Answer[] = [],
  durationMs = 0,
): CheckHazard => ({
  ...{ name: hazard.name, title: hazard.title, verdict, summary, why: hazard.why, fix },
  note: note ?? null,
  assumed: assumedFor(hazard, terms),
  exchanges: answers.map(exchangeReport),
  duration_ms: durationMs,
});

function exchangeReport({ request, status, error, detail, body, durationMs }: Answer): CheckExchange {
  const { what, method, headers, body: sent } = request;
  return {
    sent: {
      what,
      method,
      headers,
      body: sent === null ? null : clip(sent, SHOWN_CHARACTERS),
      body_bytes: Buffer.byteLength(sent ?? ""),
    },
    came_back: { status, error, detail, body: clip(body, SHOWN_CHARACTERS), duration_ms: durationMs },
  };
}

/** The report of hazards. @param facts what was checked */
export function checkReport(
  hazards: CheckHazard[],
  facts: Omit<CheckResult, "verdict" | "finding" | "counts" | "hazards">,
): CheckResult {
  const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as CheckResult["counts"];
  for (const { verdict } of hazards) counts[verdict] += 1;
  const verdict = counts.fail + counts.flaky > 0 ? "fail" : counts.unknown > 0 ? "unknown" : "pass";
  return { ...facts, verdict, finding: findingOf(hazards), counts, hazards };
}

/** The most important result: that nothing works, or that nothing is verified. */
function findingOf(results: readonly CheckHazard[]): string | null {
  const failed = (name: string) => results.some((it) => it.name === name && it.verdict === "fail");
  const took = (name: string) =>
    failed(name) &&
    results
      .find((it) => it.name === name)!
      .exchanges.some(({ came_back: { status } }) => status !== null && status >= 200 && status <= 299);
  if (failed("valid-event") && results.slice(1).some(({ verdict }) => verdict !== "skipped"))
    return "It refuses a second valid event, so some of the answers prove nothing. Start there.";
  if (failed("valid-event"))
    return "It does not accept a valid event, so nothing else could be checked. Start there.";
  if (took("wrong-signature") || took("missing-signature"))
    return "It accepts events without a valid signature. Unless it ignores them, anyone who knows its address can mark an order as paid.";
  if (results.some(({ verdict }) => verdict === "flaky"))
    return "It is flaky: it fails at random, so other failures may be random, too. Start there.";
  return null;
}

/** The hazards that were left out, in a sentence for each reason. */
export function leftOutWords({ left_out: all, sender }: Pick<CheckResult, "left_out" | "sender">): string {
  const reasons = new Map<string, string[]>();
  for (const { name, reason } of all) reasons.set(reason, [...(reasons.get(reason) ?? []), name]);
  const parts = [...reasons].map(([reason, names]) => `${names.join(", ")} (${reason})`);
  return `Left out for ${sender === "platform" ? "the platform" : sender}: ${parts.join("; ")}.`;
}

/** Names the unpublished facts of the sender on which a verdict depends, in a sentence; empty without any. */
export const assumedWords = ({ assumed }: Pick<CheckHazard, "assumed">): string =>
  assumed.length === 0 ? "" : `It rests on what the sender does not publish: ${assumed.join(", ")}.`;
