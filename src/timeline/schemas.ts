import { type Static, Type } from "typebox";
import { flag, integer, listOf, nullable, oneOf, shape, text, typed, VirtualTime } from "../http/shapes.ts";
import { ENDPOINT_CHANGES, ENDPOINT_STATES, SKIP_REASONS } from "./endpoint-state.ts";
import { DELIVERY_ERRORS, DELIVERY_STATUSES, DELIVERY_TRIGGERS } from "./shapes.ts";

/** Schemas of the data that is drawn and described. Only the API loads them; other modules import just the types. */

export const DeliveryStatus = oneOf(DELIVERY_STATUSES);
export const DeliveryTrigger = oneOf(DELIVERY_TRIGGERS);
/** The type of an event sent by the platform or by another sender. */
export const SentType = typed<string>("SentEventType", { type: "string" });
export const Threshold = nullable(
  integer("The number of failures in a row that disables the endpoint; null if no number of failures does."),
);

export const TimelineAttempt = shape("TimelineAttempt", {
  delivery_id: Type.String(),
  event_id: Type.String(),
  event: SentType,
  attempt: Type.Integer(),
  trigger: DeliveryTrigger,
  retry_of: nullable(Type.String()),
  resend_of: nullable(Type.String()),
  status: DeliveryStatus,
  response_code: nullable(Type.Integer()),
  error: nullable(oneOf(DELIVERY_ERRORS)),
  error_detail: nullable(Type.String()),
  started_at: VirtualTime,
  ended_at: nullable(VirtualTime),
  duration_ms: nullable(Type.Integer()),
  consecutive_failures: nullable(
    integer("Failures in a row after the attempt; null while it is pending, and for a test or a resend."),
  ),
  next_attempt_at: nullable(VirtualTime),
});
export type TimelineAttempt = Static<typeof TimelineAttempt>;

/** An event's retry schedule at an endpoint. */
export const planFields = {
  state: oneOf(["active", "delivered", "exhausted", "skipped"]),
  reason: nullable(Type.String()),
  next_attempt_at: nullable(VirtualTime),
};
/** A delivery's fields in addition to its request and response. */
export const DeliveryCircumstances = Type.Object({
  simulated: nullable(
    Type.Object({
      by: oneOf(["fault", "inbox", "seed"]),
      name: text("The name of the fault (such as `status:503`), the inbox or the seed."),
      called: flag("Whether a subscriber was called."),
    }),
    { description: "What the sandbox used instead of a subscriber's response; null for a real response." },
  ),
  signature: oneOf(["valid", "invalid", "missing"], {
    description: "Whether the signature sent matches the body and the endpoint's current secret.",
  }),
  endpoint: Type.Object({
    id: Type.String(),
    url: Type.String(),
    status: oneOf(ENDPOINT_STATES),
    consecutive_failures: Type.Integer(),
    threshold: Threshold,
  }),
  plan: nullable(Type.Object({ ...planFields, attempts: integer("Automatic attempts started so far.") }), {
    description: "The event's retry schedule at the endpoint; null for a test.",
  }),
  event_attempts: listOf(TimelineAttempt, "Every attempt of the event at the endpoint, oldest first."),
});
/** A delivery and its consequences, with the fields that an explanation needs. */
export type ExplainedDelivery = Static<typeof DeliveryCircumstances> &
  Pick<TimelineAttempt, "status" | "response_code" | "error" | "error_detail" | "trigger"> & {
    id: string;
    completed_at: string | null;
    response_body: string | null;
  };

