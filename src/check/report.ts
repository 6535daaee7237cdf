import { clip } from "../story/text.ts";
import { type Answer, type Hazard, type Judgement, VERDICTS, type Verdict } from "./hazard.ts";

/** One hazard and its result. Names are those of `--json`. */
export interface HazardResult {
  name: string;
  title: string;
  verdict: Verdict;
  /** What was found. */
  summary: string;
  /** What cannot be seen from outside, and how to see it; null where there is nothing of the kind. */
  note: string | null;
  why: string;
  fix: string;
  /** What was sent and what came back, in order. */
  exchanges: ExchangeReport[];
  /** Real time, milliseconds. */
  duration_ms: number;
}

export interface ExchangeReport {
  sent: {
    what: string;
    method: string;
    headers: Record<string, string>;
    /** The start of the body; null when there was none. */
    body: string | null;
    body_bytes: number;
  };
  came_back: {
    status: number | null;
    /** Why the platform would count it as failed; null for a complete 2xx answer. */
    error: string | null;
    detail: string;
    /** The start of the answer's body. */
    body: string;
    duration_ms: number;
  };
}

export interface CheckReport {
  url: string;
  /** `fail` when a hazard failed or was flaky; else `unknown` when what matters was not visible. Warnings do not count. */
  verdict: "pass" | "unknown" | "fail";
  /** The one thing to know first; null if nothing failed. */
  finding: string | null;
  /** With `at` it makes the same requests again. */
  seed: string;
  /** When the events of the run happen, ISO 8601. */
  at: string;
  event: string;
  header_prefix: string;
  timeout_ms: number;
  state_url: string | null;
  counts: Record<Verdict, number>;
  hazards: HazardResult[];
  duration_ms: number;
}

const SHOWN_CHARACTERS = 2_000;

export function hazardResult(
  { name, title, why, fix }: Hazard,
  judged: Judgement,
  answers: readonly Answer[],
  durationMs: number,
): HazardResult {
  return {
    name,
    title,
    verdict: judged.verdict,
    summary: judged.summary,
    note: judged.note ?? null,
    why,
    fix: judged.fix ?? fix,
    exchanges: answers.map(exchangeReport),
    duration_ms: durationMs,
  };
}

function exchangeReport({ request, status, error, detail, body, durationMs }: Answer): ExchangeReport {
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

export function countVerdicts(results: readonly HazardResult[]): Record<Verdict, number> {
  const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as Record<Verdict, number>;
  for (const { verdict } of results) counts[verdict] += 1;
  return counts;
}

export function overallVerdict(results: readonly HazardResult[]): CheckReport["verdict"] {
  const { fail, flaky, unknown } = countVerdicts(results);
  return fail + flaky > 0 ? "fail" : unknown > 0 ? "unknown" : "pass";
}

/** The one thing to know first: that nothing works, or that nothing is checked. */
export function findingOf(results: readonly HazardResult[]): string | null {
  const failed = (name: string) => results.some((it) => it.name === name && it.verdict === "fail");
  const took = (name: string) =>
    failed(name) &&
    results
      .find((it) => it.name === name)!
      .exchanges.some(({ came_back: { status } }) => status !== null && status >= 200 && status <= 299);
  if (failed("valid-event"))
    return "It does not accept a valid event, so nothing else could be checked. Start there.";
  if (took("wrong-signature") || took("missing-signature"))
    return "It accepts events without a valid signature. Unless it ignores them, anyone who knows its address can mark an order as paid.";
  if (results.some(({ verdict }) => verdict === "flaky"))
    return "It is flaky: it fails at random, so other failures may be random, too. Start there.";
  return null;
}
