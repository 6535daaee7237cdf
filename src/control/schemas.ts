import { Type } from "typebox";
import { FAILURE_REASONS } from "../payments/rows.ts";
import { CheckoutSession } from "../payments/schemas/checkout-sessions.ts";
import { Address, Amount, Email, Metadata } from "../payments/schemas/common.ts";
import { EnteredForm, Transaction } from "../payments/schemas/transactions.ts";
import { WebhookDelivery } from "../payments/schemas/webhooks.ts";
import { SUBSCRIBER_FAULTS } from "../payments/webhooks/subscriber-faults.ts";
import { CLOCK_MODES, MAX_RATE } from "../world/clock.ts";

/** Shapes of the control API. */

export const closed = { additionalProperties: false };
export const VirtualTime = Type.String({
  description: "Virtual time, ISO 8601.",
  examples: ["2026-01-15T09:00:00.000Z"],
});
const WallTime = Type.String({ description: "Real time, ISO 8601." });
const Anything = Type.Record(Type.String(), Type.Unknown());
export const enumOf = (values: readonly string[]) =>
  Type.Unsafe<string>({ type: "string", enum: [...values] });
const Status = Type.Integer({ minimum: 200, maximum: 599, examples: [503] });
export const Times = Type.Integer({
  minimum: 1,
  maximum: 1_000_000,
  description: "Hits this many times, then is lifted.",
});
export const Rate = Type.Number({
  minimum: 0,
  maximum: 1,
  description: "Hits with this probability, drawn from the seed.",
});

export const ControlError = Type.Object(
  {
    error: Type.Object({
      code: Type.String(),
      message: Type.String(),
      hint: Type.String({ description: "The way out." }),
    }),
  },
  { title: "Error" },
);
export const controlErrors = { 400: ControlError, 403: ControlError, 404: ControlError, 409: ControlError };

export const dataOf = (item: ReturnType<typeof Type.Object> | typeof Anything, title: string) =>
  Type.Object({ data: Type.Array(item) }, { title });

export const ClockState = Type.Object(
  { mode: enumOf(CLOCK_MODES), rate: Type.Number(), now: VirtualTime },
  { title: "Clock" },
);
export const Status_ = Type.Object(
  {
    ready: Type.Literal(true),
    version: Type.String(),
    url: Type.String(),
    bases: Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()])),
    world: Type.String(),
    seed: Type.String(),
    clock: ClockState,
    organization: Type.Object({ id: Type.String(), name: Type.String() }),
    organizations: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
      description: "All of them; the first is the one above.",
    }),
    keys: Type.Record(Type.String(), Type.String()),
    webhook_secret: Type.Union([Type.String(), Type.Null()]),
    player: Type.Union([Anything, Type.Null()]),
    counts: Type.Record(Type.String(), Type.Integer()),
    last_seq: Type.Integer({ description: "The newest journal entry's seq." }),
  },
  { title: "Status" },
);

