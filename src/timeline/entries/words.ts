import { skipText } from "../attempt.ts";
import { clip, plain } from "../text.ts";

export type Tone = "good" | "bad" | "warning" | "plain";

/** A human-readable journal entry. Each string is one line without control characters. */
export interface Described {
  tone: Tone;
  title: string;
  detail: string;
}

export type Data = Record<string, unknown>;
export type Words = Record<string, (data: Data) => Partial<Described> & { title: string }>;

/** The maximum length of a displayed value; anything longer is user data. */
const LONGEST = 200;

/** Formats a value from an entry's data on one line. */
export function text(value: unknown): string {
  if (value === null || value === undefined) return "";
  return plain(clip(typeof value === "object" ? JSON.stringify(value) : String(value), LONGEST));
}

/** Joins the non-empty parts with commas. */
export const listed = (...parts: string[]): string => parts.filter(Boolean).join(", ");

/** `Attempt 2 of payment.completed`, or another name for it. */
export const attempt = (data: Data): string =>
  data.trigger === "test"
    ? `Test of ${text(data.event)}`
    : data.trigger === "resend"
      ? `Resend of ${text(data.event)}`
      : data.trigger === "manual"
        ? `Manual retry of ${text(data.event)} (attempt ${text(data.attempt)})`
        : `Attempt ${text(data.attempt)} of ${text(data.event)}`;

/** Why an entry's action was skipped. */
export const reason = (data: Data): string => skipText(text(data.reason));

/** Describes an entry whose detail is a field of its data, by default the id. */
export const named =
  (title: string, tone: Tone = "plain", field = "id") =>
  (data: Data) => ({ title, tone, detail: text(data[field]) });
