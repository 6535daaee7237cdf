import { type TProperties, type TSchema, Type } from "typebox";
import { MOST_DELAY } from "../http/delay.ts";
import { shape, text, typed } from "../http/shapes.ts";
import type { Duration } from "../world/duration.ts";

/** Schema parts that the control API's operations share. */

const noOthers = { additionalProperties: false };

/** An object schema that rejects unknown fields, for example for a query. */
export const closed = <P extends TProperties>(properties: P) => Type.Object(properties, noOthers);
/** Makes all fields optional. */
export const optional = <P extends TProperties>(properties: P) =>
  Type.Partial(Type.Object(properties)).properties;
/** A request body with a title; it rejects unknown fields. */
export const body = <P extends TProperties>(title: string, properties: P) =>
  shape(title, properties, noOthers);
/** A request body whose fields are all optional. */
export const partialBody = <P extends TProperties>(title: string, properties: P) =>
  Type.Partial(Type.Object(properties), { title, ...noOthers });
/** A response that contains a list. */
export const dataOf = <Item extends TSchema>(item: Item, title: string) =>
  shape(title, { data: Type.Array(item) });

export const DurationValue = typed<Duration>("Duration", {
  anyOf: [{ type: "string" }, { type: "number" }],
  description: "500ms, 30s, 10m, 1h30m, 2d, PT1H, or milliseconds.",
  examples: ["1h"],
});
export const DelayValue = typed<Duration>("Duration", {
  anyOf: [{ type: "string" }, { type: "number", minimum: 0, maximum: MOST_DELAY }],
  description: `Real time to wait before the response, at most 60s: a duration such as 500ms or 2s, or a number of milliseconds.`,
  examples: ["2s"],
});
export const TimeValue = Type.Union([Type.String(), Type.Number()], {
  description: "ISO 8601, or milliseconds since the epoch.",
});
export const HttpStatus = Type.Integer({ minimum: 200, maximum: 599, examples: [503] });
export const Anything = Type.Record(Type.String(), Type.Unknown());

/** The id in a path. Clients that validate it before the call show this description. */
export const idOf = (what: string) => Type.Object({ id: text(`The id of ${what}.`) });
export const nameOf = (what: string) =>
  Type.Object({
    name: Type.String({ maxLength: 100, pattern: "^[A-Za-z0-9._-]+$", description: `The name of ${what}.` }),
  });
/** The organization that the rows belong to. */
export const Organization = Type.Optional(
  text("Only results from this organization, by its id or name. Default: all organizations."),
);
export const PageSize = Type.Integer({
  minimum: 1,
  maximum: 100,
  default: 20,
  description: "How many to return, 1 to 100.",
});
export const Limit = Type.Integer({ minimum: 1, maximum: 10_000, default: 1_000, description: "How many." });
export const PageQuery = closed({ after: Type.Integer({ minimum: 0, default: 0 }), limit: Limit });

export const ControlError = shape("Error", {
  error: Type.Object({
    code: Type.String(),
    message: Type.String(),
    hint: text("How to fix it."),
    param: Type.Optional(text("The path of the invalid field, if the error concerns a field.")),
  }),
});
/** Errors that any call may return. */
export const controlErrors = { 400: ControlError, 403: ControlError, 404: ControlError, 409: ControlError };
/** Errors that any call with a body may return. */
export const bodyErrors = { 413: ControlError, 415: ControlError };
