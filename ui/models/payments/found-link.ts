import { type Api, ApiError } from "../../api.ts";
import type { PaymentLink } from "../../api-types.ts";

/** A payment link, and the organization it is of. */
export interface FoundLink {
  link: PaymentLink;
  organization: string;
}

/**
 * Finds a link by its id, whichever organization it is of: an address of the page names the link alone.
 * @param organizations in the order in which they are asked
 * @throws ApiError when none of them has it
 */
export async function findLink(api: Api, organizations: string[], id: string): Promise<FoundLink> {
  let lost: unknown;
  for (const organization of organizations) {
    try {
      return { link: await api.link(id, organization), organization };
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      lost ??= error;
    }
  }
  throw lost;
}
