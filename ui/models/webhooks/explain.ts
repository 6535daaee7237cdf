import { failureText } from "../../../src/story/attempt.ts";
import type { Tone } from "../../../src/story/entries.ts";
import type { Delivery, Timeline } from "../../api-types.ts";
import { brief, count, relative, roughly, toMs } from "../format.ts";

/** A sentence about an attempt, and how bad it is. */
export interface Explained {
  tone: Tone;
  text: string;
}

/** What the server's own sentence leaves open. */
const ADVICE: Record<string, string> = {
  timeout: "Answer at once, and do the work afterwards.",
  connection_refused: "Is the server running?",
  redirect: "The endpoint has to answer 2xx itself.",
};

/** How an attempt ended, as a headline. */
export function outcome({ status, response_code: code, error, duration_ms: took }: Delivery): string {
  if (status === "pending") return "Waiting for the answer";
  const time = took === null ? "" : ` after ${roughly(took)}`;
  if (status === "success") return `Delivered: answered ${code}${time}`;
  if (error === "timeout")
    return `Failed: no complete answer${took === null ? "" : ` within ${roughly(took)}`}`;
  if (code !== null) return `Failed: answered ${code}${time}`;
  return `Failed: ${failureText(error ?? "unknown", null)}${time}`;
}

/** Why it counts as it does. */
export function explainResult(delivery: Delivery): Explained {
  if (delivery.status === "pending")
    return { tone: "plain", text: "The request was sent; the subscriber has not answered yet." };
  if (delivery.status === "success")
    return {
      tone: "good",
      text: `It answered ${delivery.response_code} in time, so the event is delivered.`,
    };
  const detail = delivery.error_detail ?? "";
  return { tone: "bad", text: [detail, ADVICE[delivery.error ?? ""] ?? ""].filter(Boolean).join(" ") };
}

/** What this attempt did to the counter of failures in a row. */
function counted(delivery: Delivery, { counter, status }: Timeline): string {
  const { consecutive_failures: failures, threshold } = counter;
  if (delivery.trigger === "test") return "";
  if (status === "disabled") return "";
  const left = threshold - failures;
  return `The endpoint has ${count(failures, "failure")} in a row; ${left} more would disable it.`;
}

/** What follows from an attempt. */
export function explainNext(delivery: Delivery, timeline: Timeline, now: number): Explained {
  const plain = (text: string): Explained => ({ tone: "plain", text });
  if (delivery.status === "pending") return plain("Its result decides what follows.");
  if (delivery.trigger === "test") return plain("Nothing: a test is never retried, and counts for nothing.");
  if (delivery.trigger === "resend")
    return plain(
      "Nothing: the event had arrived before. A resend is not retried and leaves the failure count as it is.",
    );
  if (delivery.status === "success")
    return plain(
      "Nothing more: the event has arrived, retries of it are cancelled, and the counter is at 0.",
    );

  const event = delivery.event_id;
  const planned = timeline.planned.find(({ event_id: id }) => id === event);
  if (planned) {
    const due = toMs(planned.due_at);
    const when = `Attempt ${planned.attempt} is due at ${brief(due, now)}, ${relative(due, now)}.`;
    return plain([when, counted(delivery, timeline)].filter(Boolean).join(" "));
  }
  const skipped = timeline.skipped.find(({ event_id: id }) => id === event);
  if (skipped) {
    const why = skipped.reason === "endpoint_deleted" ? "deleted" : "disabled";
    return {
      tone: "bad",
      text: `The remaining attempts were skipped when the endpoint was ${why}. Retry it by hand.`,
    };
  }
  const later = timeline.attempts.filter(
    ({ event_id: id, started_at: at }) => id === event && at > delivery.created_at,
  );
  const arrived = later.find(({ status }) => status === "success");
  if (arrived) return plain(`It arrived later, at ${brief(toMs(arrived.started_at), now)}.`);
  if (later.length > 0) return plain(`${count(later.length, "later attempt")} failed, too; none is left.`);
  return {
    tone: "bad",
    text: `That was the last attempt. Retry it by hand. ${counted(delivery, timeline)}`.trim(),
  };
}
