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
  errorMessage: "must be the upper-case name of an environment variable, not the secret itself",
} as const;
const MAIL_VARIABLE = {
  type: "string",
  pattern: "^[A-Z_][A-Z0-9_]{0,99}(?:HOST|HOSTNAME|SERVER|PORT|URL|URI|DSN|SECURE|SSL)$",
  errorMessage: "must be an environment variable name that ends with HOST, PORT, URL, DSN or SECURE",
} as const;
const KNOWN_VALUE = { anyOf: [{ type: "string" }, { type: "number" }, { type: "boolean" }] } as const;
const KNOWN = {
  type: "object",
  additionalProperties: {
    anyOf: [
      ...KNOWN_VALUE.anyOf,
      { type: "array", items: KNOWN_VALUE, minItems: 1, maxItems: 100 },
      { type: "object" },
    ],
  },
  maxProperties: 100,
  errorMessage:
    'must be ids by kind, such as { customer: "cus_123" }, lists of them, or fields: { metadata: { userId: "42" } }',
} as const;
const ADDRESS = shortText(2_048);
const SPAN = { ...DURATION, formatMinimum: 1, errorMessage: "must be a duration longer than 0" } as const;

/** The server under test for `check`, `explore`, `test` and `run`. Flags override these settings. */
export const SUBJECT = object({
  url: about(
    {
      anyOf: [
        ADDRESS,
        { type: "object", additionalProperties: ADDRESS, minProperties: 1, maxProperties: 1_000 },
      ],
    },
    "Your server's webhook URL. A sender's event types can have their own URLs on that server; other types are not sent unless `*` has a URL.",
    {
      examples: [
        "http://127.0.0.1:3000/webhooks",
        { "orders/create": "http://127.0.0.1:3000/webhooks/orders" },
      ],
      errorMessage: 'must be a URL, or URLs by event type, such as { "orders/create": "http://…" }',
    },
  ),
  sender: about(TEXT, "The sender whose webhooks your server receives: a name or a file.", {
    unset: "the platform",
    examples: ["stripe"],
  }),
  secret: about(
    VARIABLE,
    "The environment variable with the signing secret, which is also passed to `start`.",
    { unset: "`SANDGLASS_WEBHOOK_SECRET`, else `webhooks.secret`", examples: ["STRIPE_WEBHOOK_SECRET"] },
  ),
  known: about(
    KNOWN,
    "Values from your database to use in the sender's examples: ids by kind, fields of a kind, metadata.",
    { examples: [{ customer: "cus_123", metadata: { userId: "42" } }] },
  ),
  version: about(TEXT, "The version of the sender's API to use for events.", {
    unset: "the version in the project's package",
    examples: ["2024-06-20"],
  }),
  seed: about(TEXT, "A shell command that fills the database copy before `start`.", {
    examples: ["npm run db:seed"],
  }),
  oldSecret: about(VARIABLE, "The environment variable with a retired secret, which `check` tries.", {
    examples: ["OLD_WEBHOOK_SECRET"],
  }),
  state: about(
    TEXT,
    "Where to read your server's state: `sqlite:<file>`, `postgres://…`, `mysql://…`, a URL that returns JSON, or a shell command that prints it.",
    { examples: ["sqlite:shop.db"] },
  ),
  tables: about(TEXTS, "The database tables to compare.", {
    unset: "all",
    examples: [["orders", "mails"]],
  }),
  ignore: field(TEXTS, [], "State paths to leave out, such as `orders.*.seen_at`."),
  ordered: field(TEXTS, [], "Paths of lists whose order matters, such as `orders.*.history`."),
  inPlace: field(
    { type: "boolean" },
    false,
    "Whether trials may use your own database if `start` does not give the server a copy: its tables are restored after each schedule.",
  ),
  reset: about(TEXT, "A URL to POST to, or a shell command, that clears your server's state.", {
    unset: "tables are restored",
    examples: ["npm run db:reset"],
  }),
  start: about(
    TEXT,
    "The shell command that starts your server, with its port in `PORT`. Trials also restart and kill the server.",
    { unset: "none, for a server that is already running", examples: ["node server.mjs"] },
  ),
  startTimeout: about(
    { ...SPAN, default: "1m" },
    "How long, in real time, the server may take to accept connections after `start`.",
  ),
  databaseEnv: field(
    TEXTS,
    [],
    "Variables other than `DATABASE_URL` from which your server reads its database address: `start` gets the copy's address.",
  ),
  instances: field(
    integer(1, 8),
    1,
    "How many processes `start` starts behind one address: requests go to each in turn, and all of them use one database.",
  ),
  workers: about(
    integer(1, 32),
    "How many servers to start and explore at once; `{worker}` in `start`, `state` and `reset` stands for the server's number.",
    { unset: "one per processor, at most 4, if worthwhile", examples: [2] },
  ),
  idle: about(TEXT, "A URL that returns 2xx once the server has nothing more to do.", {
    examples: ["http://127.0.0.1:3000/idle"],
  }),
  allow: field(
    TEXTS,
    [],
    "External hosts that your server may actually reach; Sandglass responds to calls to all others. `*.acme.io` means all subdomains of acme.io.",
  ),
  mailEnv: field(
    { type: "array", items: MAIL_VARIABLE },
    [],
    "Variables from which your server reads its mail server's address: `start` gets the address of a server that accepts every e-mail.",
  ),
  gate: field(
    { type: "array", items: VARIABLE },
    [],
    "Variables from which your server reads the address of a local store with an HTTP API, such as `SUPABASE_URL`: `start` gets an address at which each call can be interrupted. The store's database is used in place.",
  ),
  apiPort: about(
    integer(1, 65_535),
    "The port on which to serve the platform's API, for a server that calls it.",
    {
      unset: "none, or a free one with `start`",
      examples: [4455],
    },
  ),
  stories: about(TEXTS, "The stories to explore, or your own scenarios.", {
    unset: "all shipped stories",
    examples: [["late-payment", "./scenarios/late-order.ts"]],
  }),
  events: about(TEXT, "The sender's events: types, an events file, or a capture.", {
    unset: "the story in its file, or all types",
    examples: ["invoice.paid,customer.deleted@20s"],
  }),
  invariant: about(TEXT, "A module whose function throws if a state would be wrong under any schedule.", {
    examples: ["./invariant.mjs"],
  }),
  at: {
    type: "string",
    format: "instant",
    unset: "`startAt`",
    examples: ["now"],
    description: 'The virtual time at which stories start, or `"now"`.',
  },
  timeout: about(SPAN, "The time limit for a response.", {
    unset: "the sender's limit, or `webhooks.timeout`",
    examples: ["5s"],
  }),
  deviations: field(integer(1, 9), 3, "The maximum number of deviations in a schedule."),
  budget: about(
    { ...SPAN, default: "1m" },
    "Real time to keep exploring after all schedules with one deviation have been tried.",
  ),
  all: field(
    { type: "boolean" },
    false,
    "Whether to continue after a finding and report each kind of failure once.",
  ),
  skip: field(TEXTS, [], "Hazards for `check` to skip."),
});

/** The settings for the server under test, with defaults. Durations are in milliseconds. */
export type SubjectSettings = Complete<Value<typeof SUBJECT>>;

/** The same type, but with every field present; a missing value is explicitly undefined. */
export type Complete<Read> = {
  [Name in keyof Read]: Record<never, never> extends Pick<Read, Name> ? Read[Name] | undefined : Read[Name];
};

/** Rejects a secret that was given where the name of its variable belongs, without printing it. */
export function withoutSecrets(subject: unknown, mistakes: Mistakes): void {
  for (const name of ["secret", "oldSecret"] as const) {
    const { [name]: value } = Object(subject) as Record<string, unknown>;
    if (typeof value === "string" && !fits(VARIABLE, value))
      mistakes.add(`subject.${name}`, VARIABLE.errorMessage.replace("must be ", ""), "…");
  }
}
