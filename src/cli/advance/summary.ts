import { attemptName, failureText, skipText } from "../../timeline/attempt.ts";
import { describeEntry, type EndpointUrls, type Tone } from "../../timeline/entries.ts";
import { instant } from "../../timeline/instant.ts";
import { count } from "../../timeline/text.ts";
import type { JournalEntry } from "../../world/journal.ts";
import { type Cell, paint, until } from "../output.ts";

type Color = (text: string) => string;
export const TONE_COLORS: Record<Tone, Color> = {
  good: paint.green,
  bad: paint.red,
  warning: paint.yellow,
  plain: (text) => text,
};

/** A journal entry's cells: virtual time, event, subject, error, and what follows. */
export function entryCells({
  type,
  at,
  data,
}: JournalEntry): Record<"time" | "what" | "about" | "error" | "next", Cell> {
  return {
    time: { text: instant(at), color: paint.dim },
    what: { text: type, color: TONE_COLORS[describeEntry({ type, data }).tone] },
    about: about(type, data),
    error: data.error == null ? "" : { text: failureText(data.error, data.response_code), color: paint.red },
    next: next(data, at),
  };
}

function about(type: string, data: Record<string, unknown>): string {
  if (type === "mail.sent") return `to ${data.to}`;
  const subject = data.event ?? data.event_id ?? data.id ?? data.target ?? data.seed;
  const name = attemptName(Number(data.attempt), data.trigger as Parameters<typeof attemptName>[1]);
  const attempt = data.attempt === undefined ? "" : `, ${/^\d/.test(name) ? "attempt " : ""}${name}`;
  return subject === undefined ? "" : `${subject}${attempt}`;
}

function next(data: Record<string, unknown>, at: string): string {
  if (typeof data.next_attempt_at === "string")
    return `next ${instant(data.next_attempt_at)} (${until(at, data.next_attempt_at)})`;
  if (typeof data.times_out_at === "string") return `times out ${instant(data.times_out_at)}`;
  if (typeof data.subject === "string") return data.subject;
  if (typeof data.reason === "string") return skipText(data.reason);
  if (typeof data.attempts === "number") return `after ${count(data.attempts, "attempt")}`;
  return "";
}

/** The line with the number of deliveries to seeded endpoints. Listing them would bury the user's own deliveries. */
export const toDemoEndpoints = (deliveries: number): string =>
  `${count(deliveries, "more delivery", "more deliveries")} went to the demo data's endpoints`;

/** The endpoint in an entry's data: its URL, or its id if the endpoint is gone. */
export function endpointOf(data: Record<string, unknown>, urls: EndpointUrls): string {
  const id =
    typeof data.webhook_id === "string"
      ? data.webhook_id
      : typeof data.id === "string" && data.id.startsWith("wh_")
        ? data.id
        : "";
  return urls.get(id) ?? id;
}
