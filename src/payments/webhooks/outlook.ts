import type { AreaPart } from "../../http/area.ts";
import { inSlices } from "../../world/slices.ts";
import type { World } from "../../world/world.ts";
import type { PaymentsSettings } from "../context.ts";
import type { Transactions } from "../transactions.ts";
import { CONFIRMATION, SESSION_EXPIRY } from "../words.ts";
import type { EventType } from "./event-types.ts";

/**
 * Counts the sessions that will expire and the payments that will settle, including their later consequences, without
 * firing a timer.
 */
export function createOutlook(
  world: World,
  settings: PaymentsSettings,
  transactions: Transactions,
): NonNullable<AreaPart["outlook"]> {
  const isPast = world.store.sql<{ seeded: number }>("select seeded from checkout_sessions where id = ?");

  return async (until, announce) => {
    const events: Record<string, number> = {};
    const completed = new Map<string, number>();
    const count = (type: EventType) => {
      events[type] = (events[type] ?? 0) + 1;
    };

    for await (const { kind, key, due: at } of inSlices(world.timers.walk(until))) {
      if (kind !== CONFIRMATION) continue;
      const row = transactions.byId(key);
      const settled = row?.status === "pending" ? row.created_at + settings.confirmationDelay : at;
      if (!row || settled > until) continue;
      const type = row.failure_reason === null ? "payment.completed" : "payment.failed";
      count(type);
      announce(row.org, type, key, settled);
      if (row.failure_reason !== null || row.session_id === null) continue;
      completed.set(row.session_id, settled);
      announce(row.org, "checkout.completed", key, settled);
    }
    for await (const { kind, key, payload, due: at } of inSlices(world.timers.walk(until))) {
      if (kind !== SESSION_EXPIRY || (completed.get(key) ?? Number.POSITIVE_INFINITY) <= at) continue;
      count("checkout.expired");
      announce(payload.org as string, "checkout.expired", key, at, isPast.get(key)?.seeded === 1);
    }
    return events;
  };
}
