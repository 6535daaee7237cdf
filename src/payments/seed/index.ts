import { HISTORY_DAYS } from "../../http/area.ts";
import type { FixtureRow } from "../../schema/fixtures.ts";
import type { World } from "../../world/world.ts";
import { loadCatalog } from "../fixtures/catalog.ts";
import { loadCheckouts } from "../fixtures/checkouts.ts";
import { beginLoading } from "../fixtures/loading.ts";
import { loadOrganizations } from "../fixtures/organizations.ts";
import { seedAudit } from "./audit.ts";
import { draftCodes, draftLinks, draftProducts } from "./catalog.ts";
import { draftHistory, type HistoryPlan } from "./checkouts.ts";
import { seedEndpoints } from "./endpoints.ts";
import { seedOrganizations } from "./organizations.ts";
import { beginSeeding, finishOffer, type Seeding, SHOPS, type Shop } from "./seeding.ts";
import { seedWidgets } from "./widgets.ts";

/** The traffic of each shop over the whole history, in the order of the organizations. */
const PLANS: readonly HistoryPlan[] = [
  { sessions: 300, people: 90, active: 12 },
  { sessions: 30, people: 16, active: 0 },
];

/**
 * Fills an empty world with organizations and `days` days of generated history up to now, in the format of fixtures.
 * The same seed and start produce the same rows everywhere. Writes nothing to the journal.
 */
export function seedPayments(world: World, days = HISTORY_DAYS): void {
  world.store.transaction(() => {
    seedOrganizations(world);
    const seeding = beginSeeding(world, days);
    const shops = SHOPS.map((shop, position) => draftShop(seeding, shop, PLANS[position]!, days));
    const of = (kind: string) =>
      shops.flatMap((rows) => (rows as Record<string, object[]>)[kind] ?? []).map(asFixture) as never[];
    const loading = beginLoading(world, { confirmationDelay: 0 }, { history: true, of });
    loadOrganizations(loading, true);
    loadCatalog(loading);
    loadCheckouts(loading);
    seedWidgets(seeding);
    seedEndpoints(seeding);
    seedAudit(seeding);
  });
}

function draftShop(seeding: Seeding, shop: Shop, plan: HistoryPlan, days: number) {
  const sessions = Math.ceil((plan.sessions * days) / HISTORY_DAYS);
  const products = draftProducts(seeding, shop);
  const links = draftLinks(seeding, shop, products);
  const codes = draftCodes(seeding, shop, links);
  return {
    products,
    ...draftHistory(seeding, shop, { links, codes }, { ...plan, sessions }),
    payment_links: links.map(finishOffer),
    discount_codes: codes.map(finishOffer),
  };
}

const asFixture = (value: object): FixtureRow => ({
  value,
  valid: true,
  refuse(field, expected) {
    throw new Error(`${field} of ${JSON.stringify(value)} must be ${expected}`);
  },
});
