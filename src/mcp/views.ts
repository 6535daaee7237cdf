import type { Delivery, Timeline } from "../library/index.ts";
import { attemptResult } from "../timeline/attempt.ts";
import { describeEntry, worthShowing } from "../timeline/entries.ts";
import type { JournalEntry } from "../world/journal.ts";

/** The results that tools return. They are short, because agents read every word. */

export const pick = <Value, Field extends keyof Value>(
  value: Value,
  ...fields: Field[]
): Pick<Value, Field> =>
  Object.fromEntries(fields.map((field) => [field, value[field]])) as Pick<Value, Field>;

/** An attempt of a timeline or a delivery, with a description of its result. */
export function attemptView(attempt: Timeline["attempts"][number] | Delivery) {
  const [delivery_id, started_at] =
    "delivery_id" in attempt ? [attempt.delivery_id, attempt.started_at] : [attempt.id, attempt.attempted_at];
  const trigger = attempt.trigger === "automatic" ? "" : ` (${attempt.trigger})`;
  return {
    delivery_id,
    ...pick(attempt, "event", "event_id", "attempt", "status", "next_attempt_at"),
    result: `${attemptResult(attempt)}${trigger}`,
    started_at,
  };
}

export const attemptsView = (deliveries: readonly Delivery[]) => ({ attempts: deliveries.map(attemptView) });

/** Journal entries with descriptions for agents. */
export const entryViews = (entries: readonly JournalEntry[]) =>
  worthShowing(entries).map(({ seq, at, type, data }) => {
    const { title, detail } = describeEntry({ type, data });
    const text = detail === "" ? title : `${title}: ${detail}`;
    return { seq, at, type, text, id: typeof data.id === "string" ? data.id : null };
  });
