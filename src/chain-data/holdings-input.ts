import { type Static, Type } from "typebox";
import { unknownField } from "../errors/closest.ts";
import { misuse } from "../errors/errors.ts";
import { nullable, oneOf, shape, typed } from "../http/shapes.ts";
import { TOKEN_TYPES } from "./holdings.ts";
import { InvalidShape } from "./providers/shape.ts";
import { tokenItem } from "./providers/token-items.ts";
import { type AddressToken, TokenInstance, TokenSummary } from "./schemas.ts";

const EXAMPLE =
  'For example: {"value": "2500000", "token": {"address": "0x…", "symbol": "USDC", "decimals": "6"}}.';

/** The maximum number of tokens that can be set for an address on a chain. */
export const MAX_HOLDINGS = 10_000;

export const HeldToken = Type.Partial(
  Type.Object({
    ...TokenSummary.properties,
    decimals: nullable(Type.String({ format: "uint8" })),
    total_supply: nullable(Type.String({ format: "uint256" })),
    type: oneOf(TOKEN_TYPES, { default: "ERC-20", description: "Default: ERC-20." }),
  }),
);

const AnyInstance = typed<Record<string, unknown>>(
  "Record<string, unknown>",
  Type.Partial(Type.Object(TokenInstance.properties)),
);

/** A token as users write it. Missing fields are unknown or derived from the others. */
export const HoldingInput = shape(
  "HoldingInput",
  {
    value: Type.Optional(
      Type.String({
        format: "uint256",
        description: "The balance, in the smallest unit. Default: 1.",
        examples: ["2500000"],
      }),
    ),
    token_id: Type.Optional(nullable(Type.String({ format: "uint256" }))),
    token: HeldToken,
    token_instance: Type.Optional(
      Type.Union([AnyInstance, Type.Null()], {
        description: "A single token of a collection. Default: generated from `token_id`.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type HoldingInput = Static<typeof HoldingInput>;

/** @throws SandboxError `bad_request`, naming the field */
export const readHoldings = (address: string, tokens: readonly HoldingInput[]): AddressToken[] =>
  tokens.map((input, index) => readHolding(address, input, `tokens[${index}]`));

/**
 * Fills in missing fields and validates the others like a provider's response.
 * @param path the token's path for messages
 * @throws SandboxError `bad_request`, naming the field
 */
export function readHolding(address: string, input: HoldingInput, path: string): AddressToken {
  try {
    const item = tokenItem(filled(address, input), path);
    refuseUnread(input, item, path);
    return item;
  } catch (error) {
    if (!(error instanceof InvalidShape)) throw error;
    throw misuse(`${error.message}.`, EXAMPLE);
  }
}

/**
 * Rejects fields that no response contains. An instance's `metadata` may contain any fields.
 * @throws SandboxError `bad_request`, naming the field
 */
function refuseUnread(written: unknown, read: unknown, path: string): void {
  if (typeof written !== "object" || written === null) return;
  const known = Object.keys((read ?? {}) as object);
  for (const [name, value] of Object.entries(written)) {
    const at = Array.isArray(written) ? `${path}[${name}]` : `${path}.${name}`;
    if (!known.includes(name)) throw misuse(unknownField(at, known), EXAMPLE);
    if (!at.endsWith("token_instance.metadata"))
      refuseUnread(value, (read as Record<string, unknown>)[name], at);
  }
}

function filled(
  holder: string,
  { value = "1", token_id: id = null, token, token_instance: instanceInput }: HoldingInput,
) {
  const summary = {
    name: null,
    decimals: null,
    symbol: null,
    type: "ERC-20",
    holders: null,
    exchange_rate: null,
    total_supply: null,
    ...token,
  };
  const unique = summary.type === "ERC-721";
  const instance = {
    is_unique: unique,
    id,
    owner: unique ? { hash: holder } : null,
    token: { ...summary, circulating_market_cap: null, icon_url: null },
    holder_address_hash: unique ? holder : null,
    metadata: null,
    ...instanceInput,
  };
  return {
    value,
    token_id: id,
    token: summary,
    token_instance: instanceInput === null ? null : id === null ? (instanceInput ?? null) : instance,
  };
}
