/** The library's public types. They need no other package. */
export type * from "./areas.ts";
export type * from "./clock.ts";
export type * from "./config.ts";
export type * from "./expect.ts";
export type * from "./finding.ts";
export type * from "./journal.ts";
export type * from "./payments.ts";
export type * from "./sandbox.ts";
export type * from "./senders.ts";
export type * from "./webhook-events.ts";
export type * from "./webhooks.ts";
export type * from "./words.ts";
