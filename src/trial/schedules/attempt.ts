import type { CourierAttempt } from "../../webhooks/courier.ts";
import { NO_ANSWER, quoteBody, type SendRequest, type SendResult } from "../../webhooks/exchange.ts";
import { wallNow } from "../../world/clock.ts";
import { iso } from "../../world/duration.ts";
import type { StatementPoint } from "../statements/point.ts";
import type { Statement } from "../statements/statements.ts";

/** An attempt in a run: its request, time and result. */
export interface SentAttempt extends CourierAttempt {
  /** Virtual milliseconds. */
  at: number;
  /** The number of the story's pause after the attempt, which is the next time a person can act. */
  pause: number;
  failed: boolean;
  /** The subscriber's response status, even if the response was lost; null if there was no response. */
  status: number | null;
  /**
   * Whether any of the attempt's requests got a 2xx. There may be two, because a restarted platform sends the request
   * again.
   */
  accepted: boolean;
  /** The start of the response body; null if there was no response. */
  answer: string | null;
  /** The last lines that a started server printed during the attempt, if it failed or made no statement; empty otherwise. */
  printed: string;
  /**
   * The result as the platform sees it, phrased as the end of a sentence: `returned 503`. Null for a success or a
   * timeout.
   */
  detail: string | null;
  /** The deviation's name, or null if the attempt has no deviation. */
  deviation: string | null;
  /**
   * The number of the simultaneous attempt that its deviation also involves, or null if it involves no other attempt.
   */
  beside: number | null;
  /** The statement at which the deviation happens, or null if it does not happen at a statement. */
  point: StatementPoint | null;
  /** The handler's statements in order, if statements are observed. */
  statements: Statement[];
  hasEnded: boolean;
  /**
   * Why the statement was not interrupted: either it was not reached, or the process cannot handle a second request in
   * the meantime.
   */
  missed: "not-reached" | "one-process" | null;
  /** How many of the attempt's requests reached the subscriber. */
  arrivals: number;
  /** The numbers of attempts processed at the same time. */
  overlaps: number[];
  calls: number;
  /** Whether the attempt is background traffic, which deviations never affect. */
  background: boolean;
  /** Whether the attempt is signed with two secrets, during a secret rotation. */
  twiceSigned: boolean;
  /** Whether the attempt belongs to the second endpoint with the same URL. */
  second: boolean;
  headers: Record<string, string>;
  body: string;
}

export const begunAttempt = (
  { headers, body }: SendRequest,
  { id, webhookId, eventId, event, attempt, trigger }: CourierAttempt,
  place: Pick<
    SentAttempt,
    "at" | "pause" | "deviation" | "beside" | "point" | "background" | "twiceSigned" | "second"
  >,
): SentAttempt => ({
  ...{ id, webhookId, eventId, event, attempt, trigger },
  ...place,
  ...{ failed: false, status: null, accepted: false, answer: null, printed: "", detail: null },
  ...{ arrivals: 0, overlaps: [], calls: 0, statements: [], missed: null, hasEnded: false },
  ...{ headers, body: body ?? "" },
});

export function noteAnswer(sent: SentAttempt, { responseCode, responseBody }: SendResult): void {
  sent.status = responseCode;
  sent.accepted ||= isOk(responseCode);
  sent.answer = quoteBody(responseBody) ?? null;
}

export const isOk = (status: number | null): boolean => status !== null && status >= 200 && status <= 299;

/** Signs a request with both the new and the old secret. Leaves it unchanged if there is no new secret. */
export function signedBeside(request: SendRequest, newSecret: string | undefined): SendRequest {
  if (newSecret === undefined) return request;
  const makeHeaders = () => request.makeHeaders!(newSecret);
  return { ...request, headers: makeHeaders(), makeHeaders };
}

/** Replaces the time in the platform's headers, which is not signed, with the machine's current time. */
export const withMachineTime = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      name.endsWith("Timestamp") ? iso(wallNow()) : value,
    ]),
  );

/** The result of a request that the schedule loses, or whose response it loses. */
export const LOST: SendResult = {
  ...NO_ANSWER,
  error: "connection_refused",
  detail: "refused the connection: explore dropped the request",
};
export const ANSWER_LOST: SendResult = {
  ...NO_ANSWER,
  error: "connection_reset",
  detail: "closed the connection: explore dropped the response",
};
export const TOO_LATE: SendResult = { ...NO_ANSWER, error: "timeout" };
