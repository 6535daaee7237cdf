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
  /** The story's pause after the attempt: the next moment at which a person can act. */
  pause: number;
  failed: boolean;
  /** The subscriber's answer, even if it was lost; null without one. */
  status: number | null;
  /** Whether it answered 2xx to any of the attempt's requests: a restarted platform sends a request twice. */
  accepted: boolean;
  /** The start of the response body; null without one. */
  answer: string | null;
  /** The last lines that a started server printed meanwhile, if it failed or made no statement; empty otherwise. */
  printed: string;
  /** The result seen by the platform, as the end of a sentence: `answered 503`; null for a success and a time-out. */
  detail: string | null;
  /** The deviation's name; null for none. */
  deviation: string | null;
  /** The number of the attempt of the same instant that it meets by its deviation; null for none. */
  beside: number | null;
  /** The statement at which the deviation happens; null for none. */
  point: StatementPoint | null;
  /** The statements that its handler made, in order, if statements are observed. */
  statements: Statement[];
  hasEnded: boolean;
  /** Why the statement was not interrupted: not reached, or the process handles no second request meanwhile. */
  missed: "not-reached" | "one-process" | null;
  /** How many of its requests arrived at the subscriber. */
  arrivals: number;
  /** The numbers of the attempts that were processed at the same time. */
  overlaps: number[];
  calls: number;
  /** Whether it is background traffic of the story, which no deviation affects. */
  background: boolean;
  /** Whether it is signed with two secrets, because one is being replaced. */
  twiceSigned: boolean;
  /** Whether it belongs to the second endpoint with the same URL. */
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

/** A request with the signatures of the new secret and the old one; unchanged without a new secret. */
export function signedBeside(request: SendRequest, newSecret: string | undefined): SendRequest {
  if (newSecret === undefined) return request;
  const makeHeaders = () => request.makeHeaders!(newSecret);
  return { ...request, headers: makeHeaders(), makeHeaders };
}

/** The platform's headers with the machine's time, which is not signed. */
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
/** The result of requests that the schedule loses, or whose answers it loses. */
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
