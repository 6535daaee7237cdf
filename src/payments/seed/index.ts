import organizations from "../../../fixtures/payments/organizations.json" with { type: "json" };
import { DAY, HOUR, MINUTE } from "../../world/duration.ts";
import type { World } from "../../world/world.ts";
import { countedCents } from "../customers.ts";
import { type Paid, worth } from "../worth.ts";
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

/** What happened on the platform before an instant. Catalog, keys and endpoints stay, and so do active sessions. */
const PAST = [
  "checkout_sessions where status <> 'active' and created_at < ?",
  "webhook_events where created_at < ?",
  "audit_events where created_at < ?",
  "mail where created_at < ?",
  "widget_views where day < strftime('%Y-%m-%d', ? / 1000, 'unixepoch')",
];

/** What belonged to that, and what counts it. */
const FOLLOWING = [
  "delete from transactions where session_id not in (select id from checkout_sessions)",
  "delete from webhook_plans where event_id not in (select id from webhook_events)",
  "delete from webhook_deliveries where event_id not in (select id from webhook_events)",
  "delete from customers where id not in (select customer_id from transactions where customer_id is not null)",
  `update payment_links set current_uses = (select count(*) from checkout_sessions
     where payment_link_id = payment_links.id and status = 'completed')`,
  `update discount_codes set current_uses = (select count(*) from transactions
     where org = discount_codes.org and discount_code = discount_codes.code and status = 'completed')`,
  `update customers set
     transaction_count = (select count(*) from transactions where customer_id = customers.id),
     first_payment_at = (select min(completed_at) from transactions where customer_id = customers.id),
     last_payment_at = (select max(completed_at) from transactions where customer_id = customers.id)`,
];

/** Removes what is older than an instant from the invented past. */
export function shortenPayments({ store }: World, before: number): void {
  store.transaction(() => {
    for (const past of PAST) store.sql(`delete from ${past}`).run(before);
    for (const statement of FOLLOWING) store.sql(statement).run();
    const setPaid = store.sql("update customers set paid_cents = ? where id = ?");
    const completed = store.sql<Paid>(
      "select chain_id, token_address, amount from transactions where customer_id = ? and status = 'completed'",
    );
    for (const { id } of store.sql<{ id: string }>("select id from customers").all()) {
      const cents = completed
        .all(id)
        .map(({ amount, chain_id, token_address }) => countedCents(worth(amount, chain_id, token_address)));
      setPaid.run(
        cents.reduce((sum, one) => sum + one, 0),
        id,
      );
    }
  });
}
