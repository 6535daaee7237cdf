import organizations from "../../../fixtures/payments/organizations.json" with { type: "json" };
import { DAY, HOUR, MINUTE } from "../../world/duration.ts";
import type { World } from "../../world/world.ts";
import { seedAudit } from "./audit.ts";
import { draftDiscounts, saveDiscounts, seedProducts, seedWidgets } from "./catalog.ts";
import { draftActive, draftHistory, type HistoryPlan, saveHistory } from "./checkouts.ts";
import { makeCustomers } from "./customers.ts";
import { draftLinks, type LinkPlan, MAIN_LINKS, OTHER_LINKS, saveLinks } from "./links.ts";
import { organizationRow, seedOrganizations } from "./organizations.ts";
import { draftStuck } from "./payments.ts";
import { prepareSeeding, type Seeding } from "./seeding.ts";
import { type History, SHOPS, type Shop } from "./shop.ts";
import { seedBridge, seedFulfilment, seedGameServer } from "./webhooks.ts";

export { MAIN_ORGANIZATION, OTHER_ORGANIZATION, SEEDED_KEYS, seedOrganizations } from "./organizations.ts";

export { shortenPayments } from "./shorten.ts";

const SESSIONS = 1_730;
const ACTIVE_SESSIONS = 12;
const STUCK_PAYMENTS = 9;

/**
 * Fills an empty world: the organizations, and 120 believable days before now. The same seed and start give
 * the same rows everywhere. Writes nothing to the journal.
 */
export async function seedPayments(world: World): Promise<void> {
  const begin = await prepareSeeding();
  world.store.transaction(() => {
    seedOrganizations(world);
    const seeding = begin(world);
    seedMain(seeding);
    seedOther(seeding);
    seedAudit(seeding);
  });
}

function seedMain(seeding: Seeding): void {
  const { start, now } = seeding;
  const { shop, history } = seedShop(seeding, 0, MAIN_LINKS, {
    sessions: SESSIONS,
    customers: 380,
    from: start + 4 * HOUR,
    to: now - 40 * MINUTE,
  });
  draftStuck(seeding, history, makeCustomers(seeding, STUCK_PAYMENTS));
  draftActive(seeding, shop, history, ACTIVE_SESSIONS);
  save(seeding, shop, history);
  seedBridge(seeding, shop, history);
  seedFulfilment(seeding, shop, history);
}

function seedOther(seeding: Seeding): void {
  const { start, now } = seeding;
  const { shop, history } = seedShop(seeding, 1, OTHER_LINKS, {
    sessions: 46,
    customers: 24,
    from: start + 30 * DAY,
    to: now - 2 * DAY,
  });
  save(seeding, shop, history);
  seedGameServer(seeding, shop, history);
}

function seedShop(
  seeding: Seeding,
  position: number,
  links: LinkPlan,
  plan: HistoryPlan,
): { shop: Shop; history: History } {
  const shop: Shop = {
    organization: organizationRow(organizations[position]!, seeding.now),
    catalog: SHOPS[position]!,
    products: [],
    links: [],
    discounts: [],
  };
  seedProducts(seeding, shop);
  draftLinks(seeding, shop, links);
  draftDiscounts(seeding, shop);
  return { shop, history: draftHistory(seeding, shop, plan) };
}

function save(seeding: Seeding, shop: Shop, history: History): void {
  saveLinks(seeding, shop);
  saveDiscounts(seeding, shop);
  seedWidgets(seeding, shop, history);
  saveHistory(seeding, history);
}
