import { parseDuration } from "../world/duration.ts";
import * as data from "./data-schemas.ts";
import { dataOf, NameParams } from "./schemas.ts";
import { call } from "./table.ts";

const tag = "Chain data";

/** The cache, the providers and the holdings of chain data. */
export const dataControlRoutes = [
  call("GET /data/cache", {
    id: "listCache",
    tag,
    summary: "List cached answers",
    answer: dataOf(data.CacheEntry, "CacheEntries"),
    run: ({ sandbox }) => ({ data: sandbox.data.cache() }),
  }),
  call("DELETE /data/cache", {
    id: "purgeCache",
    tag,
    summary: "Forget answers: all, or those of a key or an address",
    query: data.PurgeQuery,
    answer: data.Purged,
    run: ({ sandbox, query }) => ({ purged: sandbox.data.purge(query) }),
  }),
  call("GET /data/providers", {
    id: "listProviders",
    tag,
    summary: "Who can be asked, and how they are",
    answer: dataOf(data.Provider, "Providers"),
    run: ({ sandbox }) => ({ data: sandbox.data.providers() }),
  }),
  call("PUT /data/providers/:name", {
    id: "setProvider",
    tag,
    summary: "Take a provider down, slow it, make it err or talk rubbish",
    description:
      "`up` ends it. A latency of at least `chainData.timeout` is a time-out at once, with no real waiting.",
    params: NameParams,
    body: data.ProviderChangeBody,
    answer: data.Provider,
    run: ({ sandbox, params, body: { latency, ...change } }) =>
      sandbox.data.setProvider(params.name, {
        ...change,
        ...(latency === undefined ? {} : { latency: parseDuration(latency) }),
      }),
  }),
  call("GET /data/addresses", {
    id: "listAddresses",
    tag,
    summary: "Addresses with holdings, recorded or set",
    answer: dataOf(data.KnownAddress, "KnownAddresses"),
    run: async ({ sandbox }) => ({ data: await sandbox.data.addresses() }),
  }),
  call("PUT /data/addresses/:address", {
    id: "setAddress",
    tag,
    summary: "Set what an address holds on a chain",
    description:
      "In place of what is recorded there; without chain_id on the first chain that is asked. What is left out of a token is null, or follows from the rest.",
    params: data.AddressParams,
    body: data.SetHoldings,
    answer: data.KnownAddress,
    run: ({ sandbox, params, body }) => sandbox.data.setHoldings(params.address, body.tokens, body.chain_id),
  }),
  call("DELETE /data/addresses/:address", {
    id: "clearAddress",
    tag,
    summary: "Back to what is recorded of an address, on every chain",
    params: data.AddressParams,
    answer: data.ClearedHoldings,
    run: ({ sandbox, params }) => ({
      address: params.address.toLowerCase(),
      cleared: sandbox.data.clearHoldings(params.address),
    }),
  }),
];
