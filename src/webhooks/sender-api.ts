import { field, integer, object, oneOf, type Schema, shortText, type Value } from "../schema/schema.ts";

const TEXT = shortText(500);
const FORM = { type: "object" } as const;
const PLACE = {
  type: "string",
  pattern: "^body(?:\\.[^.]+)*$",
  errorMessage: "must be a place in a body, such as body.data.object",
} as const;
const ANSWER = { anyOf: [FORM, { type: "array" }, { type: "string", maxLength: 500 }] } as const;
const MATCH = { type: "object", additionalProperties: TEXT } as const;

const READS = {
  one: { ...TEXT, description: "The kind of the object that is read." },
  list: { ...TEXT, description: "For a list: the kind of the listed objects." },
  of: { ...TEXT, description: "For a list: the kind of object that the list belongs to." },
  by: { ...MATCH, description: "Fields that identify the object, instead of its id." },
  hides: { ...MATCH, description: "Objects that a list contains only if a call asks for them." },
  oldest: { type: "boolean", description: "Whether a list starts with the oldest object." },
  answer: {
    ...ANSWER,
    description: "The response, as JSON or as text; `{it}` stands for the object or the list.",
  },
  headers: { ...MATCH, description: "Response headers." },
  status: integer(200, 299),
} as const;

const READ = {
  anyOf: [TEXT, object(READS, [])],
  errorMessage: "must be a kind, { list: kind }, { one: kind, by: { … } } or { answer: { … } }",
} as const satisfies Schema;

const OTHER = {
  by: { ...MATCH, description: "Fields that identify the object, instead of its id." },
  set: { ...FORM, description: "Fields that the rule sets for every call." },
} as const;

/** For display: which calls have the same effect, and what that effect is. */
const EFFECT = object(
  {
    as: { ...TEXT, unset: "the service", description: "The group of the effect, such as `mail`." },
    key: { ...TEXT, description: "Calls with equal keys do the same thing again." },
    thing: { ...TEXT, description: "The thing that the effect concerns, such as `the mail to {to}`." },
    done: field(TEXT, "made", "What happens to that thing, such as `sent`."),
  },
  ["key", "thing"],
);

const WRITES = {
  change: { ...TEXT, description: "The kind of the object that the call changes." },
  make: { ...TEXT, description: "Instead of `change`: the kind of the object that the call creates." },
  as: { ...FORM, description: "An example of the new object, with an id." },
  from: { ...TEXT, description: "The parameter with the object's fields, such as `data`." },
  ...OTHER,
  also: {
    type: "array",
    items: object(
      {
        change: TEXT,
        ...OTHER,
        add: {
          ...MATCH,
          description: 'What the call adds to numeric fields: `{ amount_refunded: "{amount}" }`.',
        },
        most: {
          ...MATCH,
          description:
            "The field that a number changed by `add` must not exceed; otherwise the call is refused: `{ amount_refunded: amount }`.",
        },
        full: {
          ...FORM,
          description: "Fields that the call sets when a number reaches its limit in `most`.",
        },
        message: TEXT,
        code: TEXT,
      },
      ["change"],
    ),
    description: "Other objects that the call changes, if there are any.",
  },
  each: {
    ...TEXT,
    description:
      "The parameter with a list: the call creates one object for each item. `body` stands for a body that is a list.",
  },
  item: { ...FORM, description: "With `each`: the part of the response for each object, as `{items}`." },
  answer: { ...ANSWER, description: "The response, as JSON or as text; `{it}` stands for the object." },
  headers: { ...MATCH, description: "Response headers." },
  status: integer(200, 299),
  effect: {
    ...EFFECT,
    unset: "its parameters",
    description:
      'What a trial says about the call, and which calls do the same: `{ key: "{to}: {subject}", thing: "the mail to {to}", done: sent }`.',
  },
} as const;

const WRITE = object(WRITES);

const GRAPHQL = object(
  {
    path: { ...TEXT, description: "The path of GraphQL calls, such as `/graphql`." },
    id: {
      ...TEXT,
      unset: "the API's `id`",
      description: "The field of an object that contains the id used in these calls.",
    },
    names: field(MATCH, {}, "Object fields by their names in these calls, such as `{ databaseId: id }`."),
    fields: {
      type: "object",
      additionalProperties: { anyOf: [TEXT, object({ ...READS, ...WRITES })] },
      description: "The rule of each root field: `issue: issue`, or `issueUpdate: { change: issue }`.",
    },
  },
  ["path", "fields"],
);

