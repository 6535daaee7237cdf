import { type Static, type TSchema, Type } from "typebox";
import { MAX_CHAINS, MAX_SYMBOLS } from "./limits.ts";

/** Shapes of the area's requests and answers. */

const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const MaybeText = Nullable(Type.String());
const MaybeNumber = Nullable(Type.Number());
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

export const PriceData = Type.Object(
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
  { title: "PriceData", description: "What is not known is left out." },
);

export const TokenLookup = Type.Object(
  {
    chain_id: Type.Integer({ examples: [8453] }),
    token_address: Type.String({
      description: "In lower case; 0xeeee…eeee is the chain's native coin.",
      examples: ["0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"],
    }),
    name: Type.Optional(Type.String()),
    symbol: Type.Optional(Type.String()),
    decimals: Type.Optional(Type.Integer()),
    price_data: Type.Optional(PriceData),
  },
  { title: "TokenLookup" },
);
export type TokenLookup = Static<typeof TokenLookup>;
export type PriceData = Static<typeof PriceData>;

export const LookupAnswer = Type.Object({ data: Type.Array(TokenLookup) }, { title: "TokenLookupAnswer" });

export const LookupQuery = Type.Object({
  symbol: Type.Array(Type.String({ minLength: 1 }), {
    minItems: 1,
    maxItems: MAX_SYMBOLS,
    description: `Repeated for more, up to ${MAX_SYMBOLS}. An unknown symbol contributes nothing.`,
    examples: [["USDC", "WETH"]],
  }),
  chain_id: ChainIds(
    `Repeated for more, up to ${MAX_CHAINS}. Without it the chain in the host's first label (8453.localhost), else the configured chains.`,
  ),
  chain: ChainIds("Use chain_id.", { deprecated: true }),
});

export const TokenSummary = Type.Object(
  {
    name: MaybeText,
    decimals: MaybeText,
    symbol: MaybeText,
    address: HexAddress,
    type: Type.String({ examples: ["ERC-20", "ERC-721", "ERC-1155"] }),
    holders: MaybeNumber,
    exchange_rate: MaybeText,
    total_supply: MaybeText,
  },
  { title: "TokenSummary" },
);
export type TokenSummary = Static<typeof TokenSummary>;

export const InstanceToken = Type.Object(
  {
    ...TokenSummary.properties,
    holders: MaybeText,
    circulating_market_cap: MaybeText,
    icon_url: MaybeText,
  },
  { title: "InstanceToken" },
);
export type InstanceToken = Static<typeof InstanceToken>;

export const Tag = Type.Object(
  { address_hash: Type.String(), display_name: Type.String(), label: Type.String() },
  { title: "Tag" },
);

export const AddressMetadata = Type.Object(
  {
    slug: MaybeText,
    name: MaybeText,
    tagType: MaybeText,
    ordinal: MaybeNumber,
    meta: Nullable(Type.Record(Type.String(), Type.Unknown())),
  },
  { title: "AddressMetadata" },
);

export const AddressObject = Type.Object(
  {
    hash: HexAddress,
    implementation_name: MaybeText,
    name: MaybeText,
    is_contract: Nullable(Type.Boolean()),
    private_tags: Type.Array(Tag),
    watchlist_names: Type.Array(
      Type.Object({ display_name: Type.String(), label: Type.String() }, { title: "WatchlistName" }),
    ),
    public_tags: Type.Array(Tag),
    is_verified: Nullable(Type.Boolean()),
    ens_domain_name: MaybeText,
    metadata: Nullable(AddressMetadata),
  },
  { title: "Address" },
);
export type AddressObject = Static<typeof AddressObject>;

export const InstanceMetadata = Type.Object(
  {
    year: Type.Optional(MaybeNumber),
    tags: Type.Optional(Nullable(Type.Array(Type.String()))),
    name: Type.Optional(MaybeText),
    image_url: Type.Optional(MaybeText),
    home_url: Type.Optional(MaybeText),
    external_url: Type.Optional(MaybeText),
    description: Type.Optional(MaybeText),
    attributes: Type.Optional(
      Nullable(Type.Array(Type.Object({ value: MaybeText, trait_type: MaybeText }, { title: "Attribute" }))),
    ),
  },
  { title: "InstanceMetadata", description: "What the token's author wrote; any of it may be missing." },
);
export type InstanceMetadata = Static<typeof InstanceMetadata>;

export const TokenInstance = Type.Object(
  {
    is_unique: Nullable(Type.Boolean()),
    id: Type.String(),
    owner: Nullable(AddressObject),
    token: Nullable(InstanceToken),
    holder_address_hash: MaybeText,
    image_url: MaybeText,
    animation_url: MaybeText,
    external_app_url: MaybeText,
    metadata: Nullable(InstanceMetadata),
  },
  { title: "TokenInstance" },
);
export type TokenInstance = Static<typeof TokenInstance>;

export const AddressToken = Type.Object(
  {
    value: Type.String({ description: "The balance, in the token's smallest unit.", examples: ["2500000"] }),
    token_id: MaybeText,
    token: TokenSummary,
    token_instance: Nullable(TokenInstance),
  },
  { title: "AddressToken" },
);
export type AddressToken = Static<typeof AddressToken>;

export const NextPageParams = Type.Object(
  {
    items_count: Type.Integer({ description: "Rows before the next page." }),
    token_name: MaybeText,
    token_type: Type.String(),
    value: Type.Number(),
  },
  { title: "NextPageParams", description: "Send its keys back as query parameters, unchanged." },
);

export const HoldingsAnswer = Type.Object(
  { items: Type.Array(AddressToken), next_page_params: Nullable(NextPageParams) },
  { title: "AddressTokens" },
);

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
    "Chains that may answer; the first one with rows does, in the configured order. As in the lookup without it.",
  ),
  chain: ChainIds("Use chain_id.", { deprecated: true }),
  items_count: Type.Optional(Type.Integer({ description: "Of next_page_params, as the three that follow." })),
  value: Type.Optional(Type.Number()),
  token_type: Type.Optional(Type.String()),
  token_name: Type.Optional(Type.String({ description: "Absent, empty and null are the same." })),
});

export const LookupError = Type.Object(
  { error: Type.String({ description: "Which parameter, and what is expected." }) },
  { title: "LookupError" },
);
export const ExplorerError = Type.Object(
  { message: Type.String({ description: "Which parameter, and what is expected." }) },
  { title: "ExplorerError" },
);
