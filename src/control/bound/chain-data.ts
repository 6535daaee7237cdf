import type { dataOperations } from "../../operations/chain-data.ts";
import { parseDuration } from "../../world/duration.ts";
import type { Bound } from "./bound.ts";

export const dataBound: Bound<(typeof dataOperations)[number]> = {
  "data.cache": ({ sandbox }) => ({ data: sandbox.data.cache() }),
  "data.purge": ({ sandbox, query }) => ({ purged: sandbox.data.purge(query) }),
  "data.providers": ({ sandbox }) => ({ data: sandbox.data.providers() }),
  "data.setProvider": ({ sandbox, params, body: { latency, ...change } }) =>
    sandbox.data.setProvider(params.name, {
      ...change,
      ...(latency === undefined ? {} : { latency: parseDuration(latency) }),
    }),
  "data.addresses": async ({ sandbox }) => ({ data: await sandbox.data.addresses() }),
  "data.setHoldings": ({ sandbox, params, body }) =>
    sandbox.data.setHoldings(params.address, body.tokens, body.chain_id),
  "data.clearHoldings": ({ sandbox, params }) => ({
    address: params.address.toLowerCase(),
    cleared: sandbox.data.clearHoldings(params.address),
  }),
};
