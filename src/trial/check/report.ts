import type { CheckExchange, CheckHazard, CheckResult } from "../../library/check.ts";
import { clip, count } from "../../timeline/text.ts";
import { type Answer, type Hazard, type Judgement, VERDICTS, type Verdict } from "../hazards/hazard.ts";
import { assumedFor } from "../hazards/index.ts";
import { adviceFor, took } from "./judge.ts";
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

/** Adjusts the valid event's result after a later one was rejected. @param after the number of events accepted before that */
export function withLaterRefusal(
  result: CheckHazard,
  { after, refusal, hazard }: { after: number; refusal: Answer; hazard: string },
): CheckHazard {
  const { status, detail, body } = refusal;
  const what =
    status === null
      ? `a valid one failed: it ${detail}`
      : `it responds with ${status} to valid ones${quoted(body)}`;
  return {
    ...result,
    ...{ verdict: "fail", note: null, fix: adviceFor(refusal) ?? result.fix },
    summary: `After ${count(after, "event")}, ${what}. That began in ${hazard}.`,
    exchanges: [...result.exchanges, exchangeReport(refusal)],
  };
}

const quoted = (body: string): string => (body.trim() === "" ? "" : `: ${clip(body.trim(), 200)}`);

const WORST = ["fail", "flaky", "warn", "unknown", "skipped", "pass"] as const satisfies Verdict[];

/** The worst judgement of several tries, which is the one that counts. */
export const worstOf = (all: readonly Judgement[]): Judgement =>
  WORST.flatMap((verdict) => all.find((one) => one.verdict === verdict) ?? [])[0]!;

function exchangeReport({
  request,
  status,
  error,
  detail,
  body,
  printed,
  durationMs,
}: Answer): CheckExchange {
  const { what, method, headers, body: sent } = request;
  return {
    sent: {
      what,
      method,
      headers,
      body: sent === null ? null : clip(sent, SHOWN_CHARACTERS),
      body_bytes: Buffer.byteLength(sent ?? ""),
    },
    came_back: {
      status,
      error,
      detail,
      body: clip(body, SHOWN_CHARACTERS),
      printed,
      duration_ms: durationMs,
    },
  };
}

type Told = Pick<Terms, "sells" | "types"> & { isIdle: boolean };

/**
 * Builds a check's report.
 * @param facts what was checked
 * @param told the sender's terms, and whether every event left the state unchanged
 */
export function checkReport(
  hazards: CheckHazard[],
  facts: Omit<CheckResult, "verdict" | "finding" | "counts" | "hazards">,
  told: Told,
): CheckResult {
  const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as CheckResult["counts"];
  for (const { verdict } of hazards) counts[verdict] += 1;
  const verdict = counts.fail + counts.flaky > 0 ? "fail" : counts.unknown > 0 ? "unknown" : "pass";
  return { ...facts, verdict, finding: findingOf(hazards, told), counts, hazards };
}

/** The most important finding: that nothing works, or that signatures are not verified. */
function findingOf(results: readonly CheckHazard[], { sells, types, isIdle }: Told): string | null {
  const failed = (name: string) => results.some((it) => it.name === name && it.verdict === "fail");
  const accepts = (name: string) =>
    failed(name) &&
    results
      .find((it) => it.name === name)!
      .exchanges.some(({ sent, came_back }) => sent.body_bytes > 0 && took(came_back));
  const [{ summary }, ...others] = results as [CheckHazard, ...CheckHazard[]];
  if (failed("valid-event") && others.every(({ verdict }) => verdict === "skipped"))
    return `${summary} Nothing else could be checked.`;
  const isOpen = accepts("wrong-signature") || accepts("missing-signature");
  const harm = sells ? "mark an order as paid" : `make up events, such as ${types[0]}`;
  const open = `Your server accepts events without a valid signature. Unless it ignores them, anyone who knows its address can ${harm}.`;
  if (isIdle) return isOpen ? `${summary} ${open}` : summary;
  if (isOpen) return open;
  if (failed("valid-event"))
    return `It accepts valid events only at first${others.some(({ verdict }) => verdict === "skipped") ? ", so some of the responses prove nothing" : ""}. Start there.`;
  if (results.some(({ verdict }) => verdict === "flaky"))
    return "Your server is flaky: it fails at random, so other failures may be random, too. Start there.";
  return null;
}

/** Lists the skipped hazards, with one sentence per reason. */
export function leftOutWords({ left_out: all, sender }: Pick<CheckResult, "left_out" | "sender">): string {
  const reasons = new Map<string, string[]>();
  for (const { name, reason } of all) reasons.set(reason, [...(reasons.get(reason) ?? []), name]);
  const parts = [...reasons].map(([reason, names]) => `${names.join(", ")} (${reason})`);
  return `Skipped for ${sender === "platform" ? "the platform" : sender}: ${parts.join("; ")}.`;
}

/** Lists the sender's unpublished facts on which a verdict depends, in a sentence; empty if there are none. */
export const assumedWords = ({ assumed }: Pick<CheckHazard, "assumed">): string =>
  assumed.length === 0
    ? ""
    : `This hazard relies on facts that the sender does not publish: ${assumed.join(", ")}.`;
