import { isCall } from "../../statements/point.ts";
import type { Interruption } from "../../statements/statements.ts";
import { isOk, TOO_LATE } from "../attempt.ts";
import type { Attempt, Deviation } from "./deviation.ts";
import { againWords, statementWords } from "./shared.ts";

const isCalled = (attempts: readonly Attempt[], at: number): boolean =>
  attempts[at]!.calls > 0 || attempts[at]!.statements.some(({ of }) => isCall(of));

/** Any call can fail. @param fails describes the failure, as the end of a sentence that starts with the call */
const failing = (name: string, does: Interruption, fails: string): Deviation => ({
  name,
  restsOn: [],
  keepsFromWork: true,
  does,
  points: (statements) => statements.filter(({ of }) => isCall(of)),
  line: ({ sent: { point }, answered }) =>
    `${answered}, and ${point ? `call ${point.number}` : "a call"} ${fails}`,
  sentence: (parts) => {
    const { point, event } = parts.sent;
    return point
      ? `In ${parts.speech.nameOf(parts.sent)}, ${statementWords(point, "call")} ${fails}${againWords(parts)}.`
      : `A call that the handler makes for ${event} ${fails}.`;
  },
  explains: ({ attempts }) =>
    attempts.some(({ deviation, status }) => deviation === name && isOk(status))
      ? "The handler responds with 2xx although a call failed: respond with 5xx unless all of its work is done, so the event is sent again."
      : undefined,
});

/** If statements are not observed, the sender's API fails at an attempt's first call. */
const answering = (name: string, status: 429 | 500): Deviation => ({
  ...failing(name, status === 429 ? "limit" : "fail", `returns ${status}`),
  isPossible: isCalled,
  encounter: { begin: ({ api, statements }) => void (statements ?? api?.disturb(status)) },
});

export const api429 = answering("api-429", 429);
export const api500 = answering("api-500", 500);
/** The call does not arrive: the connection is refused or breaks. */
export const apiRefused: Deviation = {
  ...failing("api-refused", "disconnect", "loses its connection"),
  isInside: true,
};
/** The call succeeds, but the handler never gets the response, as if its own timeout had expired. */
export const apiLost: Deviation = {
  ...failing("api-lost", "lose", "is done, but its response is lost"),
  isInside: true,
};

/** The response to any API call can be late. */
export const apiSlow: Deviation = {
  name: "api-slow",
  isPossible: (attempts, at) => attempts[at]!.calls > 0,
  async carry({ stall, settle }) {
    await stall();
    settle(TOO_LATE);
  },
  line: () => "timeout, because the API has not responded to its call yet",
  sentence: ({ sent }) =>
    `The API responds to a call for ${sent.event} with the state at that time, but the response only arrives after the next request.`,
};
