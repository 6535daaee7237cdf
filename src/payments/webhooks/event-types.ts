/**
 * The platform's events, each with the subject of the e-mail about it. Everything that lists events follows from this table;
 * `EVENT_DATA` (payload.ts) has the data of each.
 */
const EVENTS = [
  { type: "payment.completed", subject: "Payment completed" },
  { type: "payment.failed", subject: "Payment failed" },
  { type: "checkout.completed", subject: "Checkout completed" },
  { type: "checkout.expired", subject: "Checkout expired" },
] as const;

export type EventType = (typeof EVENTS)[number]["type"];

type TypesOf<Events extends readonly { type: string }[]> = { [Index in keyof Events]: Events[Index]["type"] };
export const EVENT_TYPES = EVENTS.map(({ type }) => type) as unknown as TypesOf<typeof EVENTS>;

export const subjectOf = (event: EventType): string => EVENTS.find(({ type }) => type === event)!.subject;
