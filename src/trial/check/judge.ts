import { formatDuration } from "../../timeline/duration.ts";
import { SECOND } from "../../world/duration.ts";
import type { Answer, Flake, Judgement, Outcome } from "../hazards/hazard.ts";

/** Slower responses may reach the platform's 30 s limit on a busy machine. */
const SLOW_MS = 5 * SECOND;

const TIMED_OUT_FIX =
  "Respond as soon as the event is verified and stored, and do the work afterwards, in a queue.";
const REDIRECT_FIX =
  "Use the final address: the sender follows no redirects. Check http or https, and the trailing slash.";

const RATE_FIX = "Exempt webhooks from the rate limit: a rejected event counts as failed.";

/** Lists response statuses, for example `204` or `401, 400`. */
export function answerWords(answers: readonly Answer[]): string {
  const found = [
    ...new Set(answers.map(({ status, detail }) => (status === null ? detail : String(status)))),
  ];
  return answers.length > 1 && found.length === 1
    ? `${found[0]} to each of ${answers.length}`
    : found.join(", ");
}

/** Whether the subscriber accepted a request. */
export const took = ({ status }: Pick<Answer, "status">): boolean =>
  status !== null && status >= 200 && status <= 299;

/**
 * Whether the subscriber deliberately rejected a request: with 4xx, or with 501, which some servers use for unsupported
 * methods.
 */
export const refused = ({ status }: Answer): boolean =>
  status !== null && ((status >= 400 && status <= 499) || status === 501);

export function sentence({ detail, request }: Answer, { answers }: Pick<Outcome, "answers">): string {
  return answers.length > 1 ? `It ${detail}: ${request.what}.` : `It ${detail}.`;
}

/** Every request must get a complete 2xx response. See docs/fidelity.md, "Webhooks". */
export function mustAccept(outcome: Outcome): Judgement {
  const { answers } = outcome;
  const failed = answers.find(({ error }) => error !== null);
  if (failed === undefined) return { verdict: "pass", summary: `returned ${answerWords(answers)}` };
  const fix = adviceFor(failed);
  return { verdict: "fail", summary: sentence(failed, outcome), ...(fix === undefined ? {} : { fix }) };
}

/** Advice for a failure that probably has little to do with the request. */
export function adviceFor(failed: Answer): string | undefined {
  if (failed.error === "timeout") return TIMED_OUT_FIX;
  if (failed.error === "redirect") return REDIRECT_FIX;
  return isLimited(failed) ? RATE_FIX : undefined;
}

const isLimited = ({ status }: Answer): boolean => status === 429;

/** Every request must be rejected with a 4xx and change nothing. See docs/hazards.md, "Forged requests". */
export function mustRefuse(outcome: Outcome): Judgement {
  const { answers, state } = outcome;
  const taken = answers.filter(took);
  if (taken.length > 0 && state === "same")
    return {
      verdict: "warn",
      summary: `It returned ${answerWords(taken)}, though its state did not change: it ignores forged events, but does not refuse them.`,
      fix: "Respond with 401: otherwise a wrong secret goes unnoticed.",
    };
  if (taken.length > 0) {
    const what = answers.length > 1 ? `: ${taken.map(({ request }) => request.what).join("; ")}` : "";
    return { verdict: "fail", summary: `It returned ${answerWords(taken)}${what}.` };
  }
  if (state === "changed")
    return {
      verdict: "fail",
      summary: `It returned ${answerWords(answers)}, but its state changed: it processes the event before refusing it.`,
      fix: "Verify first, and return immediately if that fails.",
    };
  if (answers.some(isLimited))
    return {
      verdict: "warn",
      summary: "It returned 429, so it is unclear whether it would have refused the event.",
      fix: RATE_FIX,
    };
  const odd = answers.find((answer) => !refused(answer));
  if (odd === undefined) return { verdict: "pass", summary: `returned ${answerWords(answers)}` };
  if (odd.error === "redirect")
    return {
      verdict: "warn",
      summary: sentence(odd, outcome),
      fix: "Refuse with 401: a redirect means that the resource has moved.",
    };
  return {
    verdict: "fail",
    summary: `${sentence(odd, outcome)} It failed instead of refusing.`,
    ...(odd.error === "timeout"
      ? { fix: "Refuse immediately with 401: a forged request must not hold a connection open." }
      : {}),
  };
}

/** What a 2xx response alone does not prove. */
export const ONLY_ANSWER =
  "Only the response was seen: a handler that catches its own exceptions responds with 2xx and does nothing.";

/**
 * Like `mustAccept`, for events similar to the first one. If the state reflected the first event, it must reflect
 * these, too.
 */
export function mustHandle(outcome: Outcome): Judgement {
  const answered = mustAccept(outcome);
  if (answered.verdict !== "pass") return answered;
  const { state, answers } = outcome;
  if (state === "changed") return { ...answered, summary: `${answered.summary}; its state changed` };
  if (state !== "same") return { ...answered, note: ONLY_ANSWER };
  return unseen(
    { ...answered, summary: `${answered.summary}, but did nothing visible` },
    `The state did not change. Check in your own data whether ${answers[0]!.request.subject} was handled.`,
  );
}

/** A hazard that passes only on the second try is inconclusive: the subscriber fails at random. */
export function steady(judged: Judgement, [flake]: readonly Flake[]): Judgement {
  if (flake === undefined || judged.verdict === "fail") return judged;
  const { first, second } = flake;
  return {
    verdict: "flaky",
    summary: `Flaky: it ${first.detail}, and ${second.detail} to another request of the same kind.`,
    fix: "Look in your server's log for why the first one failed. It failed at random, regardless of the request: suspect timeouts, connection limits, and handlers that block each other.",
  };
}

/**
 * Like `mustAccept`, for repeated events. The state shows whether they were handled again.
 * @param times the number of repeated events
 */
export function mustHandleOnce(outcome: Outcome, times = 1): Judgement {
  const answered = mustAccept(outcome);
  if (answered.verdict !== "pass") return answered;
  const { state } = outcome;
  if (state === "twice")
    return {
      verdict: "fail",
      summary: `${answered.summary}, but its state shows that the event was handled twice.`,
    };
  if (state === "once")
    return {
      ...answered,
      summary: `${answered.summary}; its state shows that ${times === 1 ? "it" : `each of ${times} events`} was handled once`,
    };
  return unseen(
    answered,
    `Only the response is visible. Check in your own data whether ${outcome.answers.at(-1)!.request.subject} was handled once, or pass a state URL.`,
  );
}

/** The responses were right but do not show what matters. */
export const unseen = (answered: Judgement, note: string): Judgement => ({
  ...answered,
  verdict: "unknown",
  note,
});

/** Judges how long the accepted events took. @param slow responses that take longer are slow, in milliseconds */
export function mustBeQuick({ accepted }: Outcome, slow = SLOW_MS): Judgement {
  const slowest = accepted.reduce<Answer | undefined>(
    (worst, answer) => (worst === undefined || answer.durationMs > worst.durationMs ? answer : worst),
    undefined,
  );
  if (slowest === undefined)
    return { verdict: "skipped", summary: "No event was accepted, so there is nothing to time." };
  const { durationMs, request, error } = slowest;
  const events = accepted.length === 1 ? "the one event" : `${accepted.length} events`;
  const summary = `The slowest response to ${events} took ${formatDuration(durationMs)}`;
  if (error === "timeout")
    return { verdict: "fail", summary: `${summary}, and then timed out: ${request.what}.` };
  if (durationMs > slow) return { verdict: "warn", summary: `${summary}: ${request.what}.` };
  return { verdict: "pass", summary };
}
