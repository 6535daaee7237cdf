import { operationsOf } from "./operation.ts";
import * as data from "./schemas/chain-data.ts";
import { dataOf, nameOf } from "./schemas/common.ts";

const operation = operationsOf("Chain data");

/** The cache, the providers and the holdings of chain data. */
export const dataOperations = [
  operation("data.cache", "GET /data/cache", {
    id: "listCache",
    summary: "List cached answers",
    answer: dataOf(data.CacheEntry, "CacheEntries"),
  }),
  operation("data.purge", "DELETE /data/cache", {
    id: "purgeCache",
    summary: "Forget answers: all, or those of a key or an address",
    query: data.PurgeQuery,
    answer: data.Purged,
    library: {},
  }),
  operation("data.providers", "GET /data/providers", {
    id: "listProviders",
    summary: "Who can be asked, and how they are",
    answer: dataOf(data.Provider, "Providers"),
  }),
  operation("data.setProvider", "PUT /data/providers/:name", {
    id: "setProvider",
    summary: "Take a provider down, slow it, make it err or talk rubbish",
    description:
      "`up` ends it. A latency of at least `chainData.timeout` is a time-out at once, with no real waiting.",
    params: nameOf("a provider"),
    body: data.ProviderChangeBody,
    answer: data.Provider,
    library: { takes: ["name", "*"] },
  }),
  operation("data.addresses", "GET /data/addresses", {
    id: "listAddresses",
    summary: "Addresses with holdings, recorded or set",
    answer: dataOf(data.KnownAddress, "KnownAddresses"),
  }),
  operation("data.setHoldings", "PUT /data/addresses/:address", {
    id: "setAddress",
    summary: "Set what an address holds on a chain",
    description:
      "In place of what is recorded there; without chain_id on the first chain that is asked. What is left out of a token is null, or follows from the rest.",
    params: data.AddressParams,
    body: data.SetHoldings,
    answer: data.KnownAddress,
    library: { takes: ["address", "tokens", "chain_id"] },
  }),
  operation("data.clearHoldings", "DELETE /data/addresses/:address", {
    id: "clearAddress",
    summary: "Back to what is recorded of an address, on every chain",
    params: data.AddressParams,
    answer: data.ClearedHoldings,
  }),
];
