import { roughly } from "../../../timeline/duration.ts";
import { listed } from "../../../timeline/text.ts";
import { LOST, TOO_LATE } from "../attempt.ts";
import type { Deviation, SentenceParts } from "./deviation.ts";

function sentence({ run: { attempts }, sent, at, speech: { nameOf } }: SentenceParts): string {
  const { eventId, at: sentAt } = sent;
  const event = nameOf(sent);
  const arrival = attempts.findIndex(
    (one, index) => index > at && one.eventId === eventId && one.arrivals > 0,
  );
  if (arrival < 0) return `${event} never arrives.`;
  const before = attempts
    .slice(at + 1, arrival)
    .filter(({ arrivals, eventId: id }) => arrivals > 0 && id !== eventId)
    .map(nameOf);
  const late = roughly(attempts[arrival]!.at - sentAt);
  return before.length > 0
    ? `${event} is lost, and its retry arrives after ${listed([...new Set(before)])}.`
    : `${event} is lost, and its retry arrives ${late} later.`;
}

/** The network can lose any request. */
export const lost: Deviation = {
  name: "lost",
  seenAs: "failure",
  carry: ({ settle }) => settle(LOST),
  line: () => "lost: the request never arrives",
  sentence,
  isLoss: true,
};

/** A request can get lost without an error. The platform waits for its response and retries later. */
export const timeout: Deviation = {
  name: "timeout",
  seenAs: "timeout",
  carry: ({ settle }) => settle(TOO_LATE),
  line: () => "lost: the request never arrives, and times out",
  sentence,
  isLoss: true,
};
