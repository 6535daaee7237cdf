import type { PaymentsContext } from "./context.ts";
import type { OrganizationRow } from "./rows.ts";

export type Organizations = ReturnType<typeof createOrganizations>;

/** The organizations are fixed by the seed. */
export function createOrganizations({ world }: PaymentsContext) {
  const byId = world.store.sql<OrganizationRow>("select * from organizations where id = ?");
  const all = world.store.sql<OrganizationRow>("select * from organizations order by position");
  /** Only a restore changes them. */
  const known = new Map<string, OrganizationRow>();
  world.store.onRestore(() => known.clear());

  return {
    get(id: string): OrganizationRow {
      const row = known.get(id) ?? byId.get(id)!;
      known.set(id, row);
      return row;
    },
    list: () => all.all(),
    main: (): OrganizationRow => all.all()[0]!,
  };
}
