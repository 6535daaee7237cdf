import { integer, object, oneOf, type Schema } from "../../schema/schema.ts";
import { ENDPOINT_CHANGES, ENDPOINT_STATES } from "../../timeline/endpoint-state.ts";
import { DELIVERY_STATUSES, DELIVERY_TRIGGERS } from "../../timeline/shapes.ts";
import { VERDICTS } from "../hazards/hazard.ts";
import { DEVIATIONS } from "../schedules/deviations/index.ts";
import { ANSWERING } from "../statements/point.ts";

/** Validates the output of `--json` with `--shard`, which is the input of `--merge`. */

const ANYTHING: Schema = {};
const BOOLEAN = { type: "boolean" } as const;
const COUNT = integer(0, Number.MAX_SAFE_INTEGER);
/** A valid date in milliseconds since the epoch. */
const INSTANT = integer(0, 8.64e15);
const TEXT = { type: "string", errorMessage: "must be a string" } as const;
/** A single-line name. */
const NAME = {
  type: "string",
  pattern: "^[^\\p{C}]{1,500}$",
  errorMessage: "must be a name without control characters, of at most 500 characters",
} as const;
const TIME = {
  type: "string",
  pattern: "^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d+)?Z$",
  errorMessage: "must be a time such as 2026-01-15T09:00:00Z",
} as const;

const nullable = <const S extends Schema>(schema: S): Schema => ({ anyOf: [{ type: "null" }, schema] });
const listOf = <const S extends Schema>(items: S) => ({ type: "array", items }) as const;
/** An object with all of these fields, and possibly some optional ones. */
const all = (fields: Record<string, Schema>, optional: Record<string, Schema> = {}): Schema => ({
  ...object({ ...fields, ...optional }),
  required: Object.keys(fields),
});

const TRIGGER = oneOf(...DELIVERY_TRIGGERS);
const PLACE = { number: COUNT, text: TEXT, occurrence: COUNT };
const POINT = all(PLACE, { atCommit: BOOLEAN });
const SCHEDULE = listOf(
  all({ at: integer(0, 100_000), kind: oneOf(...DEVIATIONS) }, { beside: COUNT, point: POINT }),
);
/** JSON omits `expected` or `actual` if that state has no value. */
const DIFFERENCES = listOf(all({ path: TEXT }, { expected: ANYTHING, actual: ANYTHING, words: TEXT }));

const TIMELINE_ATTEMPT = all({
  ...{ delivery_id: NAME, event_id: NAME, event: NAME, attempt: COUNT, trigger: TRIGGER },
  ...{ retry_of: nullable(NAME), resend_of: nullable(NAME), status: oneOf(...DELIVERY_STATUSES) },
  ...{ response_code: nullable(COUNT), error: nullable(NAME), error_detail: nullable(TEXT) },
  ...{ started_at: TIME, ended_at: nullable(TIME), duration_ms: nullable(COUNT) },
  ...{ consecutive_failures: nullable(COUNT), next_attempt_at: nullable(TIME) },
});
const DUE = { event_id: NAME, attempt: COUNT, due_at: TIME };
const TIMELINE = all({
  ...{ webhook_id: NAME, now: TIME, status: oneOf(...ENDPOINT_STATES) },
  counter: all({
    ...{ consecutive_failures: COUNT, threshold: nullable(COUNT), counts: oneOf("attempts", "exhausted") },
  }),
  ...{ retry_delays: listOf(COUNT), attempts: listOf(TIMELINE_ATTEMPT) },
  earlier: all({ attempts: COUNT, since: nullable(TIME), slices: listOf(ANYTHING) }),
  planned: listOf(all({ ...DUE, event: NAME })),
  skipped: listOf(all({ event_id: NAME, event: NAME, attempt: COUNT, reason: nullable(TEXT), at: TIME })),
  forecast: all({ attempts: listOf(all(DUE)), disabled_at: nullable(TIME) }),
  changes: listOf(
    all({
      type: oneOf(...ENDPOINT_CHANGES, "mail"),
      ...{ reason: nullable(TEXT), at: TIME },
    }),
  ),
});

