import { type EndpointState, NEW_ENDPOINT } from "../../timeline/endpoint-state.ts";
import { type Ending, explain, failureSentence, judge, unanswered } from "../../webhooks/failures.ts";
import { DEFAULT_POLICY, decide } from "../../webhooks/policy.ts";
import type { DeliveryRow, PlanRow } from "../../webhooks/rows.ts";
import type { Draws } from "../../world/draws.ts";
import type { EventType } from "../webhooks/event-types.ts";

/** A past webhook event; `data` is JSON text. */
export interface SeededEvent {
  id: string;
  type: EventType;
  at: number;
  data: string;
}

/** How a subscriber responds to an attempt, and after how many milliseconds. */
type Answer = Pick<DeliveryRow, "error" | "error_detail" | "response_code" | "response_body"> & {
  takes: [least: number, most: number];
};

const { retryDelays, timeout } = DEFAULT_POLICY;
const answer = ({ error, detail }: Ending, takes: Answer["takes"], response?: [number, string]): Answer => ({
  error,
  error_detail: error && failureSentence(error, detail ?? ""),
  response_code: response ? response[0] : null,
  response_body: response ? Buffer.from(response[1]) : null,
  takes,
});
const ANSWERS = {
  received: answer(judge(200), [5, 640], [200, '{"received":true}']),
  500: answer(judge(500), [240, 2_600], [500, '{"message":"Posting failed: the period is closed"}']),
  502: answer(judge(502), [60, 420], [502, '{"message":"Bad gateway"}']),
  503: answer(judge(503), [3, 40], [503, '{"received":false}']),
  timeout: answer({ error: "timeout", detail: unanswered(null, timeout) }, [timeout, timeout]),
  refused: answer(explain(Object.assign(new Error(), { code: "ECONNREFUSED" })), [1, 34]),
};
export type AnswerKind = keyof typeof ANSWERS;

export interface PastAttempt {
  event: SeededEvent;
  answer: Answer;
  row: Pick<DeliveryRow, "attempt" | "started_at" | "duration_ms" | "consecutive_failures"> & {
    ended_at: number;
  };
}

interface Past {
  /** The attempts in the order in which they ended. */
  attempts: PastAttempt[];
  plans: Map<SeededEvent, Pick<PlanRow, "state" | "reason" | "attempts" | "updated_at">>;
  endpoint: EndpointState;
  disabledBy: PastAttempt | undefined;
}

/** An event's attempts up to the first success, assuming that its endpoint stays enabled. */
function attemptsOf(draws: Draws, event: SeededEvent, kinds: readonly AnswerKind[]): PastAttempt[] {
  const attempts: PastAttempt[] = [];
  let started_at = event.at;
  for (const [index, delay] of [...retryDelays, 0].entries()) {
    const answer = ANSWERS[kinds[index] ?? "received"];
    const duration_ms = draws.between(...answer.takes);
    const ended_at = started_at + duration_ms;
    const row = { attempt: index + 1, started_at, ended_at, duration_ms, consecutive_failures: 0 };
    attempts.push({ event, answer, row });
    if (answer.error === null) break;
    started_at = ended_at + delay;
  }
  return attempts;
}

/**
 * Simulates deliveries to an endpoint under the platform's own policy. Once it is disabled, retries are skipped and
 * later events are dropped.
 * @param reply returns the subscriber's responses to an event's attempts, up to the first success
 */
export function playDeliveries(
  draws: Draws,
  events: readonly SeededEvent[],
  reply: (event: SeededEvent) => readonly AnswerKind[],
): Past {
  const past: Past = { attempts: [], plans: new Map(), endpoint: NEW_ENDPOINT, disabledBy: undefined };
  const planned = events.flatMap((event) => attemptsOf(draws, event, reply(event)));
  for (const attempt of planned.sort((a, b) => a.row.ended_at - b.row.ended_at)) {
    const { event, answer, row } = attempt;
    if (past.disabledBy && row.started_at >= past.disabledBy.row.ended_at) continue;
    const effects = decide(DEFAULT_POLICY, past.endpoint, {
      trigger: "automatic",
      ok: answer.error === null,
      endedAt: row.ended_at,
      plan: { state: "active", attempts: row.attempt },
    });
    past.endpoint = effects.endpoint;
    row.consecutive_failures = effects.endpoint.consecutiveFailures;
    if (effects.disable) past.disabledBy = attempt;
    past.attempts.push(attempt);
    past.plans.set(event, {
      state: effects.plan,
      reason: effects.planReason ?? null,
      attempts: row.attempt,
      updated_at: row.ended_at,
    });
  }
  const skipped = { state: "skipped", reason: "endpoint_disabled" } as const;
  for (const plan of past.plans.values())
    if (past.disabledBy && plan.state === "active")
      Object.assign(plan, skipped, { updated_at: past.disabledBy.row.ended_at });
  return past;
}
