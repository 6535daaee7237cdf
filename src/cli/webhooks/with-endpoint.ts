import { findEndpoint } from "../../client/find-endpoint.ts";
import type { Given, ViewCall } from "../operation/view.ts";

/** Replaces an endpoint's name by its id. The name is remembered for the lines. */
export async function withEndpoint({ id: name, ...input }: Given, { sandbox, given }: ViewCall) {
  given.endpoint = await findEndpoint(sandbox, name);
  return { ...input, id: given.endpoint.id };
}