const EFFECT = all(
  {
    ...{ service: TEXT, key: TEXT, words: all({ thing: TEXT, done: TEXT }), fields: ANYTHING },
  },
  { idempotencyKey: TEXT, takes: TEXT },
);

const ATTEMPT = all({
  ...{ id: NAME, webhookId: NAME, eventId: NAME, event: NAME, attempt: COUNT, trigger: TRIGGER },
  ...{ at: INSTANT, pause: COUNT, deviation: nullable(oneOf(...DEVIATIONS)) },
  beside: nullable(COUNT),
  ...{ background: BOOLEAN, twiceSigned: BOOLEAN, second: BOOLEAN },
  ...{ failed: BOOLEAN, accepted: BOOLEAN, hasEnded: BOOLEAN, status: nullable(COUNT) },
  ...{ answer: nullable(TEXT), printed: TEXT, detail: nullable(TEXT), point: nullable(POINT) },
  missed: nullable(oneOf("not-reached", "one-process")),
  statements: listOf(
    all({
      ...{ ...PLACE, of: oneOf(...ANSWERING), by: integer(1, 2), order: COUNT },
      ...{
        inTransaction: BOOLEAN,
        hasOwnCommit: BOOLEAN,
        isSteady: BOOLEAN,
        effects: listOf(EFFECT),
        result: nullable(TEXT),
        met: nullable(NAME),
      },
    }),
  ),
  ...{ arrivals: COUNT, overlaps: listOf(COUNT), calls: COUNT },
  ...{ headers: { type: "object", additionalProperties: TEXT }, body: TEXT },
});

const BROKEN = all({ message: TEXT, after: nullable(COUNT) }, { isEnd: BOOLEAN });
const RUN = all(
  {
    ...{ schedule: SCHEDULE, attempts: listOf(ATTEMPT), recovery: nullable(COUNT), lag: COUNT },
    ...{ undelivered: TEXT, delivered: BOOLEAN },
    refused: listOf(all({ event: NAME, attempt: COUNT, status: COUNT, isCopy: BOOLEAN })),
    broken: nullable(BROKEN),
    ...{ timeline: TIMELINE, second: nullable(TIMELINE) },
  },
  { state: ANYTHING },
);

const FINDING = all({
  ...{ run: RUN, differences: DIFFERENCES, expected: DIFFERENCES },
  steps: listOf(all({ attempts: listOf(COUNT), calm: DIFFERENCES, found: DIFFERENCES, parts: BOOLEAN })),
  invariant: nullable(BROKEN),
  ...{ why: TEXT, runs: COUNT, wrong: COUNT, alike: COUNT },
});

const EXPLORATION = all({
  verdict: TEXT,
  story: all(
    { name: NAME, title: NAME, file: nullable(NAME) },
    {
      sender: all(
        { name: NAME, named: NAME },
        {
          events: listOf(all({ type: NAME, after: COUNT }, { data: ANYTHING, body: ANYTHING })),
          known: { type: "object", additionalProperties: listOf(ANYTHING) },
        },
      ),
    },
  ),
  ...{ subscriber: NAME, stateUrl: nullable(NAME), reset: nullable(TEXT), seed: NAME },
  ...{ ignore: listOf(NAME), ordered: listOf(NAME) },
  reordered: listOf(all({ path: NAME, numbered: BOOLEAN })),
  ownPlaces: listOf(all({ path: NAME, holds: oneOf("time", "id", "text") })),
  ...{
    unknownCalls: listOf(TEXT),
    accepted: listOf(TEXT),
    calm: RUN,
    crashPlaces: COUNT,
    unmoving: listOf(NAME),
    unwatched: BOOLEAN,
    revivals: COUNT,
  },
  levels: {
    ...listOf(
      all({
        ...{ deviations: integer(1, 9), schedules: nullable(COUNT), tried: COUNT, alike: COUNT },
        stoodFor: COUNT,
        ...{ undelivered: COUNT, inside: COUNT, unreached: COUNT, oneProcess: COUNT, compared: COUNT },
      }),
    ),
    minItems: 1,
  },
  ...{ finding: nullable(FINDING), others: listOf(FINDING), only: { type: "null" }, shard: NAME },
  flaky: nullable(
    all({
      ...{ schedule: SCHEDULE, differences: DIFFERENCES },
      answer: nullable(all({ event: NAME, earlier: nullable(COUNT), now: nullable(COUNT) })),
    }),
  ),
  ...{ stopped: nullable(oneOf("budget", "cancelled")), wallMs: COUNT },
});