export const DurationValue = Type.Union([Type.String(), Type.Number()], {
  description: "500ms, 30s, 10m, 1h30m, 2d, PT1H, or milliseconds.",
  examples: ["1h"],
});
export const TimeValue = Type.Union([Type.String(), Type.Number()], {
  description: "ISO 8601, or milliseconds since the epoch.",
});
export const Advance = Type.Object(
  {
    by: Type.Optional(DurationValue),
    to: Type.Optional(TimeValue),
    until: Type.Optional(
      Type.String({ description: "next, idle, or the name of an event such as webhook.disabled." }),
    ),
    dryRun: Type.Optional(
      Type.Boolean({
        description: "Says what would fire first and what that would cause, and changes nothing.",
      }),
    ),
  },
  { ...closed, title: "Advance" },
);
export const JournalEntry = Type.Object(
  { seq: Type.Integer(), type: Type.String(), at: VirtualTime, wall: WallTime, data: Anything },
  { title: "JournalEntry" },
);
export const AdvanceResult = Type.Object(
  {
    from: VirtualTime,
    to: VirtualTime,
    wall_ms: Type.Integer(),
    reached: Type.Boolean({
      description: "Whether it got as far as asked; with the name of an entry, whether that happened.",
    }),
    cancelled: Type.Boolean({ description: "Whether it was ended on the way; `to` is where." }),
    ledger: Type.Array(JournalEntry, { description: "What the advance caused, in order." }),
  },
  { title: "AdvanceResult" },
);
export const AdvancePreview = Type.Object(
  {
    from: VirtualTime,
    to: VirtualTime,
    dry_run: Type.Literal(true),
    would_fire: Type.Array(
      Type.Object({ due_at: VirtualTime, kind: Type.String(), key: Type.String(), payload: Anything }),
      { description: "What is due first, in order." },
    ),
    would_cause: Type.Object(
      {
        attempts: Type.Object(
          { least: Type.Integer(), most: Type.Integer() },
          { description: "How many webhook attempts end; where answers decide, the fewest and the most." },
        ),
        events: Type.Record(Type.String(), Type.Integer(), {
          description: "How many sessions expire and payments are settled, by the journal's names.",
        }),
      },
      { description: "All that the advance would cause, with what follows from what is due first." },
    ),
  },
  { title: "AdvancePreview" },
);
export const AdvanceAnswer = Type.Union([AdvanceResult, AdvancePreview], {
  description: "What it caused, or with dryRun what it would cause.",
});
export const AdvanceCancelled = Type.Object(
  {
    cancelled: Type.Boolean({ description: "Whether an advance was in progress." }),
    now: VirtualTime,
  },
  { title: "AdvanceCancelled" },
);
export const ClockChange = Type.Object(
  {
    mode: Type.Optional(Type.Unsafe<(typeof CLOCK_MODES)[number]>(enumOf(CLOCK_MODES))),
    rate: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: MAX_RATE })),
    now: Type.Optional(TimeValue),
  },
  { ...closed, title: "ClockChange" },
);

export const Pay = Type.Object(
  {
    payment_link_id: Type.Optional(
      Type.String({ description: "A link's id, short code or URL; opens a session of it." }),
    ),
    session_id: Type.Optional(Type.String()),
    outcome: Type.Optional(Type.Unsafe<"completed" | "failed">(enumOf(["completed", "failed"]))),
    failure_reason: Type.Optional(Type.Unsafe<(typeof FAILURE_REASONS)[number]>(enumOf(FAILURE_REASONS))),
    sender_address: Type.Optional(Address),
    amount: Type.Optional(Amount),
    form_data: Type.Optional(EnteredForm),
    discount_code: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    client_reference_id: Type.Optional(Type.String({ maxLength: 200 })),
    metadata: Type.Optional(Metadata),
    customer_email: Type.Optional(Email),
    customer_name: Type.Optional(Type.String({ maxLength: 200 })),
  },
  { ...closed, title: "Pay" },
);
export const PayResult = Type.Object(
  { transaction: Transaction, session: CheckoutSession, deliveries: Type.Array(WebhookDelivery) },
  { title: "PayResult" },
);

export const SubscriberFaultBody = Type.Object(
  {
    kind: Type.Optional(Type.Unsafe<(typeof SUBSCRIBER_FAULTS)[number]>(enumOf(SUBSCRIBER_FAULTS))),
    status: Type.Optional(Status),
    times: Type.Optional(Times),
    rate: Type.Optional(Rate),
    sequence: Type.Optional(
      Type.Array(
        Type.Union([Status, Type.Unsafe<(typeof SUBSCRIBER_FAULTS)[number]>(enumOf(SUBSCRIBER_FAULTS))]),
        {
          minItems: 1,
          maxItems: 1_000,
          description: "What happens at each attempt; after the last the fault is lifted.",
          examples: [[500, 500, 200]],
        },
      ),
    ),
    passThrough: Type.Optional(Type.Boolean({ description: "Calls the real subscriber as well." })),
  },
  { ...closed, title: "SubscriberFault" },
);
export const ApiFaultBody = Type.Object(
  {
    status: Type.Optional(Type.Integer({ minimum: 400, maximum: 599 })),
    latency: Type.Optional(Type.Integer({ minimum: 0, maximum: 60_000, description: "Real milliseconds." })),
    times: Type.Optional(Times),
    rate: Type.Optional(Rate),
    match: Type.Optional(
      Type.String({
        maxLength: 200,
        description: "Which calls: a method, a path with * for any text, or both.",
        examples: ["POST /payment-links*"],
      }),
    ),
  },
  { ...closed, title: "ApiFault" },
);
export const FaultState = Type.Object(
  {
    target: Type.String(),
    spec: Type.Union([Anything, Type.Null()]),
    asked: Type.Integer(),
    hit: Type.Integer(),
  },
  { title: "Fault" },
);

