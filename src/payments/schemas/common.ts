import { type Static, type TObject, type TSchema, Type } from "typebox";
import { Instant, oneOf, type ResourceSchema, shape } from "../../http/shapes.ts";
import { TYPE } from "../../schema/schema.ts";
import { LAST_INSTANT } from "../../world/duration.ts";
import { PLATFORM_ERRORS } from "../errors.ts";

/** Building blocks for the platform's schemas. Their formats are defined in http/validation.ts. */

export const Address = Type.String({
  format: "address",
  description: "0x followed by 40 hexadecimal characters.",
  examples: ["0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"],
});
export const Amount = Type.String({
  format: "amount",
  description: "Integer amount in the token's smallest unit.",
  examples: ["2500000"],
});
/** The amount of a link or session; null lets the payer choose it. */
export const OpenAmount = {
  ...Amount,
  description: "In the token's smallest unit; null if the payer decides.",
};
export const ChainId = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, examples: [8453] });
/** An expiry time, or null for never. Published clients of this API family send a number. */
export const Expiry = Type.Union([
  Instant,
  Type.Integer({ minimum: 0, maximum: LAST_INSTANT, description: "Milliseconds since the epoch." }),
  Type.Null(),
]);
/** An instant in a query: ISO 8601, or milliseconds since the epoch. */
export const Moment = (what: string) =>
  Type.String({
    format: "moment",
    description: `${what}: ISO 8601, or milliseconds since the epoch.`,
    examples: ["2026-01-15T09:00:00Z", "1768467600000"],
  });
export const HttpUrl = Type.String({
  format: "http-url",
  maxLength: 2048,
  examples: ["https://example.com/thanks"],
});
export const Email = Type.String({ format: "email", maxLength: 254, examples: ["ada@example.com"] });
export const Name = Type.String({ minLength: 1, maxLength: 200, examples: ["Summer tote"] });
export const Description = Type.String({ maxLength: 2000 });
export const Search = Type.String({
  maxLength: 200,
  description: "A part of the text to search for, taken literally.",
});
export const ResourceId = Type.String({ minLength: 1, maxLength: 64 });
export const Uses = Type.Integer({ minimum: 1, maximum: 1_000_000_000 });

export const Metadata = Type.Record(
  Type.String(),
  Type.Union([Type.String({ maxLength: 500 }), Type.Number(), Type.Boolean(), Type.Null()]),
  {
    maxProperties: 50,
    propertyNames: { minLength: 1, maxLength: 40 },
    description:
      "Up to 50 keys of 40 characters; values are strings of 500 characters, numbers, booleans or null.",
    examples: [{ order_id: "1042" }],
    [TYPE]: "Metadata",
  },
);
export type Metadata = Static<typeof Metadata>;

export const NoQuery = Type.Object({});

export interface ResourceSchemas {
  item: ResourceSchema;
  /** The response to a create, if it contains additional fields. */
  created?: TSchema;
  query: TObject;
  create: TSchema;
  update: TObject;
}

export const listOf = (item: TSchema & { title?: string }) =>
  shape(`${item.title}List`, {
    object: Type.Literal("list"),
    data: Type.Array(item),
    has_more: Type.Boolean({ description: "Whether there is a page after this one." }),
    total_count: Type.Integer({ description: "The total number of matches across all pages." }),
    url: Type.String({ description: "The list's path." }),
  });

export const PlatformErrorBody = shape("Error", {
  error: Type.Object({
    type: oneOf([...new Set(Object.values(PLATFORM_ERRORS).map(({ type }) => type))]),
    code: oneOf(Object.keys(PLATFORM_ERRORS)),
    message: Type.String(),
    param: Type.Optional(Type.String({ description: "The invalid request parameter." })),
  }),
});

/** The error responses that every endpoint declares. */
export const errorResponses = Object.fromEntries(
  [400, 401, 403, 404, 409, 429, 500].map((status) => [status, PlatformErrorBody]),
);

export const IdParams = Type.Object({ id: Type.String() });

export const range = {
  from: Type.Optional(Moment("Created at or after")),
  to: Type.Optional(Moment("Created at or before")),
};

export const exportFields = {
  format: oneOf(["csv", "json"], { default: "csv" }),
  ...range,
};
