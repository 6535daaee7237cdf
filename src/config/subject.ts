import { fits } from "../schema/check.ts";
import type { Mistakes } from "../schema/mistakes.ts";
import {
  about,
  DURATION,
  field,
  integer,
  object,
  shortText,
  TEXT,
  TEXTS,
  type Value,
} from "../schema/schema.ts";

const VARIABLE = {
  type: "string",
  pattern: "^[A-Z_][A-Z0-9_]{0,99}$",
  errorMessage: "must be the name of an environment variable in capitals, not the secret itself",
} as const;
const SPAN = { ...DURATION, formatMinimum: 1, errorMessage: "must be a duration longer than 0" } as const;

/** The server under test of `check`, `explore`, `test` and `run`. Flags win over it. */
export const SUBJECT = object({
  url: {
    ...shortText(2_048),
    examples: ["http://127.0.0.1:3000/webhooks"],
    description: "Where your server takes webhooks.",
  },
  sender: {
    ...TEXT,
    unset: "the platform",
    examples: ["stripe"],
    description: "Whose webhooks it takes: a sender's name, or its file.",
  },
  secret: {
    ...VARIABLE,
    unset: "`SANDGLASS_WEBHOOK_SECRET`, else `webhooks.secret`",
    examples: ["STRIPE_WEBHOOK_SECRET"],
    description: "The environment variable with the secret that it verifies with, which `start` gets, too.",
  },
  oldSecret: {
    ...VARIABLE,
    examples: ["OLD_WEBHOOK_SECRET"],
    description: "The environment variable with a secret that was replaced: `check` tries it.",
  },
  state: {
    ...TEXT,
    examples: ["sqlite:shop.db"],
    description:
      "Its state: `sqlite:<file>`, `postgres://…`, a URL that returns JSON, or a shell command that prints it.",
  },
  tables: {
    ...TEXTS,
    unset: "all",
    examples: [["orders", "mails"]],
    description: "The tables of the database that count.",
  },
  ignore: field(TEXTS, [], "Paths of the state to leave out, such as `orders.*.seen_at`."),
  ordered: field(TEXTS, [], "Paths of lists whose order counts, such as `orders.*.history`."),
  reset: {
    ...TEXT,
    unset: "tables are put back",
    examples: ["npm run db:reset"],
    description: "A URL to POST to, or a shell command, that makes its state empty.",
  },
  start: {
    ...TEXT,
    unset: "it is running",
    examples: ["node server.mjs"],
    description:
      "The shell command that starts it, with its port in `PORT`. It is also restarted and killed.",
  },
  databaseEnv: field(
    TEXTS,
    [],
    "Variables that it reads its database's address from, beside `DATABASE_URL`: `start` gets that of a copy.",
  ),
  instances: field(
    integer(1, 8),
    1,
    "How many processes `start` starts behind its address: requests go to each in turn, and all use one database.",
  ),
  workers: field(
    integer(1, 32),
    1,
    "How many servers `start` starts to explore at once; `{worker}` in `start`, `state` and `reset` is the number of each.",
  ),
  idle: {
    ...TEXT,
    examples: ["http://127.0.0.1:3000/idle"],
    description: "A URL that answers 2xx once it has nothing more to do.",
  },
  apiPort: {
    ...integer(1, 65_535),
    unset: "none, or a free one with `start`",
    examples: [4455],
    description: "Port of the platform's API, for a server that reads it.",
  },
  stories: {
    ...TEXTS,
    unset: "all that are shipped",
    examples: [["late-payment", "./scenarios/late-order.ts"]],
    description: "The stories to explore, or scenarios of yours.",
  },
  events: {
    ...TEXT,
    unset: "the story of its file, or all",
    examples: ["invoice.paid,customer.deleted@20s"],
    description: "The sender's events: types, a file of them, or a capture.",
  },
  invariant: {
    ...TEXT,
    examples: ["./invariant.mjs"],
    description: "A module whose function throws if a state is wrong, whatever the schedule.",
  },
  at: {
    type: "string",
    format: "instant",
    unset: "`startAt`",
    examples: ["now"],
    description: 'Virtual time at which stories begin, or `"now"`.',
  },
  timeout: {
    ...SPAN,
    unset: "the sender's; `webhooks.timeout`",
    examples: ["5s"],
    description: "How long an answer may take.",
  },
  deviations: field(integer(1, 9), 3, "The most deviations in a schedule."),
  budget: about({ ...SPAN, default: "1m" }, "Real time to explore."),
  all: field(
    { type: "boolean" },
    false,
    "Whether to go on after a finding, and report each way to go wrong once.",
  ),
  skip: field(TEXTS, [], "Hazards that `check` leaves out."),
  seed: field(TEXT, "explore", "Draws the ids of what is explored."),
});

/** The settings of the server under test, with defaults; durations in milliseconds. */
export type SubjectSettings = {
  [Name in keyof Read]: Record<never, never> extends Pick<Read, Name> ? Read[Name] | undefined : Read[Name];
};
type Read = Value<typeof SUBJECT>;

/** Refuses a secret in place of its variable's name, without printing it. */
export function withoutSecrets(subject: unknown, mistakes: Mistakes): void {
  for (const name of ["secret", "oldSecret"] as const) {
    const { [name]: value } = Object(subject) as Record<string, unknown>;
    if (typeof value === "string" && !fits(VARIABLE, value))
      mistakes.add(`subject.${name}`, VARIABLE.errorMessage.replace("must be ", ""), "…");
  }
}
