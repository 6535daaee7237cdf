import { named, object, oneOf, shortText } from "../../schema/schema.ts";
import { NOTIFICATION_TYPES } from "../notifications.ts";
import { ACTIVITY_TYPES } from "../rows.ts";
import { ACTION_KINDS } from "./rule.ts";

const NUMBER = { type: "number" } as const;
const NUMBER_OR_VALUE = {
  anyOf: [NUMBER, { const: "value" }],
  errorMessage: 'must be a number, or "value" for that of the trigger',
} as const;

const activity = object(
  {
    displayText: shortText(500),
    type: oneOf(...ACTIVITY_TYPES),
    eventId: shortText(200),
  },
  ["displayText"],
);
const score = object({ value: NUMBER_OR_VALUE, nonce: shortText(200) }, ["value"]);
const message = object({ content: shortText(4_000), channel: shortText(100) }, ["content"]);
const item = object({ name: shortText(100), quantity: NUMBER_OR_VALUE }, ["name"]);
const notification = object({ message: shortText(500), type: oneOf(...NOTIFICATION_TYPES) }, ["message"]);
const payment = object(
  {
    link: shortText(2_048),
    amount: {
      type: "string",
      pattern: "^(?:value|[0-9]{1,78})$",
      errorMessage:
        'must be digits in the token\'s smallest unit such as "2500000", or "value" for that of the trigger',
    },
    outcome: oneOf("completed", "failed"),
  },
  ["link"],
);

const ACTION = {
  anyOf: [
    object({ activity }, ["activity"]),
    object({ score }, ["score"]),
    object({ message }, ["message"]),
    object({ item }, ["item"]),
    object({ notification }, ["notification"]),
    object({ payment }, ["payment"]),
  ],
  errorMessage: `must be an object with one of ${ACTION_KINDS.join(", ")}`,
} as const;

const limits = object({ gte: NUMBER, gt: NUMBER, lte: NUMBER, lt: NUMBER, eq: NUMBER });

/** A rule of `game.rules`. */
export const RULE = named(
  "Rule",
  object(
    {
      name: { ...shortText(100), description: "The rule's unique name on the timeline." },
      game: { type: "string", minLength: 1, description: "A game's id or slug. Default: every game." },
      when: { ...shortText(200), description: "The trigger." },
      if: object({ value: limits }, ["value"]),
      then: {
        type: "array",
        items: ACTION,
        minItems: 1,
        errorMessage: `must be a list of actions: ${ACTION_KINDS.join(", ")}`,
      },
    },
    ["name", "when", "then"],
  ),
);
