import { misuse, type SandboxError } from "../../errors/errors.ts";
import type { ExploreFinding } from "../../library/finding.ts";
import { check } from "../../schema/check.ts";
import { createMistakes } from "../../schema/mistakes.ts";
import { type NamedBytes, parseFile } from "../../schema/parse-file.ts";
import { DURATION, object, type Schema } from "../../schema/schema.ts";
import { type ListedEvent, listed } from "../../senders/event-list.ts";
import { DEVIATIONS, deviationOf } from "../schedules/deviations/index.ts";
import type { Schedule, ScheduledDeviation } from "../schedules/schedule.ts";
import type { StatementPoint } from "../statements/point.ts";
import { isPath } from "../subject/path.ts";
import { isPlace } from "./expected.ts";

/** The fields of a finding file. None contains code, paths or options: stories, senders and rules are given by name. */

const MOST_DEVIATIONS = 9;
const MOST_PLACES = 100;
const MOST_EVENTS = 1_000;
/** The maximum length of a path that contains `*`. */
const MOST_PATTERN = 200;

const name = (pattern: string, expected: string) =>
  ({ type: "string", pattern, errorMessage: `must be ${expected}` }) as const;
const OWN_NAME = name(
  "^[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?$",
  "a name: 1 to 60 lower-case letters, digits and hyphens",
);
/** A name that was not chosen by Sandglass. */
const LINE = name("^[^\\p{C}]{1,500}$", "a single-line string of at most 500 characters");
const listOf = <const S extends Schema>(items: S, maxItems = MOST_PLACES) =>
  ({
    type: "array",
    items,
    minItems: 1,
    maxItems,
    errorMessage: `must be a list of 1 to ${maxItems}`,
  }) as const;
const ANYTHING: Schema = {};

const FINDING = object(
  {
    finding: OWN_NAME,
    story: name("^[a-z0-9][a-z0-9-]{0,59}(?::[1-9]\\d{0,3})?$", "the name of a story, such as checkout"),
    sender: OWN_NAME,
    version: LINE,
    events: listOf(
      {
        anyOf: [
          LINE,
          object({ type: LINE, after: DURATION, data: { type: "object" }, body: { type: "string" } }, [
            "type",
          ]),
        ],
      },
      MOST_EVENTS,
    ),
    at: { type: "string", format: "instant" },
    schedule: {
      ...listOf(
        name(
          "^[a-z0-9-]{1,40}@[1-9]\\d{0,4}(?:\\.[1-9]\\d{0,4}(?:\\.commit)?)?(?:\\+[1-9]\\d{0,4})?$",
          "a deviation and its attempt number, such as lost@1, optionally with a statement number, such as crash@1.3, the commit, such as interleave@1.2.commit, and the other attempt's number, such as swap@1+3",
        ),
        MOST_DEVIATIONS,
      ),
      minItems: 0,
    },
    statements: listOf(LINE, MOST_DEVIATIONS),
    tables: listOf(LINE),
    ignored: listOf(LINE),
    ordered: listOf(LINE),
    invariant: OWN_NAME,
    accepted: listOf(LINE),
    expect: {
      type: "object",
      propertyNames: LINE,
      maxProperties: MOST_PLACES,
      additionalProperties: ANYTHING,
      errorMessage: `must be 1 to ${MOST_PLACES} places of the state with their values`,
    },
  },
  ["finding", "story", "schedule"],
);

export interface SavedFinding {
  data: ExploreFinding;
  schedule: Schedule;
  /** The sender's events; undefined for the platform's stories. */
  events: readonly ListedEvent[] | undefined;
}

const HINT = "Correct the file, or delete it and explore again.";

/**
 * Reads a finding file, which may be untrusted.
 * @param named the finding's name, from the file name
 * @throws SandboxError `bad_request` with the file, the field, its value and the expected value
 */
