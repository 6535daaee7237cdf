import { type Static, Type } from "typebox";
import { integer, nullable, oneOf, shape, text, VirtualTime } from "../http/shapes.ts";
import { MAX_CHAINS, MAX_SYMBOLS } from "./limits.ts";

const MaybeText = nullable(Type.String());
const MaybeNumber = nullable(Type.Number());
const HexAddress = Type.String({ examples: ["0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"] });
const ChainIds = (description: string, more: object = {}) =>
  Type.Optional(
    Type.Array(Type.Integer({ minimum: 1 }), {
      maxItems: MAX_CHAINS,
      description,
      examples: [[1, 8453]],
      ...more,
    }),
  );

const MarketNumber = Type.Optional(Type.Number());

export const PriceData = shape(
  "PriceData",
  {
    price_usd: MarketNumber,
    usd_value: MarketNumber,
    volume_24h_usd: MarketNumber,
    market_cap_usd: MarketNumber,
    circulating_supply: MarketNumber,
    total_supply: MarketNumber,
    percent_change_24h: MarketNumber,
    price_timestamp: Type.Optional(
      Type.String({ description: "ISO 8601.", examples: ["2026-01-15T08:20:32.000Z"] }),
    ),
  },
  { description: "Unknown values are omitted." },
);

export const TokenLookup = shape("TokenLookup", {
  chain_id: Type.Integer({ examples: [8453] }),
  token_address: Type.String({
    description: "The address in lower case; 0xeeee…eeee is the chain's native coin.",
    examples: ["0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"],
  }),
  name: Type.Optional(Type.String()),
  symbol: Type.Optional(Type.String()),
  decimals: Type.Optional(Type.Integer()),
  price_data: Type.Optional(PriceData),
});
export type TokenLookup = Static<typeof TokenLookup>;
export type PriceData = Static<typeof PriceData>;

export const LookupAnswer = shape("TokenLookupAnswer", { data: Type.Array(TokenLookup) });

export const LookupQuery = Type.Object({
  symbol: Type.Array(Type.String({ minLength: 1 }), {
    minItems: 1,
    maxItems: MAX_SYMBOLS,
    description: `Repeatable, up to ${MAX_SYMBOLS} times. Unknown symbols are ignored.`,
    examples: [["USDC", "WETH"]],
  }),
  chain_id: ChainIds(
    `Repeatable, up to ${MAX_CHAINS} times. Default: the chain in the host's first label (8453.localhost), else the configured chains.`,
  ),
  chain: ChainIds("Use chain_id.", { deprecated: true }),
});

export const TokenSummary = shape("TokenSummary", {
  name: MaybeText,
  decimals: MaybeText,
  symbol: MaybeText,
  address: HexAddress,
  type: Type.String({ examples: ["ERC-20", "ERC-721", "ERC-1155"] }),
  holders: MaybeNumber,
  exchange_rate: MaybeText,
  total_supply: MaybeText,
});
export type TokenSummary = Static<typeof TokenSummary>;

export const InstanceToken = shape("InstanceToken", {
  ...TokenSummary.properties,
  holders: MaybeText,
  circulating_market_cap: MaybeText,
  icon_url: MaybeText,
});
export type InstanceToken = Static<typeof InstanceToken>;

export const Tag = shape("Tag", {
  address_hash: Type.String(),
  display_name: Type.String(),
  label: Type.String(),
});

export const AddressMetadata = shape("AddressMetadata", {
  slug: MaybeText,
  name: MaybeText,
  tagType: MaybeText,
  ordinal: MaybeNumber,
  meta: nullable(Type.Record(Type.String(), Type.Unknown())),
});

export const AddressObject = shape("Address", {
  hash: HexAddress,
  implementation_name: MaybeText,
  name: MaybeText,
  is_contract: nullable(Type.Boolean()),
  private_tags: Type.Array(Tag),
  watchlist_names: Type.Array(shape("WatchlistName", { display_name: Type.String(), label: Type.String() })),
  public_tags: Type.Array(Tag),
  is_verified: nullable(Type.Boolean()),
  ens_domain_name: MaybeText,
  metadata: nullable(AddressMetadata),
});
export type AddressObject = Static<typeof AddressObject>;

