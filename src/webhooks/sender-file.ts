/** The fields of a sender's file are kept in one file, however long, in the order of the documentation. */

import { DURATION, field, integer, object, oneOf, shortText, type Value } from "../schema/schema.ts";
import type { KnownValues } from "./known.ts";
import { API_FIELDS, type ApiObjects, type SenderApi } from "./sender-api.ts";

const LINE = shortText(2_000);
/** A valid HTTP header value: printable Latin-1 characters and whitespace. */
export const HEADER_VALUE = "^[\\t -~\u00a0-\u00ff]*$";
const HEADERS = {
  type: "object",
  additionalProperties: {
    type: "string",
    maxLength: 2_000,
    pattern: HEADER_VALUE,
    errorMessage: "must be a header's value: one line, without characters such as €",
  },
  propertyNames: { type: "string", pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$" },
  maxProperties: 50,
  errorMessage: "must be at most 50 headers whose names are letters, digits and hyphens",
} as const;
const PLACE = {
  type: "string",
  pattern: "^(?:body(?:\\.[^.]+)+|header\\.[A-Za-z0-9-]+)$",
  errorMessage: "must be a place in a request, such as body.type or header.X-Acme-Event",
} as const;
const UNIT = oneOf("seconds", "milliseconds", "iso");
/** One setting for all events, or one per type. */
const byType = <const S extends object>(schema: S) =>
  ({ anyOf: [schema, { type: "object", additionalProperties: schema, maxProperties: 1_000 }] }) as const;

const NAME = {
  type: "string",
  pattern: "^[a-z][a-z0-9-]{0,39}$",
  errorMessage: "must be lower-case letters, digits and hyphens, such as acme",
} as const;

const JSON_BODY = {
  anyOf: [{ type: "object" }, { type: "array" }, { type: "string", maxLength: 1_000_000 }],
} as const;
const EVENT = {
  anyOf: [LINE, object({ body: JSON_BODY }, ["body"]), object({ form: { type: "object" } }, ["form"])],
  errorMessage: "must be the path of a JSON file, { body: … } or { form: … }",
} as const;

/** An id in an example, long enough not to occur in other values by chance. */
const KIND = { type: "string", minLength: 4, maxLength: 500 } as const;

const STORY_EVENT = {
  anyOf: [
    LINE,
    object(
      {
        ...{ type: LINE, after: DURATION, data: { type: "object" } },
        second: { type: "array", items: LINE, minItems: 1, maxItems: 100 },
      },
      ["type"],
    ),
  ],
  errorMessage: "must be a type, or { type, after, data, second }",
} as const;

const PACKAGE = {
  type: "string",
  pattern: "^(?:@[a-z0-9-]+/)?[a-z0-9.-]+@\\d+(?:-\\d+)?$",
  errorMessage: "must be a package and its major versions, such as stripe@23 or stripe@18-23",
} as const;
const BY_NAME = { type: "object", additionalProperties: { type: "object" }, maxProperties: 1_000 } as const;

/** How an older version of a sender's API differs from what the file describes. */
const GENERATION = object(
  {
    version: { ...LINE, description: "The newest API version in which objects have these shapes." },
    package: {
      ...PACKAGE,
      description: "The package whose types have these shapes, and its major versions.",
    },
    with: field(
      BY_NAME,
      {},
      "Fields of objects, by kind. `{items.data.0.current_period_end}` is the value of another field of that object.",
    ),
    without: field(
      {
        type: "object",
        additionalProperties: { type: "array", items: LINE, maxItems: 1_000 },
        maxProperties: 1_000,
      },
      {},
      "Fields that objects of a kind do not have, such as `parent` or `details.reason`.",
    ),
    events: field(BY_NAME, {}, "Data merged over a type's example."),
  },
  ["version"],
);

const SIGNATURE = object({
  header: {
    type: "string",
    pattern: "^(?:[A-Za-z][A-Za-z0-9-]*: ?[\\t -~\u00a0-\u00ff]+)?$",
    errorMessage: "must be a header with its value, such as Acme-Signature: t={time},v1={signature}",
    default: "",
    description: "The header and its value. Placeholders: `{signature}`, `{time}`, `{id}`, `{delivery}`.",
  },
  place: {
    ...PLACE,
    unset: "none",
    description:
      "Instead of a header: the place of the signature in the body. `over` then specifies the text that it covers.",
  },
  algorithm: field(
    oneOf("hmac-sha256", "hmac-sha1", "hmac-sha512", "ed25519", "jwt-es256", "secret", "none"),
    "hmac-sha256",
    "`jwt-es256` creates a JSON Web Token whose payload is `over`; `secret` sends the secret itself, as a token; `none` signs nothing.",
  ),
  encoding: field(oneOf("hex", "base64"), "hex", "How the signature is encoded."),
  over: field(
    LINE,
    "{body}",
    "The signed text. Placeholders: `{body}`, `{time}`, `{id}`, `{url}`, `{delivery}`, `{type}`, `{parameters}` (a form's fields, sorted by name, each name with its value) and `{sha256}` (of the body, in hex), and values in the body, such as `{body.order.id}`.",
  ),
  secret: field(
    oneOf("text", "base64", "hex"),
    "text",
    "How the key is encoded in the secret. For `ed25519`, a private key is derived from a `text`, and your server verifies with its public key.",
  ),
  key: {
    ...LINE,
    unset: "none",
    description: "The id of a token's key, which also determines the private key; the secret is not used.",
  },
  prefix: {
    type: "string",
    maxLength: 40,
    default: "",
    description: "The prefix of every secret. It is removed before a base64 secret is decoded.",
  },
  time: field(UNIT, "seconds", "The format of `{time}`."),
  clock: field(
    oneOf("real", "virtual"),
    "real",
    "Which clock `{time}` shows. Use `real` if verifiers reject old signatures, because they compare the time with the machine's clock.",
  ),
  also: {
    ...LINE,
    unset: "none",
    description:
      "What each further signature adds while a secret is being replaced, such as `,v1={signature}`.",
  },
  tolerance: {
    anyOf: [{ const: "any" }, DURATION],
    unset: "none",
    description:
      "The maximum age of a signature for the sender's own verifier; `any` if it ignores the time.",
  },
  ahead: field(
    oneOf("refused", "accepted"),
    "refused",
    "What the sender's own verifier does with a signature that is further in the future.",
  ),
});

const described = (description: string) => ({ ...LINE, unset: "none", description });

const STATUS_CLASS = {
  type: "string",
  pattern: "^[1-5]xx$",
  errorMessage: "must be a class of statuses, such as 2xx",
} as const;

/**
 * A sender's file: how it builds, signs, retries and abandons webhooks. Validation, defaults, the packaged JSON Schema
 * and docs/sender-fields.md are derived from it.
 */
export const SENDER = object(
  {
    $schema: { type: "string", description: "The file's JSON Schema, for editors." },
    name: { ...NAME, description: "The sender's name in commands and endpoints." },
    documentation: { ...LINE, unset: "none", description: "The sources of the facts." },
    read: { ...LINE, unset: "none", description: "When the facts were last checked, for example 2026-11." },
    assumed: field(
      { type: "array", items: LINE },
      [],
      "Fields of this file whose facts the sender does not publish. Results that depend on such a field say so.",
    ),
    notes: field({ type: "array", items: LINE }, [], "Facts that the file cannot express, in sentences."),
    events: {
      type: "object",
      additionalProperties: EVENT,
      maxProperties: 1_000,
      description:
        "What the sender can send: a body for each type, written here as `{ body: … }` (an object, a list of events, or JSON in a string) or `{ form: … }`, or in a JSON file next to this one.",
    },
    version: { ...LINE, unset: "none", description: "The API version of the bodies." },
    versionAt: { ...PLACE, unset: "none", description: "Where a body contains that version." },
    package: {
      ...PACKAGE,
      unset: "none",
      description:
        "The npm package whose types match the bodies, and its major versions: `stripe@18-23`. A project that uses another version gets a note.",
    },
    versionFile: {
      ...LINE,
      unset: "none",
      description: "The file in that package that contains its API version, in quotes.",
    },
    versionIn: object({
      go: object(
        {
          module: described(
            "The same for Go: a module without its major version, such as `github.com/acme/acme-go`.",
          ),
          file: described("The file in that module that contains its API version."),
        },
        ["module", "file"],
      ),
      maven: object(
        {
          artifact: described("The same for Java: an artifact, such as `com.acme:acme-java`."),
          file: described("The file in its jar, such as `com/acme/ApiVersion.class`."),
        },
        ["artifact", "file"],
      ),
    }),
    generations: field(
      { type: "array", items: GENERATION, maxItems: 20 },
      [],
      "How older API versions differ, newest first: `{ version, package, with, without, events }`, as above.",
    ),
    stories: {
      type: "object",
      additionalProperties: { type: "array", items: STORY_EVENT, minItems: 1, maxItems: 100 },
      maxProperties: 100,
      unset: "all types, one after another",
      description:
        "Named sequences of events for `explore` and `send --story`. Each step is a type, or `{ type, after, data, second }`. `after` counts from the start (default: 20 s after the previous event); `data` is merged over the example body; `second` lists kinds, such as `[invoice]`, of which the event is about the second example in `kinds`.",
    },
    type: { ...PLACE, unset: "none", description: "Where a request contains the type of its event." },
    id: {
      ...PLACE,
      unset: "none",
      description: "Where a request contains the id that stays the same when an event is sent again.",
    },
    idLike: field(
      LINE,
      "00000000-0000-0000-0000-000000000000",
      "An example of an id in a header; new ids get the same form. If the id is in the body, the example body contains one.",
    ),
    ids: field(
      oneOf("small", "large"),
      "small",
      "`large`: ids that are numbers exceed 2^53, beyond which JavaScript rounds them.",
    ),
    nonce: {
      ...PLACE,
      unset: "none",
      description: "Where a body contains another string, in addition to the id, that is new in each event.",
    },
    about: field(
      { type: "array", items: PLACE },
      [],
      "Where a body identifies what the event is about, such as an order: `check` sends `other-events` about a new one.",
    ),
    kinds: {
      type: "object",
      additionalProperties: {
        anyOf: [KIND, { type: "array", items: KIND, minItems: 1, maxItems: 100 }],
      },
      maxProperties: 200,
      unset: "none",
      description:
        "What the examples are about, by kind: `{ customer: cus_1a2b3c, email: ada@example.com }`, or a list of several. `known` replaces these.",
      errorMessage:
        "must be the examples' ids by kind, of at least 4 characters, such as { customer: cus_1a2b3c }",
    },
    metadata: field(
      { type: "array", items: LINE },
      ["metadata"],
      "The fields in which objects carry a person's own data: `known` adds to these.",
    ),
    time: {
      ...byType(PLACE),
      unset: "none",
      description:
        'Where a body has the event\'s time, which is renewed. By type: `{ "v2.*": body.at, "*": body.created }`.',
    },
    unit: field(
      byType(UNIT),
      "seconds",
      'How that time is written. It can depend on the type: `{ "v2.*": iso, "*": seconds }`.',
    ),
    changed: field(
      { type: "array", items: PLACE },
      [],
      "Where a body has the time at which an object last changed. It is renewed with the event's time, and written like the example.",
    ),
    account: {
      ...PLACE,
      unset: "none",
      description:
        "Where an event from a connected account identifies that account. Such events are signed with the second of two secrets, which are separated by a space.",
    },
    form: {
      ...LINE,
      unset: "bodies are JSON",
      description:
        "Sends each JSON body as a form, as text in this field, such as `payload` for GitHub's forms. Paths and data still refer to the JSON.",
    },
    headers: field(
      HEADERS,
      {},
      "Additional headers. Placeholders: `{type}`, `{id}`, `{delivery}` (of an attempt), `{endpoint}`, `{time}`, `{url}`, `{sha1}` (an older signature: the body's HMAC-SHA1 in hex). `Content-Encoding: gzip` compresses the body after it is signed; so do `deflate`, `br` and `zstd`.",
    ),
    signature: SIGNATURE,
    largest: {
      ...integer(1, 1_000_000_000),
      unset: "none",
      description: "The maximum size of a body, in bytes.",
    },
    retries: object({
      delays: {
        type: "array",
        items: DURATION,
        maxItems: 1_000,
        unset: "no retries",
        description: "The delay before each retry, from the end of the failed attempt.",
      },
      every: {
        ...DURATION,
        formatMinimum: 1,
        unset: "none",
        description: "Instead of `delays`: the same delay before every retry.",
      },
      for: { ...DURATION, unset: "none", description: "With `every`: how long to keep retrying." },
      jitter: field(
        { type: "number", minimum: 0, maximum: 1 },
        0,
        "The random variation of each delay, as a fraction of the delay, drawn from the seed.",
      ),
      except: field({ type: "array", items: LINE }, [], "Types that are never sent again."),
    }),
    timeout: field(DURATION, "30s", "The time limit for a subscriber's response."),
    success: field(
      { anyOf: [STATUS_CLASS, integer(100, 599)] },
      "2xx",
      "Which responses count as a success.",
    ),
    gone: {
      ...integer(100, 599),
      unset: "none",
      description: "The response that disables the endpoint immediately, such as 410.",
    },
    disable: {
      anyOf: [
        { const: "never" },
        object({ failures: integer(1, 1_000) }, ["failures"]),
        object({ "failing-for": DURATION }, ["failing-for"]),
      ],
      default: "never",
      description:
        "When an endpoint is disabled: never, after a number of failures in a row, or after failing for some time.",
      errorMessage: "must be never, { failures: 8 } or { failing-for: 5d }",
    },
    order: field(
      oneOf("none", "endpoint"),
      "none",
      "`endpoint`: an event waits until all older events for its endpoint have succeeded or finally failed.",
    ),
    resend: field(
      { type: "boolean" },
      false,
      "Whether a user can resend an event, for example with a button in the sender's dashboard.",
    ),
    unlisted: field(
      { type: "boolean" },
      true,
      "Whether an endpoint can get types that it does not list, including new ones.",
    ),
    onlyListed: field(
      { type: "array", items: LINE },
      [],
      "Types that an endpoint gets only if it lists them, such as `v2.*`: `check` and `explore` send them only if you name them.",
    ),
    answers: field(
      { type: "array", items: LINE },
      [],
      "Types whose response a person sees, such as `interaction.*`: with `--state effects`, the first 2xx response is compared.",
    ),
    ...API_FIELDS,
  },
  ["name", "events", "signature"],
);

/** A server's paths, keyed by event type. */
export type Routes = Readonly<Record<string, string>>;

/** A sender's file with its defaults, and durations in milliseconds. */
export type SenderFacts = Omit<Value<typeof SENDER>, "events" | "api" | "objects"> & {
  /** Each type's example body as sent, or its path in the package, so that only the required bodies are read. */
  events: Record<string, string | PackagedBody>;
  api?: SenderApi;
  objects?: ApiObjects;
  /** Values in the user's database that replace the file's own in bodies, stories and the API. */
  known?: KnownValues;
  /** The server's path for each event type; a name may end in `*`. */
  routes?: Routes;
};

/** The path of a packaged body: `stripe/invoice.paid.json`. */
export interface PackagedBody {
  packaged: string;
}
