/** The events that a subscriber can be sent. */
export const EVENT_TYPES = [
  "payment.completed",
  "payment.failed",
  "checkout.completed",
  "checkout.expired",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];
