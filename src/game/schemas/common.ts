import { type TProperties, Type } from "typebox";
import { integer, oneOf, shape, text } from "../../http/shapes.ts";
import { GAME_ERRORS } from "../errors.ts";
import { MAX_NONCE_LENGTH, MAX_PAGE_SIZE } from "../limits.ts";

/** Building blocks of the area's schemas. Formats are defined in http/validation.ts. */

export const ObjectId = Type.String({
  description: "24 hexadecimal characters.",
  examples: ["6967fa40000a2b1c9f3e5d71"],
});
/** A channel or message id sent by a caller. */
export const RecordId = Type.String({ minLength: 1, maxLength: 100, examples: ["6967fa40000a2b1c9f3e5d71"] });
export const GameId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: "A game's id, or its slug.",
  examples: ["6f1d2a7c40b8e35912cd7e04"],
});
const ADDRESS_EXAMPLE = { examples: ["0x5a0f3b1c9d7e2468ace013579bdf02468ace1357"] };
export const Wallet = Type.String({
  format: "address",
  description: "0x followed by 40 hexadecimal characters.",
  ...ADDRESS_EXAMPLE,
});
export const NormalizedAddress = Type.String({
  description: "The player's address in lower case.",
  ...ADDRESS_EXAMPLE,
});
export const Millis = Type.Integer({
  description: "Virtual time, milliseconds since the epoch.",
  examples: [1_768_467_600_000],
});
export const Nonce = Type.String({ minLength: 1, maxLength: MAX_NONCE_LENGTH, examples: ["run-1042"] });
export const StateText = Type.String({
  description: "JSON as a string, at most 1 MiB in UTF-8.",
  examples: ['{"level":4,"coins":120}'],
});

export const textOf = (maxLength: number, more: object = {}) =>
  Type.String({ minLength: 1, maxLength, ...more });

export const launcherJwt = {
  launcherJwt: Type.String({
    description: "The player's session: a JWT signed with HS256. `sandglass token` prints one.",
    examples: ["eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.…"],
  }),
};

/** The pagination fields. */
export const pageFields = (size: number) => ({
  limit: Type.Integer({
    minimum: 0,
    maximum: MAX_PAGE_SIZE,
    default: size,
    description: "The number of items on a page.",
  }),
  skip: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 0,
    description: "Items to skip.",
  }),
});

export const envelopeFields = {
  total: integer("The total number of items across all pages."),
  limit: Type.Integer(),
  skip: Type.Integer(),
};

export const success = <Fields extends TProperties>(title: string, fields: Fields) =>
  shape(title, { success: Type.Literal(true), ...fields });

export const GameErrorBody = shape(
  "Error",
  {
    name: oneOf(Object.keys(GAME_ERRORS)),
    message: text("What was wrong, and how to fix it."),
    code: integer("The HTTP status."),
    className: oneOf(Object.values(GAME_ERRORS).map(({ className }) => className)),
    data: Type.Object({ success: Type.Literal(false), error: text("The message.") }),
  },
  { description: "A FeathersJS error." },
);

/** The error responses that every operation declares. */
export const errorResponses = Object.fromEntries(
  [400, 401, 403, 404, 405, 429, 500].map((status) => [status, GameErrorBody]),
);
