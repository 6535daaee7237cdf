import type { CourierAttempt } from "../../webhooks/courier.ts";
import { quoteBody, type SendRequest, type SendResult } from "../../webhooks/exchange.ts";
import { wallNow } from "../../world/clock.ts";
import { iso } from "../../world/duration.ts";
import type { StatementPoint } from "../statements/point.ts";
import type { Statement } from "../statements/statements.ts";

/** An attempt of a run: its request, its time and its result. */
export interface SentAttempt extends CourierAttempt {
  /** Virtual milliseconds. */
  at: number;
  /** The pause of the story that follows it: the next moment at which a person can act. */
  pause: number;
  failed: boolean;
  /** The subscriber's answer, even if it was lost; null without one. */
  status: number | null;
  /** Whether it answered 2xx to any of its requests: a restarted platform sends one twice. */
  accepted: boolean;
  /** The start of the body of a refusal. */
  answer: string | null;
  /** What the platform saw, as the end of a sentence: `answered 503`; null for a success and a time-out. */
  detail: string | null;
  /** Its name; null for none. */
  deviation: string | null;
  /** The statement of the deviation, if it has one. */
  point: StatementPoint | null;
  /** The statements that it made at its database, in order, if they are seen. */
  statements: Statement[];
  /** Whether its server ended by itself then. */
  hasEnded: boolean;
  /** Why the point had no effect: it was not reached, or one process handles no second request meanwhile. */
  missed: "not-reached" | "one-process" | null;
  /** How many requests arrived at the subscriber for it. */
  arrivals: number;
  /** The attempts, by their numbers, that were processed at the same time. */
  overlaps: number[];
  /** How often the subscriber called the platform's API while it handled it. */
  calls: number;
  /** Whether it is background traffic of the story: no deviation meets it. */
  background: boolean;
  /** Whether it is signed with two secrets, as one is being replaced. */
  twiceSigned: boolean;
  /** Whether it belongs to the second endpoint with the same URL. */
  second: boolean;
  headers: Record<string, string>;
  body: string;
}

/** An attempt that has just begun. */
export const begunAttempt = (
  { headers, body }: SendRequest,
  { id, webhookId, eventId, event, attempt, trigger }: CourierAttempt,
  place: Pick<SentAttempt, "at" | "pause" | "deviation" | "point" | "background" | "twiceSigned" | "second">,
): SentAttempt => ({
  ...{ id, webhookId, eventId, event, attempt, trigger },
  ...place,
  ...{
    failed: false,
    status: null,
    accepted: false,
    answer: null,
    detail: null,
    arrivals: 0,
    overlaps: [],
    calls: 0,
    statements: [],
    missed: null,
    hasEnded: false,
  },
  ...{ headers, body: body ?? "" },
});

/** Records the subscriber's answer to a request of an attempt. */
export function noteAnswer(sent: SentAttempt, { responseCode, responseBody }: SendResult): void {
  sent.status = responseCode;
  sent.accepted ||= isOk(responseCode);
  sent.answer = isOk(responseCode) ? null : (quoteBody(responseBody) ?? null);
}

export const isOk = (status: number | null): boolean => status !== null && status >= 200 && status <= 299;

/** A request with the signatures of a new secret and then the old one; unchanged without a new one. */
export function signedBeside(request: SendRequest, newSecret: string | undefined): SendRequest {
  if (newSecret === undefined) return request;
  const makeHeaders = () => request.makeHeaders!(newSecret);
  return { ...request, headers: makeHeaders(), makeHeaders };
}

/** The headers of the platform with the machine's time, which is not signed. */
export const withMachineTime = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      name.endsWith("Timestamp") ? iso(wallNow()) : value,
    ]),
  );

const NOTHING = {
  responseCode: null,
  responseHeaders: null,
  responseBody: null,
  responseSize: null,
  durationMs: 0,
};
/** The results of requests that the schedule loses, or whose answers it loses. */
export const LOST: SendResult = {
  ...NOTHING,
  error: "connection_refused",
  detail: "refused the connection: explore lost the request",
};
export const ANSWER_LOST: SendResult = {
  ...NOTHING,
  error: "connection_reset",
  detail: "closed the connection: explore lost the answer",
};
export const TOO_LATE: SendResult = { ...NOTHING, error: "timeout", detail: null };
