import { EVENTS, SECRET } from "../payments/webhooks/endpoint-fields.ts";
import {
  about,
  DURATION,
  field,
  HEADERS,
  integer,
  object,
  oneOf,
  shortText,
  TEXT,
  TEXTS,
} from "../schema/schema.ts";
import { CLOCK_MODES, MAX_RATE } from "../world/clock.ts";
import { SECOND } from "../world/duration.ts";
import { CHAIN_DATA } from "./chain-data.ts";
import { GAME } from "./game.ts";
import { SUBJECT } from "./subject.ts";

const PORT = integer(0, 65_535);
const RATE = {
  type: "number",
  exclusiveMinimum: 0,
  maximum: MAX_RATE,
  errorMessage: `must be a number above 0 and at most ${MAX_RATE}`,
} as const;
const RATE_LIMIT = { anyOf: [integer(1, 1_000_000), { const: "off" }] } as const;
const HEADER_PREFIX = {
  type: "string",
  pattern: "^[A-Za-z][A-Za-z0-9-]{0,40}$",
  errorMessage: "must be letters, digits and hyphens, such as X-Platform-",
} as const;

const CLOCK = object({
  mode: about(
    oneOf(...CLOCK_MODES),
    "`live` runs in real time, `scaled` at `rate`, and `paused` waits for an advance.",
    { unset: '`"live"`, or `"scaled"` with a rate', examples: ["live"] },
  ),
  rate: field(RATE, 1, `Virtual seconds per real second, at most ${MAX_RATE}.`),
});

const ENDPOINT = object(
  {
    url: about(shortText(2_048), "Your server's webhook URL, or a path in the sandbox itself."),
    events: about(EVENTS, 'The event types to send to it; `["*"]` means all.', { unset: '`["*"]`' }),
    secret: about(SECRET, "The endpoint's signing secret.", {
      unset: "`webhooks.secret`, or drawn from the seed",
    }),
    description: about(shortText(2_000), "The endpoint's description, which the page shows."),
    headers: about(HEADERS, "Additional headers for the endpoint's deliveries."),
    organization: about(TEXT, "The organization that owns the endpoint: its name, slug or id.", {
      unset: "the first organization",
    }),
  },
  ["url"],
);

const WEBHOOKS = object({
  endpoints: field(
    {
      type: "array",
      items: ENDPOINT,
      examples: [[{ url: "http://127.0.0.1:3000/webhooks", secret: "whsec_the_one_my_server_knows" }]],
    },
    [],
    "Webhook endpoints to create in every new world: `url`, and optionally `events`, `secret`, `description`, `headers` and `organization`.",
  ),
  allowHttpHosts: field(
    TEXTS,
    [],
    "Hosts other than loopback that deliveries may call, even over plain http.",
  ),
  allowExternal: field({ type: "boolean" }, false, "Whether deliveries may leave this machine."),
  secret: about(SECRET, "The signing secret of every new endpoint.", {
    unset: "a different one for each, drawn from the seed",
    examples: ["whsec_the_one_my_server_knows"],
  }),
  headerPrefix: field(HEADER_PREFIX, "X-Platform-", "Prefix of the webhook headers."),
  deliveryId: field(
    oneOf("attempt", "event"),
    "attempt",
    '`"attempt"`: each attempt has its own delivery id. `"event"`: all attempts of an event share one.',
  ),
  retryDelays: field({ type: "array", items: DURATION }, ["1m", "10m", "1h"], "The delay before each retry."),
  timeout: field(DURATION, "30s", "The time limit for a subscriber's response."),
  disableAfter: object({
    consecutive: field(integer(1, 1_000), 10, "Consecutive failures that disable an endpoint."),
    count: field(
      oneOf("attempts", "exhausted"),
      "attempts",
      'What counts as a failure: each failed attempt, or each event whose automatic attempts have all failed (`"exhausted"`).',
    ),
  }),
});

const HTTPS = object(
  {
    key: about(TEXT, "The private key file."),
    cert: about(TEXT, "The file with the certificate and any intermediate certificates."),
    ca: about(
      TEXT,
      "The CA certificate file. Deliveries, `capture`, `check`, `explore`, the commands and `connect()` trust it.",
    ),
  },
  ["key", "cert"],
);

/** The default host, with which only this machine can reach the sandbox. */
export const DEFAULT_HOST = "127.0.0.1";

