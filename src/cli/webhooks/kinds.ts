import { CALLS } from "../../client/calls.ts";

/** The kinds of failure other than a status. */
export const KINDS = CALLS["webhooks.fail"].fields
  .kind!.enum!.map(String)
  .filter((kind) => kind !== "status");
