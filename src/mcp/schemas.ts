import { type TSchema, Type } from "typebox";
import { nullable, oneOf } from "../http/shapes.ts";
import type { Timeline } from "../library/index.ts";
import { attemptResult } from "../timeline/attempt.ts";
import { describeEntry } from "../timeline/entries.ts";
import type { JournalEntry } from "../world/journal.ts";

/** Parts of the tools' schemas, and what fills them. Results are short: an agent reads every word of them. */

export const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);
export const text = (description: string) => Type.String({ description });

export const Endpoint = Type.String({
  minLength: 1,
  description: "A webhook endpoint: its id, its URL, a part of its URL, or 'last' for the newest one.",
});
export const VirtualTime = Type.String({ description: "Virtual time, ISO 8601." });

export const Attempt = Type.Object({
  delivery_id: Type.String(),
  event: Type.String(),
  event_id: Type.String(),
  attempt: Type.Integer({ description: "1 to 4." }),
  status: oneOf(["pending", "success", "failed"]),
  result: Type.String({ description: "How it ended, in words." }),
  started_at: VirtualTime,
  next_attempt_at: nullable(VirtualTime),
});

/** An attempt as tools report it. */
export function attemptView(attempt: Timeline["attempts"][number]) {
  const { delivery_id, event, event_id, attempt: number, status, started_at, next_attempt_at } = attempt;
  const trigger = attempt.trigger === "automatic" ? "" : ` (${attempt.trigger})`;
  return {
    delivery_id,
    event,
    event_id,
    attempt: number,
    status,
    result: `${attemptResult(attempt)}${trigger}`,
    started_at,
    next_attempt_at,
  };
}

export const EndpointState = Type.Object({
  id: Type.String(),
  url: Type.String(),
  status: oneOf(["enabled", "disabled", "deleted"]),
  consecutive_failures: Type.Integer(),
  threshold: Type.Union([Type.Integer(), Type.Null()], {
    description: "Consecutive failures that disable it.",
  }),
});

export const Entry = Type.Object({
  seq: Type.Integer(),
  at: VirtualTime,
  type: Type.String(),
  text: Type.String({ description: "What happened, in words." }),
  id: nullable(Type.String({ description: "What it is about: a delivery, payment, session or endpoint." })),
});

/** A journal entry as tools report it. */
export function entryView({ seq, at, type, data }: JournalEntry) {
  const { title, detail } = describeEntry({ type, data });
  const id = typeof data.id === "string" ? data.id : null;
  return { seq, at, type, text: detail === "" ? title : `${title}: ${detail}`, id };
}