/** The fingerprint, which is the same in all parts of an exploration. */
const OF = { type: "object", propertyNames: NAME, maxProperties: 50, additionalProperties: TEXT } as const;

export const PART_SCHEMA = all(
  {
    part: all({ index: integer(1, 9_999), count: integer(1, 9_999), of: OF }),
    stories: { ...listOf(EXPLORATION), minItems: 1, errorMessage: "must be the stories that were played" },
    unplayed: listOf(all({ name: NAME, title: NAME, reason: TEXT, failed: BOOLEAN })),
  },
  // Summaries for humans, which are ignored when merging.
  {
    verdict: ANYTHING,
    reason: ANYTHING,
    finding: ANYTHING,
    findings: ANYTHING,
    saved: ANYTHING,
    outside: ANYTHING,
  },
);

/** Fields of saved findings that no report shows. */
const FINDING_FIELDS = [
  ...["sender", "version", "events", "at", "statements", "tables", "ignored", "ordered", "invariant"],
  ...["accepted", "expect"],
];
const PLAYED = all({
  ...{ name: NAME, file: NAME, status: oneOf("passed", "failed", "unknown"), reason: TEXT },
  finding: all(
    { finding: NAME, story: NAME, schedule: listOf(NAME) },
    Object.fromEntries(FINDING_FIELDS.map((field) => [field, ANYTHING])),
  ),
  result: ANYTHING,
});

const HEADERS = { type: "object", additionalProperties: TEXT } as const;
const SENT = all({
  ...{ what: TEXT, method: NAME, headers: HEADERS, body: nullable(TEXT), body_bytes: COUNT },
});
const CAME_BACK = all({
  ...{ status: nullable(COUNT), error: nullable(NAME), detail: TEXT, body: TEXT, printed: TEXT },
  duration_ms: COUNT,
});
const HAZARD = all({
  ...{ name: NAME, title: NAME, verdict: oneOf(...VERDICTS), summary: TEXT, note: nullable(TEXT) },
  ...{ why: TEXT, fix: TEXT, assumed: listOf(TEXT), duration_ms: COUNT },
  exchanges: listOf(all({ sent: SENT, came_back: CAME_BACK })),
});
const CHECK = all({
  ...{ url: NAME, sender: NAME, verdict: oneOf("pass", "unknown", "fail"), finding: nullable(TEXT) },
  ...{
    seed: NAME,
    at: TIME,
    event: NAME,
    header_prefix: nullable(TEXT),
    timeout_ms: COUNT,
    state_url: nullable(NAME),
  },
  counts: all(Object.fromEntries(VERDICTS.map((verdict) => [verdict, COUNT]))),
  ...{ hazards: listOf(HAZARD), left_out: listOf(all({ name: NAME, title: NAME, reason: TEXT })) },
  ...{ unknown_calls: listOf(TEXT), duration_ms: COUNT },
});

/** The result of `sandglass test`. Its first part contains more than the exploration. */
export const TEST_SCHEMA = all({
  ...{ verdict: ANYTHING, worst: ANYTHING, findings: listOf(PLAYED), check: nullable(CHECK) },
  ...{ explore: PART_SCHEMA, problem: ANYTHING, outside: ANYTHING },
});
