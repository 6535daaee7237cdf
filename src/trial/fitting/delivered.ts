import { isObject, valuesOf } from "../../webhooks/body-text.ts";
import type { FileSender } from "../../webhooks/described.ts";
import { valueAt } from "../../webhooks/example.ts";
import { MINUTE } from "../../world/duration.ts";
import type { Row, Rows, TableShape } from "../database/dialect.ts";
import { isOk, type SentAttempt } from "../schedules/attempt.ts";
import type { Statement } from "../statements/statements.ts";
import { instantsOf } from "../subject/instants.ts";
import { keyOf } from "../subject/row-changes.ts";

/** A row that a delivery added, changed or deleted. */
export interface RowChange {
  shape: TableShape;
  before: Row | undefined;
  after: Row | undefined;
}

/** A delivery in a calm run, and its effects. */
export interface Delivered {
  event: string;
  status: number | null;
  isAccepted: boolean;
  /** The server's response and output. */
  said: string;
  /** The event's own id, and everything else that identifies only this delivery. */
  ownIds: ReadonlySet<string>;
  /** All values in the event. */
  values: ReadonlySet<string>;
  /** Undefined if the server's statements are not observed. */
  statements: readonly Statement[] | undefined;
  changes: readonly RowChange[];
  /** When the delivery was sent, by the machine's clock and by the sender's, in milliseconds. */
  times: readonly number[];
}

const LEAST_TELLING = 6;
/** How far a time that a handler writes may be from the time of the delivery. */
const NEAR_MS = 5 * MINUTE;

export const delivered = (
  sent: Pick<
    SentAttempt,
    "event" | "status" | "answer" | "printed" | "headers" | "body" | "statements" | "at"
  >,
  { facts }: FileSender,
  changes: readonly RowChange[],
  now: number,
): Delivered => {
  const { event, status, answer, printed, headers, body, statements, at } = sent;
  const own = [valueAt(facts.id, headers, body), ...Object.values(headers)];
  return {
    ...{ event, status, statements, changes, isAccepted: isOk(status), times: [at, now] },
    said: `${answer ?? ""}\n${printed}`,
    ownIds: new Set(own.filter((one) => one !== undefined)),
    values: new Set(valuesOf(body).map(({ text }) => text)),
  };
};

/** The rows that differ between two states. */
export function changesBetween(shapes: readonly TableShape[], before: Rows, after: Rows): RowChange[] {
  return shapes.flatMap((shape) => {
    const byKey = (rows: readonly Row[] = []) => new Map(rows.map((row) => [keyOf(shape, row), row]));
    const [earlier, later] = [byKey(before[shape.name]), byKey(after[shape.name])];
    const keys = [...new Set([...earlier.keys(), ...later.keys()])];
    return keys.flatMap((key) => {
      const [one, other] = [earlier.get(key), later.get(key)];
      return JSON.stringify(one) === JSON.stringify(other) ? [] : { shape, before: one, after: other };
    });
  });
}

export const isNear = (value: unknown, times: readonly number[]): boolean =>
  instantsOf(value).some((instant) => times.some((time) => Math.abs(instant - time) < NEAR_MS));

/**
 * Whether a new row only records that an event arrived: it contains the event's own id, and nothing else from the event
 * except its type, time and text.
 */
function isRecord({ before, after }: RowChange, { ownIds, values, event, times }: Delivered): boolean {
  if (before !== undefined || after === undefined) return false;
  const all = Object.values(after);
  const isText = (value: unknown) =>
    isObject(value) || Array.isArray(value) || /^\s*[{[]/.test(String(value));
  return (
    all.some((value) => ownIds.has(String(value))) &&
    all.every(
      (value) =>
        ownIds.has(String(value)) ||
        value === event ||
        isText(value) ||
        isNear(value, times) ||
        String(value).length < LEAST_TELLING ||
        !values.has(String(value)),
    )
  );
}

/** What a delivery changed, apart from recording the event. */
export const effectOf = (one: Delivered): RowChange[] =>
  one.changes.filter((change) => !isRecord(change, one));

/** Whether the server did the work that the event calls for, as far as can be observed. */
export const hasWorked = (one: Delivered): boolean => one.isAccepted && effectOf(one).length > 0;