const ahead = { event_id: Type.String(), attempt: Type.Integer(), due_at: VirtualTime };
export const PlannedAttempt = Type.Object({ ...ahead, event: SentType });
export const SkippedAttempt = Type.Object({
  event_id: Type.String(),
  event: SentType,
  attempt: Type.Integer(),
  reason: nullable(oneOf(SKIP_REASONS)),
  at: VirtualTime,
});
export const FailureCounter = Type.Object({
  consecutive_failures: Type.Integer(),
  threshold: Threshold,
  counts: oneOf(["attempts", "exhausted"], {
    description: "What counts as a failure: each failed attempt, or an event whose attempts are used up.",
  }),
});
export const EarlierAttempts = Type.Object(
  {
    attempts: Type.Integer(),
    since: nullable(text("When the first of these attempts was made, in virtual time, ISO 8601.")),
    slices: listOf(
      Type.Object({
        from: VirtualTime,
        to: VirtualTime,
        success: Type.Integer(),
        failed: Type.Integer(),
        pending: Type.Integer(),
      }),
      "How the attempts ended, by time slice, if the request asks for `slices`; empty slices are omitted.",
    ),
  },
  { description: "Attempts made before those in `attempts`, which are not listed." },
);
export const TimelineChange = Type.Object({
  type: oneOf([...ENDPOINT_CHANGES, "mail"]),
  reason: nullable(Type.String()),
  at: VirtualTime,
});

export const Timeline = shape("Timeline", {
  webhook_id: Type.String(),
  now: VirtualTime,
  status: oneOf(ENDPOINT_STATES),
  counter: FailureCounter,
  retry_delays: listOf(
    Type.Integer(),
    "Milliseconds from the end of failed attempt 1, 2 or 3 to the next attempt.",
  ),
  attempts: listOf(TimelineAttempt, "Attempts made, oldest first."),
  earlier: EarlierAttempts,
  planned: listOf(PlannedAttempt, "Attempts that are due later."),
  skipped: listOf(SkippedAttempt, "The latest attempts that will not be made."),
  forecast: Type.Object(
    { attempts: Type.Array(Type.Object(ahead)), disabled_at: nullable(VirtualTime) },
    {
      description:
        "The attempts that follow if each of them fails, and the time when that disables the endpoint.",
    },
  ),
  changes: listOf(TimelineChange, "Changes made to the endpoint, and e-mails about it."),
});
export type Timeline = Static<typeof Timeline>;

/** The consequences of a subscriber's outage. */
export const OutageFacts = Type.Object({
  disabled_at: nullable(VirtualTime),
  failures: integer("The most failures in a row while the server was down."),
  events: integer("How many events were sent, or should have been, since the server went down."),
  arrived: integer("How many of the events arrived once the server worked again."),
  unsent: integer(
    "How many events were never sent because the endpoint was disabled; they have no attempts.",
  ),
  missing: listOf(
    Type.Object({
      event: SentType,
      delivery_id: text("The latest attempt."),
      response_code: nullable(Type.Integer()),
      error: nullable(oneOf(DELIVERY_ERRORS)),
    }),
    "The events that failed again once the server worked, with your server's own responses.",
  ),
});
export type OutageFacts = Static<typeof OutageFacts>;

/** A run of a story at an endpoint, with each request's result. */
export const PlayedSteps = Type.Object({
  story: Type.String(),
  finding: nullable(text("The finding that was played; null for a schedule that was set by hand.")),
  schedule: listOf(Type.String(), "The deviations, as in a finding's file: lost@1."),
  steps: listOf(
    Type.Object({
      event: SentType,
      delivery_id: Type.String(),
      at: VirtualTime,
      differs: nullable(text("The deviation, such as lost@1; null if the attempt was sent as usual.")),
      words: text("The attempt's result, such as `lost: the request never arrives`."),
      statement: nullable(
        text("The handler's statement that the finding specifies; null if it specifies none."),
      ),
      response_code: nullable(Type.Integer()),
      answer: nullable(text("The beginning of your server's response.")),
    }),
    "Each attempt, in order.",
  ),
});
export type PlayedSteps = Static<typeof PlayedSteps>;

/** A position in a user's file; line and column start at 1. */
export const Position = Type.Object({ file: Type.String(), line: Type.Integer(), column: Type.Integer() });
export const ScenarioFailure = shape("ScenarioFailure", {
  code: oneOf(["expectation", "error", "time_limit", "nothing_expected", "step_not_awaited", "stopped"], {
    description:
      "`expectation`: an expectation was not met; `error`: the scenario threw an error; the other names are self-explanatory.",
  }),
  message: text("Plain text, on one or more lines."),
  hint: text("How to fix the failure; empty if the message is sufficient."),
  step: nullable(text("The title of the step in which it happened; null outside of steps.")),
  position: nullable(Position),
});
export type ScenarioFailure = Static<typeof ScenarioFailure>;
