import type { App } from "../http/types.ts";
import { parseDuration } from "../world/duration.ts";
import * as data from "./data-schemas.ts";
import * as shapes from "./schemas.ts";

const tags = ["Chain data"];

/** The cache, the providers and the holdings of chain data. */
export function dataControlRoutes(app: App): void {
  cacheRoutes(app);
  providerRoutes(app);
  addressRoutes(app);
}

function cacheRoutes(app: App): void {
  app.get(
    "/data/cache",
    {
      schema: {
        operationId: "listCache",
        summary: "Answers that are kept",
        tags,
        response: { 200: shapes.dataOf(data.CacheEntry, "CacheEntries"), ...shapes.controlErrors },
      },
    },
    async ({ sandbox }) => ({ data: sandbox.data.cache() }),
  );
  app.delete(
    "/data/cache",
    {
      schema: {
        operationId: "purgeCache",
        summary: "Forget answers: all, or those of a key or an address",
        tags,
        querystring: data.PurgeQuery,
        response: { 200: data.Purged, ...shapes.controlErrors },
      },
    },
    async ({ sandbox, query }) => ({ purged: sandbox.data.purge(query) }),
  );
}

function providerRoutes(app: App): void {
  app.get(
    "/data/providers",
    {
      schema: {
        operationId: "listProviders",
        summary: "Who can be asked, and how they are",
        tags,
        response: { 200: shapes.dataOf(data.Provider, "Providers"), ...shapes.controlErrors },
      },
    },
    async ({ sandbox }) => ({ data: sandbox.data.providers() }),
  );
  app.put(
    "/data/providers/:name",
    {
      schema: {
        operationId: "setProvider",
        summary: "Take a provider down, slow it, make it err or talk rubbish",
        description:
          "`up` ends it. A latency of at least `chainData.timeout` is a time-out at once, with no real waiting.",
        tags,
        params: shapes.NameParams,
        body: data.ProviderChangeBody,
        response: { 200: data.Provider, ...shapes.controlErrors },
      },
    },
    async ({ sandbox, params, body }) => {
      const { latency, ...change } = body;
      return sandbox.data.setProvider(params.name, {
        ...change,
        ...(latency === undefined ? {} : { latency: parseDuration(latency) }),
      });
    },
  );
}

function addressRoutes(app: App): void {
  app.get(
    "/data/addresses",
    {
      schema: {
        operationId: "listAddresses",
        summary: "Addresses with holdings, recorded or set",
        tags,
        response: { 200: shapes.dataOf(data.KnownAddress, "KnownAddresses"), ...shapes.controlErrors },
      },
    },
    async ({ sandbox }) => ({ data: await sandbox.data.addresses() }),
  );
  app.put(
    "/data/addresses/:address",
    {
      schema: {
        operationId: "setAddress",
        summary: "Set what an address holds on a chain",
        description:
          "In place of what is recorded there; without chain_id on the first chain that is asked. What is left out of a token is null, or follows from the rest.",
        tags,
        params: data.AddressParams,
        body: data.SetHoldings,
        response: { 200: data.KnownAddress, ...shapes.controlErrors },
      },
    },
    async ({ sandbox, params, body }) => sandbox.data.setHoldings(params.address, body.tokens, body.chain_id),
  );
  app.delete(
    "/data/addresses/:address",
    {
      schema: {
        operationId: "clearAddress",
        summary: "Back to what is recorded of an address, on every chain",
        tags,
        params: data.AddressParams,
        response: { 200: data.ClearedHoldings, ...shapes.controlErrors },
      },
    },
    async ({ sandbox, params }) => ({
      address: params.address.toLowerCase(),
      cleared: sandbox.data.clearHoldings(params.address),
    }),
  );
}
