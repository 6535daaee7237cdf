import { href } from "../router.ts";

export type Tone = "good" | "bad" | "plain";

/** A journal entry as a person reads it. */
export interface Described {
  tone: Tone;
  title: string;
  detail: string;
  /** Where to look at it. */
  href: string | undefined;
}

export type Data = Record<string, unknown>;
export type Describe = (data: Data) => Partial<Described> & { title: string };
/** Words for entries, by type. */
export type Words = Record<string, Describe>;

export const text = (value: unknown): string => (value === null || value === undefined ? "" : String(value));
export const webhook = (id: unknown): string => href(["webhooks", text(id)]);
export const payment = (id: unknown): string => href(["payments", "story", text(id)]);
/** `Attempt 2 of payment.completed`. */
export const attempt = (data: Data): string => `Attempt ${text(data.attempt)} of ${text(data.event)}`;
