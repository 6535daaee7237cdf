import { findEndpoint } from "../../client/find-endpoint.ts";
import type { Given, ViewCall } from "../operation/view.ts";

/** Replaces an endpoint's name with its id. The output still shows the name. */
export async function withEndpoint({ id: name, ...input }: Given, { sandbox, given }: ViewCall) {
  given.endpoint = await findEndpoint(sandbox, name);
  return { ...input, id: given.endpoint.id };
}