/** How a sender's API responds. See docs/sender-fields.md, "The API". */
const API = object(
  {
    base: {
      type: "string",
      pattern: "^https?://[^/?#]+[^?#]*$",
      errorMessage: "must be the address of the API, such as https://api.acme.com",
      description: "The base address of the API, including everything before a call's path.",
    },
    object: {
      anyOf: [PLACE, { type: "object", additionalProperties: PLACE }],
      errorMessage:
        "must be a place in a body, or one for each kind, such as { repository: body.repository }",
      description:
        "Where an event contains an object: one place if objects state their own kind, or a place for each kind.",
    },
    shows: {
      type: "object",
      additionalProperties: { type: "object", additionalProperties: { anyOf: [PLACE, FORM] } },
      unset: "nothing",
      description:
        'Additional objects that an event contains, by event type and kind: a place in the body, or a template if the body only names the object, such as `order.paid: { order: { id: "{order_id}", paid: true } }`. Places: those of the body, and `{time}`.',
    },
    gone: { ...MATCH, unset: "none", description: "Fields that mark an object as deleted." },
    kind: field(TEXT, "object", "The field that contains an object's kind."),
    id: field(TEXT, "id", "The field that contains an object's id."),
    reads: {
      type: "object",
      additionalProperties: READ,
      default: {},
      description: "What each call reads, by method and path: `GET /v1/orders/{id}: order`.",
    },
    writes: {
      type: "object",
      additionalProperties: WRITE,
      default: {},
      description: "What each call changes: `{ change: order }` or `{ make: refund }`.",
    },
    graphql: { ...GRAPHQL, unset: "none", description: "The sender's GraphQL API, by root fields." },
    list: {
      anyOf: [FORM, { type: "array" }],
      unset: "the objects alone",
      description:
        "The format of a list. Placeholders: `{items}`, `{more}`, `{path}`, `{last}` (the id of its last object).",
      errorMessage: "must be an object or a list that contains {items}",
    },
    limit: { ...TEXT, unset: "none", description: "The parameter for the number of objects in a list." },
    after: {
      ...TEXT,
      unset: "none",
      description: "The parameter with the id of the object before the first one.",
    },
    expand: {
      ...TEXT,
      unset: "none",
      description: "The parameter that lists ids to replace with their objects.",
    },
    ignores: field({ type: "array", items: TEXT }, [], "Read parameters that have no effect here."),
    idempotency: {
      ...TEXT,
      unset: "`Idempotency-Key`",
      description:
        "What makes a repeated write take effect only once: a header, or a parameter such as `body.idempotency_key`.",
    },
    unit: {
      ...oneOf("seconds", "milliseconds", "iso"),
      unset: "the events' format; for a service, `iso`",
      description: "The format of `{time}`.",
    },
    hosts: field(
      { type: "array", items: TEXT },
      [],
      "Further hosts of the same API, such as `api.eu.acme.com` or `*.acme.com`.",
    ),
    error: field(
      FORM,
      { error: { code: "{code}", message: "{message}" } },
      "The format of an error. Placeholders: `{message}`, `{code}`, `{status}`.",
    ),
    errors: field(
      { type: "object", additionalProperties: FORM },
      {},
      "The format of an error with a certain status, such as `429`, if it differs.",
    ),
    missing: field(TEXT, "There is no {kind} {id}.", "The message for an object that does not exist."),
    status: {
      ...integer(200, 599),
      unset: "the error's own",
      description: "The status of all errors except 429 and 5xx.",
    },
  },
  ["base"],
);

/** The fields of a sender's file that describe its API. */
export const API_FIELDS = {
  api: {
    anyOf: [TEXT, API],
    unset: "none",
    errorMessage: "must be an object with base, reads and writes, or a YAML or JSON file that contains one",
    description:
      "How the sender's API responds while a handler runs: described here, or in a file next to this one, which can also contain `objects`.",
  },
  objects: {
    type: "object",
    additionalProperties: {
      anyOf: [TEXT, { type: "object" }],
      errorMessage: "must be an object, or the type of an event whose example contains it",
    },
    unset: "none",
    description:
      "Objects that exist before any event, by their ids: written here, or taken from a type's example. If objects have no field for their kind, the key is `kind/id`.",
  },
} as const;

export const API_FILE = object({ api: API, objects: API_FIELDS.objects }, ["api"]);

/** Objects keyed by id, or the event types whose examples contain them. */
export type ApiObjects = Readonly<Record<string, string | Record<string, unknown>>>;

/** A sender's API as read from its file. */
export type SenderApi = Value<typeof API>;
export type ReadRule = Exclude<SenderApi["reads"][string], string>;
export type WriteRule = SenderApi["writes"][string];