export const Behaviour = Type.Object(
  {
    status: Type.Optional(Status),
    sequence: Type.Optional(Type.Array(Status, { maxItems: 1_000 })),
    delay: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 60_000, description: "Real milliseconds before it answers." }),
    ),
    body: Type.Optional(Type.String({ maxLength: 65_536 })),
  },
  { ...closed, title: "InboxBehaviour" },
);
export const InboxMessage = Type.Object(
  {
    seq: Type.Integer(),
    received_at: VirtualTime,
    headers: Type.Record(Type.String(), Type.String()),
    body: Type.String(),
    signature: enumOf(["valid", "invalid", "missing", "unknown_webhook"]),
    answered: Type.Integer({ description: "The status it was answered with." }),
  },
  { title: "InboxMessage" },
);
export const Mail = Type.Object(
  {
    id: Type.String(),
    organization: Type.String(),
    to: Type.String(),
    subject: Type.String(),
    text: Type.String(),
    webhook_id: Type.Union([Type.String(), Type.Null()]),
    created_at: VirtualTime,
  },
  { title: "Mail" },
);
const requestFields = {
  id: Type.Integer(),
  area: Type.String(),
  method: Type.String(),
  path: Type.String(),
  status: Type.Integer(),
  duration_ms: Type.Number(),
  at: VirtualTime,
  wall: WallTime,
  curl: Type.String(),
};
export const RequestSummary = Type.Object(requestFields, { title: "Request" });
export const RequestDetail = Type.Object(
  {
    ...requestFields,
    headers: Type.Record(Type.String(), Type.String()),
    body: Type.Union([Type.String(), Type.Null()]),
    response_body: Type.Union([Type.String(), Type.Null()]),
  },
  { title: "RequestDetail" },
);
export const Reset = Type.Object(
  {
    seed: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: "Another seed; empty makes organizations and keys only.",
      }),
    ),
  },
  { ...closed, title: "Reset" },
);
export const IdParams = Type.Object({ id: Type.String() });
export const NameParams = Type.Object({
  name: Type.String({ maxLength: 100, pattern: "^[A-Za-z0-9._-]+$" }),
});
export const AreaParams = Type.Object({ area: Type.String() });
export const PageQuery = Type.Object(
  {
    after: Type.Integer({ minimum: 0, default: 0 }),
    limit: Type.Integer({ minimum: 1, maximum: 10_000, default: 1_000 }),
  },
  closed,
);
export const EventsQuery = Type.Object(
  {
    after: Type.Integer({ minimum: 0, default: 0, description: "Entries after this seq." }),
    before: Type.Optional(Type.Integer({ minimum: 0, description: "Entries before this seq." })),
    order: Type.Unsafe<"asc" | "desc">({ ...enumOf(["asc", "desc"]), default: "asc" }),
    types: Type.Optional(
      Type.String({ maxLength: 1_000, description: "Comma-separated; a name may end in *: delivery.*" }),
    ),
    limit: Type.Integer({ minimum: 1, maximum: 10_000, default: 1_000 }),
  },
  closed,
);
export const ReportQuery = Type.Object(
  {
    after: Type.Integer({
      minimum: 0,
      default: 0,
      description: "What happened after this seq of the journal.",
    }),
    title: Type.Optional(Type.String({ maxLength: 1_000 })),
  },
  closed,
);
export const TimelineQuery = Type.Object(
  { limit: Type.Integer({ minimum: 1, maximum: 10_000, default: 1_000 }) },
  closed,
);
export const LiveQuery = Type.Object(
  {
    after: Type.Optional(Type.Integer({ minimum: 0 })),
    types: Type.Optional(Type.String({ maxLength: 1_000 })),
    clock: Type.Boolean({
      default: false,
      description: "Also tells where the clock stands: at the beginning, and whenever it was moved or set.",
    }),
  },
  closed,
);
export { Anything, Status_ as StatusBody };