/**
 * The description of every setting. Validation and defaults (`resolveConfig`), the package's JSON Schema, the table in
 * docs/guide/configuration.md and the file that `sandglass init` writes are all derived from it.
 */
export const CONFIG = object({
  $schema: { type: "string", description: "In `sandbox.config.json`: its JSON Schema, for editors." },
  port: field(PORT, 4400, "Port to serve on; 0 picks a free one."),
  host: {
    ...TEXT,
    default: DEFAULT_HOST,
    description: "Address to bind; with `share`, every address of this machine unless you set one.",
  },
  share: field(
    { type: "boolean" },
    false,
    "Opens the page and the control API to other machines, with a token. Otherwise they only respond to this machine.",
  ),
  https: about(
    HTTPS,
    "Serves HTTPS instead of HTTP, with your own PEM files: `key` and `cert`, and optionally `ca`, which Sandglass trusts everywhere.",
    {
      unset: "plain HTTP",
      examples: [{ key: "localhost-key.pem", cert: "localhost.pem", ca: "rootCA.pem" }],
      errorMessage: "must be { key, cert, ca } with your own files",
    },
  ),
  publicUrl: {
    type: "string",
    format: "own-address",
    unset: "the bound address",
    examples: ["https://sandbox.example"],
    description: "The URL at which others reach the sandbox: the base URL of all links in its responses.",
  },
  seed: field(
    TEXT,
    "sandglass",
    'Seed for data and randomness; `"empty"` has only organizations, keys and games. With `senders`, and without `from` and `webhooks.endpoints`, the default is `"empty"`.',
  ),
  startAt: field(
    { type: "string", format: "instant" },
    "2026-01-15T09:00:00Z",
    'Virtual time at the start: ISO 8601, or `"now"`.',
  ),
  from: about(
    TEXT,
    "What new worlds start from: a fixtures folder, a scenario (its end state), or a snapshot file.",
    { unset: "none, the seed decides", examples: ["./fixtures"] },
  ),
  clock: CLOCK,
  dataDir: about(TEXT, "A folder to store the worlds in.", {
    unset: "none; worlds are in memory",
    examples: ["./sandbox-data"],
  }),
  settleTimeout: field(
    DURATION,
    "5s",
    "Real-time limit for an open request while the clock is advancing or paused.",
  ),
  allowedHosts: field(
    TEXTS,
    [],
    "Host names other than loopback that reach the areas and, from this machine, the control API.",
  ),
  allowedOrigins: field(
    { type: "array", items: { type: "string", format: "origin" } },
    [],
    "Page origins, such as `http://localhost:5173`, that may call the control API and the payments platform.",
  ),
  senders: field(
    TEXTS,
    [],
    'Senders besides the platform whose webhooks can be sent: the name of a built-in sender, such as `"stripe"`, or your own file.',
  ),
  scenarios: field(TEXT, "scenarios", "The folder with your scenarios."),
  findings: field(TEXT, "sandglass/findings", "The folder with explore's findings, one file each."),
  subject: SUBJECT,
  ports: object({
    platform: about(PORT, "A separate port for the payments platform.", { examples: [4401] }),
    data: about(PORT, "A separate port for chain data.", { examples: [4402] }),
    game: about(PORT, "A separate port for the game launcher.", { examples: [4403] }),
    api: about(PORT, "A separate port for the API of the first sender that has one.", { examples: [4455] }),
  }),
  worlds: object({
    idle: {
      ...DURATION,
      formatMinimum: SECOND,
      unset: "never",
      examples: ["1h"],
      description:
        "Closes worlds, except the default one, that have not been used for this long, in real time.",
      errorMessage: "must be a duration of at least 1s",
    },
    journalEntries: field(
      integer(1_000, 100_000_000),
      100_000,
      "How many entries a world's journal stores; the oldest are removed.",
    ),
    snapshotMemory: field(
      integer(1, 1_000_000),
      1_024,
      "Total size limit, in MiB, of all snapshots in memory; with `dataDir`, snapshots are files.",
    ),
  }),
  payments: object({
    rateLimit: field(RATE_LIMIT, 120, 'Calls per minute for each API key, or `"off"`.'),
    confirmationDelay: field(DURATION, 0, "Virtual time from a payment to its confirmation."),
  }),
  webhooks: WEBHOOKS,
  chainData: CHAIN_DATA,
  game: GAME,
});
