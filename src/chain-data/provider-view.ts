import { type Static, Type } from "typebox";
import { integer, nullable, oneOf, shape } from "../http/shapes.ts";
import { PROVIDER_STATES } from "./providers/faults.ts";

/** A provider with its state, as returned by the control API. */
export const ProviderView = shape("Provider", {
  name: Type.String({ examples: ["explorer-8453", "indexer"] }),
  kind: oneOf(["explorer", "indexer"]),
  chain_id: nullable(integer("The provider's chain; null if it serves all chains.")),
  base_url: Type.String(),
  mode: oneOf(["replay", "live"], {
    description: "Whether responses come from recordings or from the real provider.",
  }),
  state: oneOf(PROVIDER_STATES),
  status: nullable(integer("The response status of an `error`; null otherwise.")),
  latency: nullable(integer("Real milliseconds that a `slow` provider takes to respond; null otherwise.")),
  times: nullable(Type.Integer(), { description: "How many calls the state affects; null for all of them." }),
  rate: nullable(Type.Number(), {
    description: "The share of calls that the state affects; null for all of them.",
  }),
  asked: integer("The number of calls since the state was set."),
  hit: integer("The number of calls that the state affected."),
});
export type ProviderView = Static<typeof ProviderView>;