export const InstanceMetadata = shape(
  "InstanceMetadata",
  {
    year: Type.Optional(MaybeNumber),
    tags: Type.Optional(nullable(Type.Array(Type.String()))),
    name: Type.Optional(MaybeText),
    image_url: Type.Optional(MaybeText),
    home_url: Type.Optional(MaybeText),
    external_url: Type.Optional(MaybeText),
    description: Type.Optional(MaybeText),
    attributes: Type.Optional(
      nullable(Type.Array(shape("Attribute", { value: MaybeText, trait_type: MaybeText }))),
    ),
  },
  { description: "Metadata from the token's author; any field can be missing." },
);
export type InstanceMetadata = Static<typeof InstanceMetadata>;

export const TokenInstance = shape("TokenInstance", {
  is_unique: nullable(Type.Boolean()),
  id: Type.String(),
  owner: nullable(AddressObject),
  token: nullable(InstanceToken),
  holder_address_hash: MaybeText,
  image_url: MaybeText,
  animation_url: MaybeText,
  external_app_url: MaybeText,
  metadata: nullable(InstanceMetadata),
});
export type TokenInstance = Static<typeof TokenInstance>;

export const AddressToken = shape("AddressToken", {
  value: Type.String({ description: "The balance, in the token's smallest unit.", examples: ["2500000"] }),
  token_id: MaybeText,
  token: TokenSummary,
  token_instance: nullable(TokenInstance),
});
export type AddressToken = Static<typeof AddressToken>;

const NextPageParams = shape(
  "NextPageParams",
  {
    items_count: integer("The number of rows before the next page."),
    token_name: MaybeText,
    token_type: Type.String(),
    value: Type.Number(),
  },
  { description: "To get the next page, send these keys back unchanged as query parameters." },
);

export const HoldingsAnswer = shape("AddressTokens", {
  items: Type.Array(AddressToken),
  next_page_params: nullable(NextPageParams),
});

export const HoldingsParams = Type.Object({
  address_hash: Type.String({
    pattern: "^0x([A-Fa-f0-9]{40})$",
    examples: ["0xcb110a2b20b969f9870b5373faeb05ce2ee0a225"],
  }),
});

export const HoldingsQuery = Type.Object({
  type: Type.Optional(
    Type.String({
      description: "Comma-separated: ERC-20, ERC-721, ERC-1155. Empty means all.",
      examples: ["ERC-20,ERC-721"],
    }),
  ),
  chain_id: ChainIds(
    "Chains to search, in the configured order; the first chain with rows is returned. Default: the same as for the token lookup.",
  ),
  chain: ChainIds("Use chain_id.", { deprecated: true }),
  items_count: Type.Optional(integer("Taken from next_page_params, as are the next three parameters.")),
  value: Type.Optional(Type.Number()),
  token_type: Type.Optional(Type.String()),
  token_name: Type.Optional(text("Missing, empty and null are equivalent.")),
});

export const LookupError = shape("LookupError", {
  error: text("Names the invalid parameter and the expected value."),
});
export const ExplorerError = shape("ExplorerError", {
  message: text("Names the invalid parameter and the expected value."),
});

/** A cached answer, as the control API lists it. */
export const CacheEntry = shape("CacheEntry", {
  key: Type.String({ examples: ["lookup?symbol=usdc&chain_id=1,8453"] }),
  address: nullable(Type.String(), { description: "The address whose tokens are listed." }),
  providers: Type.String(),
  chains: Type.String(),
  rows: Type.Integer(),
  state: oneOf(["fresh", "expired"]),
  stored_at: VirtualTime,
  expires_at: VirtualTime,
});
export type CacheEntry = Static<typeof CacheEntry>;
