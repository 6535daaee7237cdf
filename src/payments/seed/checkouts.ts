import { DAY, HOUR, MINUTE, SECOND } from "../../world/duration.ts";
import { DEFAULT_SESSION_SECONDS, SESSION_EXPIRY } from "../checkout-sessions.ts";
import { discountOn } from "../discount-value.ts";
import type { SessionRow } from "../rows.ts";
import { applies } from "./catalog.ts";
import { SHARES, units } from "./chains.ts";
import { type Customer, makeCustomers, nextCustomer, savePayers } from "./customers.ts";
import { failedAfter, nextFailure, payment } from "./payments.ts";
import { makeReference } from "./references.ts";
import { between, chance, instants, pick, type Seeding, weighted } from "./seeding.ts";
import type { History, SeededDiscount, SeededLink, Shop } from "./shop.ts";

export interface HistoryPlan {
  sessions: number;
  customers: number;
  from: number;
  /** No session is opened later, so that each has come to its end by now. */
  to: number;
}

const COMPLETED = 0.645;
/** Checkouts that belong to no link: the shop's own cart. */
const DIRECT = 0.12;
const RETRIED = 0.05;
const GIVEN_UP = 0.13;
const CANCELLED = 0.3;
const WITH_CODE = 0.13;

/** Lets customers through the shop's links and cart, in the order in which they came. Writes nothing yet. */
export function draftHistory(seeding: Seeding, shop: Shop, plan: HistoryPlan): History {
  const history: History = { sessions: [], transactions: [] };
  const customers = makeCustomers(seeding, plan.customers);
  const times = instants(seeding, "shoppers", { count: plan.sessions, from: plan.from, to: plan.to });
  for (const [order, at] of times.entries()) {
    const customer = nextCustomer(seeding, customers, order / times.length);
    const session = openSession(seeding, shop, customer, at, order);
    history.sessions.push(session.row);
    if (chance(seeding, COMPLETED)) complete(seeding, shop, history, session, customer);
    else expire(seeding, history, session, customer);
  }
  return history;
}

interface OpenSession {
  row: SessionRow;
  link: SeededLink | undefined;
  /** What is to be paid; the payer's own choice where the link leaves it open. */
  amount: string;
  decimals: number;
}

function openSession(
  seeding: Seeding,
  shop: Shop,
  customer: Customer,
  at: number,
  order: number,
): OpenSession {
  const link = chance(seeding, DIRECT) ? undefined : openLink(seeding, shop, at);
  const { chainId, token } = link?.currency ?? weighted(seeding, SHARES);
  const cart = units(
    pick(seeding, [1_350, 2_790, 3_140, 4_400, 5_830, 7_640, 9_600, 12_900, 18_250]) +
      between(seeding, 0, 40) * 10,
    token,
  );
  const amount = link ? link.row.amount : cart;
  const named = chance(seeding, link ? 0.7 : 0.95);
  const site = `https://shop.${shop.catalog.domain}`;
  const { client_reference_id, metadata } = makeReference(seeding, shop, link, order);
  const row: SessionRow = {
    id: seeding.world.ids.next("cs_"),
    org: shop.organization.id,
    payment_link_id: link?.row.id ?? null,
    status: "active",
    amount,
    token_address: token.address,
    chain_id: chainId,
    recipient_address: shop.organization.default_recipient_address,
    client_reference_id,
    metadata: JSON.stringify(metadata),
    customer_email: named ? customer.email : null,
    customer_name: named ? customer.name : null,
    success_url: link ? null : `${site}/thank-you`,
    cancel_url: link ? null : `${site}/cart`,
    discount_code: null,
    transaction_id: null,
    widget_id: null,
    expires_at: at + DEFAULT_SESSION_SECONDS * SECOND,
    completed_at: null,
    expired_at: null,
    created_at: at,
    updated_at: at,
    seeded: 1,
  };
  const chosen = units(
    pick(seeding, [200, 300, 500, 500, 800, 1_000, 1_000, 1_500, 2_000, 2_500, 5_000]),
    token,
  );
  return { row, link, amount: amount ?? chosen, decimals: token.decimals };
}

/** A link that is open at an instant, by how much it draws; each kept session counts against its uses. */
function openLink(seeding: Seeding, shop: Shop, at: number): SeededLink | undefined {
  const open = shop.links.filter(
    ({ row, closedAt }) =>
      row.created_at + 2 * MINUTE < at &&
      (closedAt === null || at + HOUR < closedAt) &&
      (row.expires_at === null || at + HOUR < row.expires_at) &&
      (row.max_uses === null || row.current_uses < row.max_uses),
  );
  if (open.length === 0) return undefined;
  return weighted(
    seeding,
    open.map((value) => ({ value, weight: value.weight })),
  );
}

