import { Type } from "typebox";
import { DEVIATIONS } from "../../explore/schedule.ts";
import { nullable, oneOf, shape } from "../../http/shapes.ts";
import { body, closed, DurationValue, VirtualTime } from "./common.ts";
import { Timeline } from "./webhooks.ts";

/** Shapes of the control API's calls about explorations. */

const Value = Type.Unsafe<unknown>({ description: "Any JSON; left out where the state has no such place." });
const Difference = Type.Object({
  path: Type.String({ examples: ["orders.order-7.status"] }),
  expected: Type.Optional(Value),
  actual: Type.Optional(Value),
});
const Deviation = oneOf(DEVIATIONS);
const count = (description: string) => Type.Integer({ minimum: 0, description });

export const NewExploration = body("NewExploration", {
  subscriber: Type.String({ description: "Where your server takes webhooks." }),
  state: Type.String({ description: "A URL that returns its state as JSON, by GET." }),
  reset: Type.String({ description: "A URL that makes its state empty, by POST." }),
  story: Type.Optional(Type.String({ description: "The story to play; all by default." })),
  secret: Type.Optional(
    Type.String({
      description:
        "The secret that it verifies with. By default that of the configuration, or SANDGLASS_WEBHOOK_SECRET.",
    }),
  ),
  ignore: Type.Optional(Type.Array(Type.String(), { description: "Paths that are not compared." })),
  ordered: Type.Optional(Type.Array(Type.String(), { description: "Paths of lists whose order counts." })),
  deviations: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 9, description: "The most in a schedule; 2 by default." }),
  ),
  budget: Type.Optional(DurationValue),
  seed: Type.Optional(Type.String({ minLength: 1, description: "Draws other ids." })),
});

export const Wait = closed({ wait: Type.Optional(DurationValue) });

const Level = Type.Object({
  deviations: Type.Integer(),
  schedules: nullable(Type.Integer({ description: "How many there are; null if they were not begun." })),
  tried: count("How many were tried."),
  alike: count("Of those: how many look to your server like an earlier one."),
  undelivered: count("Of those: how many left an event undelivered, so that their state is not compared."),
});
const PlayedLevel = Type.Object({
  ...Level.properties,
  compared: count("Of those tried: how many ended in a state that was compared."),
});
const VERDICTS = ["found", "nothing_found", "not_deterministic", "inconclusive"] as const;
const Story = Type.Object({
  name: Type.String(),
  title: Type.String(),
  verdict: nullable(oneOf(VERDICTS)),
  levels: Type.Array(PlayedLevel),
  reason: nullable(Type.String({ description: "Why it was not played." })),
});

const Finding = shape("ExplorationFinding", {
  title: Type.String({ examples: ["A paid order ends up cancelled."] }),
  deviations: Type.Array(Type.Object({ attempt: Type.Integer(), kind: Deviation })),
  attempts: Type.Array(
    Type.Object({
      at: VirtualTime,
      event: Type.String(),
      attempt: Type.Integer(),
      trigger: oneOf(["automatic", "manual", "test", "resend"]),
      failed: Type.Boolean(),
      deviation: nullable(Deviation),
      result: Type.String({ examples: ["lost: the request never arrives"] }),
    }),
  ),
  differences: Type.Array(Difference),
  parting: Type.Array(
    Type.Object({
      attempts: Type.Array(Type.Integer(), { description: "Several that were processed at the same time." }),
      event: Type.String(),
      calm: Type.Array(Type.String({ examples: ["orders.order-7.paid: 1 → 2"] })),
      found: Type.Array(Type.String()),
      parts: Type.Boolean({ description: "Whether it is the first that changed something else." }),
    }),
    {
      description: "What each delivery changed, beside the calm run: around the one at which the runs part.",
    },
  ),
  invariant: nullable(Type.String()),
  runs: Type.Integer({ description: "How often the schedule was played." }),
  wrong: Type.Integer({ description: "In how many of these runs it went wrong: fewer for a race." }),
  why: Type.String(),
  timelines: Type.Object({
    ...{ calm: Timeline, found: Timeline },
    second: nullable(Timeline, { description: "Of the found run: the second endpoint with the same URL." }),
  }),
  lost: Type.Array(Type.String(), {
    description: "The deliveries of the found run whose request or answer the schedule lost.",
  }),
  scenario: nullable(
    Type.Object(
      { name: Type.String(), text: Type.String() },
      { description: "A scenario that plays it again; null if none can." },
    ),
  ),
});

export const Exploration = shape("Exploration", {
  id: Type.String({ examples: ["exp_1"] }),
  status: oneOf(["running", ...VERDICTS, "failed"]),
  story: nullable(Type.String({ description: "Null for all." })),
  subscriber: Type.String(),
  state: Type.String(),
  reset: Type.String(),
  ignore: Type.Array(Type.String()),
  ordered: Type.Array(Type.String()),
  deviations: Type.Integer(),
  own_secret: Type.Boolean({ description: "Whether it came with a secret. That is not returned." }),
  progress: nullable(Type.Object({ story: Type.String(), ...Level.properties })),
  error: nullable(Type.Object({ code: Type.String(), message: Type.String(), hint: Type.String() })),
  result: nullable(
    Type.Object({
      verdict: Type.String(),
      stories: Type.Array(Story),
      levels: Type.Array(PlayedLevel, { description: "Of the story with the finding, else of the first." }),
      stopped: nullable(oneOf(["budget", "cancelled"])),
      seed: Type.String(),
      duration_ms: Type.Integer(),
      unstable: nullable(
        Type.Array(Difference, { description: "Where two runs of one schedule ended differently." }),
      ),
      reordered: Type.Array(Type.Object({ path: Type.String(), numbered: Type.Boolean() }), {
        description: "Lists with the same entries in another order, or with other numbers: no difference.",
      }),
      finding: nullable(Finding),
    }),
  ),
});
export const ExplorationRemoved = shape("ExplorationRemoved", {
  id: Type.String(),
  deleted: Type.Literal(true),
});
export const StoryList = shape("StoryList", {
  data: Type.Array(Type.Object({ name: Type.String(), title: Type.String() })),
});
