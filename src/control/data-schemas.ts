import { Type } from "typebox";
import { HoldingInput, MAX_HOLDINGS } from "../chain-data/holdings-input.ts";
import { PROVIDER_STATES, type ProviderState } from "../chain-data/providers/faults.ts";
import { closed, DurationValue, enumOf, Rate, Times, VirtualTime } from "./schemas.ts";

/** Shapes of the control API's calls about chain data. */

const MaybeInteger = Type.Union([Type.Integer(), Type.Null()]);
const Chain = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, examples: [8453] });

export const CacheEntry = Type.Object(
  {
    key: Type.String({ examples: ["lookup?symbol=usdc&chain_id=1,8453"] }),
    address: Type.Union([Type.String(), Type.Null()], { description: "The address that a listing is of." }),
    providers: Type.String(),
    chains: Type.String(),
    rows: Type.Integer(),
    state: enumOf(["fresh", "expired"]),
    stored_at: VirtualTime,
    expires_at: VirtualTime,
  },
  { title: "CacheEntry" },
);

export const PurgeQuery = Type.Object(
  {
    key: Type.Optional(Type.String({ minLength: 1, description: "Only this answer." })),
    address: Type.Optional(Type.String({ minLength: 1, description: "Only answers about this address." })),
  },
  closed,
);
export const Purged = Type.Object(
  { purged: Type.Integer({ description: "How many answers were forgotten." }) },
  { title: "Purged" },
);

export const Provider = Type.Object(
  {
    name: Type.String({ examples: ["explorer-8453", "indexer"] }),
    kind: enumOf(["explorer", "indexer"]),
    chain_id: MaybeInteger,
    base_url: Type.String(),
    mode: enumOf(["replay", "live"]),
    state: enumOf(PROVIDER_STATES),
    status: MaybeInteger,
    latency: MaybeInteger,
    times: Type.Union([Type.Integer(), Type.Null()], {
      description: "How many calls the state hits; null for all of them.",
    }),
    rate: Type.Union([Type.Number(), Type.Null()], {
      description: "What part of the calls the state hits; null for all of them.",
    }),
    asked: Type.Integer({ description: "Calls since the state was set." }),
    hit: Type.Integer({ description: "Calls that the state hit." }),
  },
  { title: "Provider" },
);

export const ProviderChangeBody = Type.Object(
  {
    state: Type.Unsafe<ProviderState>({
      ...enumOf(PROVIDER_STATES),
      description:
        "down: refuses connections; slow: takes `latency`; error: answers `status`; garbage: no JSON.",
    }),
    status: Type.Optional(
      Type.Integer({ minimum: 400, maximum: 599, description: "What an error answers; 503 without it." }),
    ),
    latency: Type.Optional(DurationValue),
    times: Type.Optional(Times),
    rate: Type.Optional(Rate),
  },
  { ...closed, title: "ProviderChange" },
);

export const KnownAddress = Type.Object(
  {
    address: Type.String(),
    chain_id: Type.Integer(),
    source: enumOf(["recording", "set"]),
    rows: Type.Integer(),
    set_at: Type.Union([VirtualTime, Type.Null()]),
  },
  { title: "KnownAddress" },
);

export const AddressParams = Type.Object({ address: Type.String() });

export const SetHoldings = Type.Object(
  {
    chain_id: Type.Optional(Chain),
    tokens: Type.Array(HoldingInput, { maxItems: MAX_HOLDINGS }),
  },
  { ...closed, title: "SetHoldings" },
);

export const ClearedHoldings = Type.Object(
  { address: Type.String(), cleared: Type.Boolean({ description: "Whether anything was set." }) },
  { title: "ClearedHoldings" },
);
