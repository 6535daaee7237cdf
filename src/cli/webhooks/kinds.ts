import { CALLS } from "../../client/calls.ts";

/** The ways to fail beside a status. */
export const KINDS = CALLS["webhooks.fail"].fields
  .kind!.enum!.map(String)
  .filter((kind) => kind !== "status");
