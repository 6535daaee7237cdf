import type { Static } from "typebox";
import type { Caller } from "../http/caller.ts";
import type { PaymentsContext } from "./context.ts";
import { columnsOf, updateFields } from "./patch.ts";
import { presenter } from "./present.ts";
import type { OrganizationRow } from "./rows.ts";
import { Organization, OrganizationUpdate } from "./schemas/account.ts";

/**
 * The owner of payment links created without a key. It is an organization without keys, endpoints or a row, and
 * defaults to USDC on Base.
 */
export const ANONYMOUS: OrganizationRow = {
  id: "anonymous",
  name: "Quick pay",
  owner_email: "",
  default_chain_id: 8453,
  default_token_address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  default_recipient_address: `0x${"0".repeat(40)}`,
  position: -1,
  slug: "anonymous",
  description: null,
  logo_url: null,
  website_url: null,
  created_at: 0,
  updated_at: 0,
};

const WRITABLE = columnsOf(OrganizationUpdate);
const organizationResource = presenter<typeof Organization.properties, OrganizationRow>(Organization);

/** The organizations. A caller sees and changes only its own. */
export interface Organizations {
  /** @param id of an existing organization, or the anonymous one */
  get(id: string): OrganizationRow;
  resource(id: string): Static<typeof Organization>;
  /** All organizations except the anonymous one, in the order of the fixtures. */
  list(): OrganizationRow[];
  main(): OrganizationRow;
  /**
   * Updates an organization. This writes a journal entry but no audit event, because there is no audit type for it.
   * @throws PlatformError no_updates_provided for a body without fields
   */
  update(caller: Caller, input: OrganizationUpdate): Static<typeof Organization>;
}

export function createOrganizations({ world }: PaymentsContext): Organizations {
  const { store, clock, journal } = world;
  const byId = store.sql<OrganizationRow>("select * from organizations where id = ?");
  const all = store.sql<OrganizationRow>("select * from organizations order by position");
  const get = (id: string): OrganizationRow => (id === ANONYMOUS.id ? ANONYMOUS : byId.get(id)!);

  return {
    get,
    resource: (id) => organizationResource(get(id)),
    list: () => all.all(),
    main: () => all.all()[0]!,

    update({ org }, input) {
      return store.transaction(() => {
        updateFields<OrganizationRow>(store, "organizations", org, input, WRITABLE, clock.now());
        journal.append("organization.updated", { id: org });
        return organizationResource(get(org));
      });
    },
  };
}
