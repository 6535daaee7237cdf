import type { PaymentsContext } from "./context.ts";
import type { OrganizationRow } from "./rows.ts";

export type Organizations = ReturnType<typeof createOrganizations>;

/** The organizations are fixed by the seed. */
export function createOrganizations({ world }: PaymentsContext) {
  const byId = world.store.sql<OrganizationRow>("select * from organizations where id = ?");
  const all = world.store.sql<OrganizationRow>("select * from organizations order by position");
  return {
    get: (id: string): OrganizationRow => byId.get(id)!,
    list: () => all.all(),
    main: (): OrganizationRow => all.all()[0]!,
  };
}
