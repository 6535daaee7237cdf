import type { Courier, CourierAttempt } from "../payments/webhooks/courier.ts";
import type { SendRequest, SendResult } from "../payments/webhooks/exchange.ts";
import type { DeviationKind } from "./schedule.ts";

/** An attempt of a run: what was sent, when, and how it ended. */
export interface SentAttempt extends CourierAttempt {
  /** Virtual milliseconds. */
  at: number;
  pause: number;
  failed: boolean;
  /** What the subscriber answered; null if it answered nothing, or the answer was lost. */
  status: number | null;
  deviation: DeviationKind | undefined;
  /** How many requests arrived at the subscriber for it. */
  arrivals: number;
  headers: Record<string, string>;
  body: string;
}

const NOTHING = {
  responseCode: null,
  responseHeaders: null,
  responseBody: null,
  responseSize: null,
  durationMs: 0,
};
const LOST: SendResult = {
  ...NOTHING,
  error: "connection_refused",
  detail: "refused the connection: explore lost the request",
};
const ANSWER_LOST: SendResult = {
  ...NOTHING,
  error: "connection_reset",
  detail: "closed the connection: explore lost the answer",
};
const TOO_LATE: SendResult = { ...NOTHING, error: "timeout", detail: null };

export interface CourierOptions {
  now: () => number;
  /** What is to happen to an attempt, by its number. */
  deviationOf: (at: number) => DeviationKind | undefined;
}

/**
 * Carries the requests of a run one after another, so that two runs of one schedule are alike, and does on the way what
 * the schedule says. What is sent, and what follows from an answer, is up to the platform as always.
 */
export function createCourier() {
  let attempts: SentAttempt[] = [];
  let options: CourierOptions | undefined;
  let pause = 0;
  /** Settles when the next request may start. */
  let turn: Promise<unknown> = Promise.resolve();
  let flying = new Set<Promise<unknown>>();

  /** The platform's sender, with this in front of it. */
  const wrap =
    (transmit: (request: SendRequest) => { result: Promise<SendResult>; hurry(ms: number): void }): Courier =>
    (request, attempt) => {
      const deviation = options?.deviationOf(attempts.length);
      const sent: SentAttempt = {
        ...attempt,
        at: options?.now() ?? 0,
        pause,
        failed: false,
        status: null,
        deviation,
        arrivals: 0,
        headers: request.headers,
        body: request.body ?? "",
      };
      attempts.push(sent);
      let current: { hurry(ms: number): void } | undefined;
      const arrive = async (): Promise<SendResult> => {
        sent.arrivals += 1;
        const sending = transmit(request);
        current = sending;
        flying.add(sending.result);
        const result = await sending.result;
        sent.status = result.responseCode;
        return result;
      };
      const before = turn;
      const started = before.then(() => undefined);
      const result = started.then(async () => {
        if (deviation === "lost" || deviation === "outage") return LOST;
        const first = arrive();
        if (deviation === "slow") return TOO_LATE;
        if (deviation === "resend") await first;
        else if (deviation === "answer-lost") return first.then(() => ANSWER_LOST);
        return deviation === "resend" ? arrive() : first;
      });
      const judged = result.then((ended) => {
        sent.failed = ended.error !== null;
        return ended;
      });
      turn = deviation === "overlap" ? started : judged;
      return { result: judged, hurry: (ms) => current?.hurry(ms) };
    };

  return {
    wrap,
    /** Begins a run. */
    begin(next: CourierOptions): void {
      attempts = [];
      pause = 0;
      turn = Promise.resolve();
      flying = new Set();
      options = next;
    },
    /** A person has time to do something now. */
    pauseNow(): void {
      pause += 1;
    },
    get attempts(): readonly SentAttempt[] {
      return attempts;
    },
    /** Resolves once every request has its answer, those included whose answers came too late. */
    async settle(): Promise<void> {
      await Promise.allSettled(flying);
    },
  };
}

export type ExploreCourier = ReturnType<typeof createCourier>;
