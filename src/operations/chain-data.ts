import { Type } from "typebox";
import { HoldingInput, MAX_HOLDINGS } from "../chain-data/holdings-input.ts";
import { ProviderView } from "../chain-data/provider-view.ts";
import { PROVIDER_STATES } from "../chain-data/providers/faults.ts";
import { CacheEntry } from "../chain-data/schemas.ts";
import { flag, integer, nullable, oneOf, shape, text, VirtualTime } from "../http/shapes.ts";
import { body, closed, DurationValue, dataOf, nameOf, optional } from "./common.ts";
import { Rate, Times } from "./faults.ts";
import { operationsOf } from "./operation.ts";

export const ProviderChangeBody = body("ProviderChange", {
  state: oneOf(PROVIDER_STATES, {
    description:
      "down: refuses connections; slow: takes `latency`; error: responds with `status`; garbage: does not return JSON.",
  }),
  ...optional({
    status: Type.Integer({
      minimum: 400,
      maximum: 599,
      description: "error: the status of its responses, 400 to 599. Default: 503.",
    }),
    latency: { ...DurationValue, description: "slow: how long it takes, in real time. Default: 30s." },
    times: Times,
    rate: Rate,
  }),
});

export const AddressParams = Type.Object({ address: text("An address.") });
export const KnownAddress = shape("KnownAddress", {
  address: Type.String(),
  chain_id: Type.Integer(),
  source: oneOf(["recording", "set"]),
  rows: Type.Integer(),
  set_at: nullable(VirtualTime),
});

const operation = operationsOf("Chain data");

/** Operations on the cache, the providers and the holdings of chain data. */
export const dataOperations = [
  operation("data.cache", "GET /data/cache", {
    id: "listCache",
    summary: "List cached responses",
    answer: dataOf(CacheEntry, "CacheEntries"),
  }),
  operation("data.purge", "DELETE /data/cache", {
    id: "purgeCache",
    summary: "Clear all cached responses, or those for a key or an address",
    query: closed(
      optional({
        key: Type.String({ minLength: 1, description: "Only this response." }),
        address: Type.String({ minLength: 1, description: "Only responses about this address." }),
      }),
    ),
    answer: shape("Purged", { purged: integer("How many responses were cleared.") }),
    library: {},
  }),
  operation("data.providers", "GET /data/providers", {
    id: "listProviders",
    summary: "List the providers and their states",
    answer: dataOf(ProviderView, "Providers"),
  }),
  operation("data.setProvider", "PUT /data/providers/:name", {
    id: "setProvider",
    summary: "Take a provider down, slow it down, make it return errors or garbage",
    description:
      "`up` makes it work again. A latency of at least `chainData.timeout` times out immediately, without waiting in real time.",
    params: nameOf("a provider"),
    body: ProviderChangeBody,
    answer: ProviderView,
    library: { takes: ["name", "*"] },
  }),
  operation("data.addresses", "GET /data/addresses", {
    id: "listAddresses",
    summary: "Addresses with holdings, recorded or set",
    answer: dataOf(KnownAddress, "KnownAddresses"),
  }),
  operation("data.setHoldings", "PUT /data/addresses/:address", {
    id: "setAddress",
    summary: "Set an address's holdings on a chain",
    description:
      "Replaces the recorded holdings. The default for chain_id is the first configured chain. A token's missing fields are null, or derived from its other fields.",
    params: AddressParams,
    body: body("SetHoldings", {
      chain_id: Type.Optional(
        Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, examples: [8453] }),
      ),
      tokens: Type.Array(HoldingInput, { maxItems: MAX_HOLDINGS }),
    }),
    answer: KnownAddress,
    library: { takes: ["address", "tokens", "chain_id"] },
  }),
  operation("data.clearHoldings", "DELETE /data/addresses/:address", {
    id: "clearAddress",
    summary: "Restore an address's recorded holdings on every chain",
    params: AddressParams,
    answer: shape("ClearedHoldings", {
      address: Type.String(),
      cleared: flag("Whether any holdings had been set."),
    }),
  }),
];
