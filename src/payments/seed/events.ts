import type { EventType } from "../webhooks/event-types.ts";
import { checkoutEventData, paymentEventData } from "../webhooks/payload.ts";
import type { Seeding } from "./seeding.ts";
import type { History } from "./shop.ts";

/** A webhook event of the past. */
export interface SeededEvent {
  id: string;
  org: string;
  type: EventType;
  at: number;
  data: unknown;
}

/** The events of a history between two instants, in order; a payment before its checkout. */
export function eventsBetween(
  { world }: Seeding,
  { sessions, transactions }: History,
  from: number,
  to: number,
  wanted: readonly string[],
): SeededEvent[] {
  const found: { at: number; org: string; type: EventType; makeData: () => unknown }[] = [];
  const add = (at: number | null, org: string, type: EventType, makeData: () => unknown) => {
    if (at !== null && at >= from && at < to && (wanted.includes("*") || wanted.includes(type)))
      found.push({ at, org, type, makeData });
  };
  const byId = new Map(sessions.map((row) => [row.id, row]));
  for (const row of transactions) {
    const makeData = () => paymentEventData(row, byId.get(row.session_id ?? ""));
    add(row.completed_at, row.org, "payment.completed", makeData);
    add(row.failed_at, row.org, "payment.failed", makeData);
  }
  for (const row of sessions) {
    add(row.completed_at, row.org, "checkout.completed", () => checkoutEventData(row));
    add(row.expired_at, row.org, "checkout.expired", () => checkoutEventData(row));
  }
  return found
    .sort((a, b) => a.at - b.at)
    .map(({ makeData, ...event }) => ({ id: world.ids.next("evt_"), ...event, data: makeData() }));
}