function complete(
  seeding: Seeding,
  shop: Shop,
  history: History,
  session: OpenSession,
  customer: Customer,
): void {
  const { row, link } = session;
  const discount = findDiscount(seeding, shop, session);
  const { discount_type: type, discount_value: value } = discount?.row ?? {
    discount_type: "fixed" as const,
    discount_value: "0",
  };
  const terms = {
    session: row,
    customer,
    amount: String(BigInt(session.amount) - discountOn(BigInt(session.amount), type, value)),
    code: discount?.row.code ?? null,
  };
  let at = row.created_at + between(seeding, 25, 300) * SECOND + between(seeding, 0, 999);
  if (chance(seeding, RETRIED)) {
    const reason = nextFailure(seeding, history.transactions);
    const failed = payment(seeding, {
      ...terms,
      at,
      failure: { reason, after: failedAfter(seeding, reason) },
    });
    history.transactions.push(failed);
    at = failed.failed_at! + between(seeding, 30, 150) * SECOND;
  }
  const paid = payment(seeding, { ...terms, at, confirmedAfter: between(seeding, 1_900, 75_000) });
  history.transactions.push(paid);
  const doneAt = paid.completed_at!;
  Object.assign(row, {
    status: "completed",
    amount: session.amount,
    discount_code: terms.code,
    transaction_id: paid.id,
    completed_at: doneAt,
    updated_at: doneAt,
  } satisfies Partial<SessionRow>);
  for (const used of [link?.row, discount?.row]) {
    if (!used) continue;
    used.current_uses += 1;
    used.updated_at = Math.max(used.updated_at, doneAt);
  }
}

/** A code the payer has: one that is about to be used up, one made for this link, or any that applies. */
function findDiscount(
  seeding: Seeding,
  shop: Shop,
  { row, amount, decimals }: OpenSession,
): SeededDiscount | undefined {
  if (!chance(seeding, WITH_CODE) || row.amount === null) return undefined;
  const usable = shop.discounts.filter((discount) => {
    const { discount_type: type, discount_value: value } = discount.row;
    const small = type === "percentage" || (decimals === 6 && BigInt(value) * 2n < BigInt(amount));
    return small && applies(discount, row.payment_link_id, row.created_at);
  });
  const first = usable.filter(({ state }) => state === "used_up" || state === "bound");
  if (usable.length === 0) return undefined;
  return pick(seeding, first.length > 0 ? first : usable);
}

function expire(seeding: Seeding, history: History, session: OpenSession, customer: Customer): void {
  const { row } = session;
  if (chance(seeding, GIVEN_UP)) {
    const at = row.created_at + between(seeding, 25, 300) * SECOND;
    const reason = nextFailure(seeding, history.transactions);
    row.amount = session.amount;
    history.transactions.push(
      payment(seeding, {
        session: row,
        customer,
        amount: session.amount,
        code: null,
        at,
        failure: { reason, after: failedAfter(seeding, reason) },
      }),
    );
  }
  const cancelledAt = row.created_at + between(seeding, 17, 29) * MINUTE;
  const at = chance(seeding, CANCELLED) ? cancelledAt : row.expires_at;
  Object.assign(row, { status: "expired", expired_at: at, updated_at: at } satisfies Partial<SessionRow>);
}

/** Sessions that wait for their payer now; each has its expiry timer. */
export function draftActive(seeding: Seeding, shop: Shop, history: History, count: number): void {
  const { now, world } = seeding;
  for (const customer of makeCustomers(seeding, count)) {
    const at = now - between(seeding, 4, 350) * MINUTE - between(seeding, 0, 59) * SECOND;
    const { row } = openSession(seeding, shop, customer, at, history.sessions.length);
    row.expires_at = at + DAY;
    history.sessions.push(row);
    const { org, payment_link_id } = row;
    world.timers.set(SESSION_EXPIRY, row.id, row.expires_at, { org, payment_link_id });
  }
}

/** Writes sessions, transactions and their payers in the order in which they came to be. */
export function saveHistory(seeding: Seeding, { sessions, transactions }: History): void {
  const { save } = seeding;
  for (const row of sessions.sort(byAge)) save("checkout_sessions", row);
  transactions.sort(byAge);
  savePayers(seeding, sessions, transactions);
  for (const row of transactions) save("transactions", row);
}

function byAge(a: { created_at: number }, b: { created_at: number }): number {
  return a.created_at - b.created_at;
}