export async function readFindingFile(file: NamedBytes, named: string): Promise<SavedFinding> {
  const written = await parseFile(file, "bad_request");
  const refuse = (what: string, hint = HINT): SandboxError => misuse(`${file.name}: ${what}.`, hint);
  if (typeof written !== "object" || written === null || Array.isArray(written))
    throw refuse("a finding is an object with finding, story, schedule and expect");
  const mistakes = createMistakes(file.name);
  const data = check(FINDING, written, mistakes) as unknown as ExploreFinding;
  if (mistakes.count() === 0) {
    const { expect = {} } = data;
    if (data.finding !== named) mistakes.add("finding", `${named}, the name of its file`, data.finding);
    for (const path of Object.keys(expect))
      if (!isPlace(path)) mistakes.add("expect", "by places such as orders.order-7.status", path);
    for (const field of ["ignored", "ordered"] as const)
      for (const path of data[field] ?? [])
        if (!isPath(path) || path.length > MOST_PATTERN)
          mistakes.add(field, "places such as orders.*.updated_at", path);
    for (const field of ["events", "version"] as const)
      if (data[field] !== undefined && data.sender === undefined)
        mistakes.add(field, "omitted if no sender is named", data[field]);
  }
  const texts = [...(data.statements ?? [])];
  const schedule = (mistakes.count() === 0 ? data.schedule : []).map((one) => readDeviation(one, texts));
  const inside = schedule.filter((one) => one?.point).length;
  if (mistakes.count() === 0 && inside !== (data.statements ?? []).length)
    mistakes.add("statements", `${inside}, one for each statement in schedule`, data.statements);
  const unknown = schedule.indexOf(undefined);
  if (unknown >= 0)
    mistakes.add(
      `schedule[${unknown}]`,
      `a deviation and the number of its attempt`,
      data.schedule[unknown],
      `Deviations: ${DEVIATIONS.join(", ")}.`,
    );
  const [mistake] = mistakes.list();
  if (mistake) throw refuse(mistake.text, mistake.hint ?? HINT);
  const events = data.events?.map((one, index) => {
    try {
      return typeof one === "string" ? listed(one) : ({ ...one, after: one.after ?? 0 } as ListedEvent);
    } catch {
      throw refuse(`events[${index}] must be a type with a time such as @20s, not ${JSON.stringify(one)}`);
    }
  });
  return { data, schedule: schedule as ScheduledDeviation[], events };
}

/** Whether it specifies no expected values. If so, the whole state must match the calm run's. */
export const expectsAll = ({ expect, accepted, invariant, statements }: ExploreFinding): boolean =>
  Object.keys(expect ?? {}).length === 0 && !accepted && !invariant && !statements;

/** Formats a deviation, with attempts numbered from 1: `lost@1`, `crash@1.3`, `interleave@1.2.commit`, `swap@1+3`. */
export const deviationText = ({ at, kind, beside, point }: ScheduledDeviation): string =>
  `${kind}@${at + 1}${point ? `.${point.number}` : ""}${point?.atCommit ? ".commit" : ""}${beside === undefined ? "" : `+${beside + 1}`}`;

/**
 * Formats a statement for files. It is identified by its text, because its number may change in a later version of the
 * handler.
 */
export const pointText = ({ text, occurrence }: StatementPoint): string =>
  occurrence === 1 ? text : `${text} #${occurrence}`;

/** Parses a deviation. @param texts the remaining statement texts; the deviation removes its own */
export function readDeviation(text: string, texts: string[]): ScheduledDeviation | undefined {
  const [, name, attempt, number, commit, other] = /^([^@]*)@(\d+)(?:\.(\d+)(\.commit)?)?(?:\+(\d+))?$/.exec(
    text,
  )!;
  const kind = DEVIATIONS.find((deviation) => deviation === name);
  if (kind === undefined || (other !== undefined && !deviationOf(kind).meets)) return undefined;
  const place = { at: Number(attempt) - 1, ...(other !== undefined && { beside: Number(other) - 1 }) };
  if (number === undefined) return { kind, ...place };
  const [, statement, occurrence = 1] = /^(.*?)(?: #([1-9]\d{0,4}))?$/.exec(texts.shift() ?? "")!;
  return {
    kind,
    ...place,
    point: {
      ...{ number: Number(number), text: statement!, occurrence: Number(occurrence) },
      ...(commit && { atCommit: true as const }),
    },
  };
}
