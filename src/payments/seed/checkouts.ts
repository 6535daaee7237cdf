import details from "../../../fixtures/payments/payers.json" with { type: "json" };
import { DAY, HOUR, MINUTE, SECOND } from "../../world/duration.ts";
import { DEFAULT_SESSION_SECONDS } from "../checkout-sessions.ts";
import type { RowOf } from "../fixtures/description.ts";
import type { FailureReason, TransactionStatus } from "../words.ts";
import type { Code, Link } from "./catalog.ts";
import { SHARES, units } from "./currencies.ts";
import { instants, isOpen, type Seeding, type Shop } from "./seeding.ts";

/** How much traffic a shop's checkouts get. */
export interface HistoryPlan {
  sessions: number;
  people: number;
  /** The number of sessions that are open now. */
  active: number;
}

/** A complete history, in the format of a fixtures file. */
export interface History {
  customers: RowOf<"customers">[];
  checkout_sessions: RowOf<"checkout_sessions">[];
  transactions: RowOf<"transactions">[];
}

/** How a checkout ended, with its payments in order. */
interface Outcome {
  payments: readonly TransactionStatus[];
  /** Set if the checkout was cancelled before it could expire. */
  cancelled?: true;
  /** Whether the checkout is still open. */
  active?: true;
}

/** How often checkouts end in each way, in percent. Payments left `pending` or `confirming` never settle. */
const OUTCOMES: readonly [Outcome, number][] = [
  [{ payments: ["completed"] }, 58],
  [{ payments: ["failed", "completed"] }, 4],
  [{ payments: ["failed"] }, 6],
  [{ payments: ["pending"] }, 1],
  [{ payments: ["confirming"] }, 1],
  [{ payments: [], cancelled: true }, 8],
  [{ payments: [] }, 22],
];
const REASONS: readonly [FailureReason, number][] = [
  ["reverted", 4],
  ["insufficient_funds", 3],
  ["rejected", 2],
  ["timed_out", 2],
];
/**
 * Fractions of checkouts that start from the shop's own cart, use a discount code, or include a name and e-mail
 * address.
 */
const DIRECT = 0.12;
const WITH_CODE = 0.3;
const NAMED = 0.75;
/** One in this many checkouts has neither a reference nor metadata. */
const WITHOUT_REFERENCE = 4;
/** The amounts of carts and donations, in cents. */
const CARTS = [500, 1_000, 1_350, 2_000, 2_790, 3_140, 4_400, 5_830, 7_640, 9_600, 12_900, 18_250];
/** Wallets whose payments the sandbox makes fail (see transactions.ts). Seeded payers must not use them. */
const MAGIC = /(?:dead|0bad|beef)$/;

/** Generates unique people with names. Their e-mail addresses are at example.com. */
function makePeople({ draws, world }: Seeding, organization: string, count: number): RowOf<"customers">[] {
  const names = details.map(({ email }) => email.split("@")[0]!.split("."));
  const capital = (name: string) => name[0]!.toUpperCase() + name.slice(1);
  const people = Array.from({ length: count }, (_, index) => {
    const first = names[index % names.length]![0]!;
    const last = names[(index + Math.floor(index / names.length)) % names.length]![1]!;
    let wallet_address = world.ids.hex("wallet", 20);
    while (MAGIC.test(wallet_address)) wallet_address = world.ids.hex("wallet", 20);
    const name = `${capital(first)} ${capital(last)}`;
    return { organization, wallet_address, name, email: `${first}.${last}@example.com` };
  });
  return draws.some(people, count);
}

/** Generates checkouts in which people use the shop's links and cart, in the order in which they arrive. */
export function draftHistory(
  seeding: Seeding,
  shop: Shop,
  { links, codes }: { links: readonly Link[]; codes: readonly Code[] },
  plan: HistoryPlan,
): History {
  const { draws, at: moment, now, world } = seeding;
  const { id: organization, default_chain_id, default_token_address } = shop.organization;
  const own = { chain_id: default_chain_id, token_address: default_token_address };
  const site = `https://shop.${shop.domain}`;
  const people = makePeople(seeding, organization, plan.people);
  const dealOutcome = draws.deal(OUTCOMES);
  const dealReason = draws.deal(REASONS);
  const dealShare = draws.deal(SHARES);
  const sessions: History["checkout_sessions"] = [];
  const transactions: History["transactions"] = [];

  function checkOut(at: number, person: RowOf<"customers">, { payments, ...end }: Outcome): void {
    const open = draws.chance(DIRECT) ? [] : links.filter((one) => isOpen(one, at));
    const link = open.length === 0 ? undefined : draws.pick(open);
    const currency = link ? { ...own, ...link.row } : dealShare();
    const isFree = !link || (payments.length > 0 && !link.row.product && !link.row.amount);
    const order = 10_200 + sessions.length;
    const reference = `${shop.order_prefix}-${order}`;
    const source = draws.pick(["web", "web", "ios", "android"]);
    const session = {
      id: world.ids.next("cs_"),
      organization,
      seeded: true,
      ...(link
        ? { payment_link: link.row.name }
        : { ...currency, success_url: `${site}/thank-you`, cancel_url: `${site}/cart` }),
      ...(isFree && { amount: units(draws.pick(CARTS), currency) }),
      ...(order % WITHOUT_REFERENCE > 0 && {
        client_reference_id: reference,
        metadata: { order_id: reference, source },
      }),
      ...(draws.chance(NAMED) && { customer_name: person.name!, customer_email: person.email! }),
      ...(end.cancelled && { expired_at: at + draws.between(17 * MINUTE, 29 * MINUTE) }),
      expires_at: at + (end.active ? DAY : DEFAULT_SESSION_SECONDS * SECOND),
      created_at: at,
    };
    sessions.push(session);

    const usable = codes.filter(
      (one) => isOpen(one, at) && [undefined, link?.row.name].includes(one.row.payment_link as string),
    );
    const code =
      link?.row.product && draws.chance(WITH_CODE)
        ? (usable.find(({ state }) => state === "used_up") ?? draws.pick(usable))
        : undefined;
    let created_at = at;
    for (const status of payments) {
      created_at += draws.between(25 * SECOND, 3 * MINUTE);
      const payment = {
        organization,
        session: session.id,
        customer: person.wallet_address,
        status,
        created_at,
      };
      const discount = code && { discount_code: code.row.code };
      if (status === "failed") {
        const failure_reason = dealReason();
        const patience = failure_reason === "timed_out" ? 5 * MINUTE : 0;
        const failed_at = created_at + patience + draws.between(4_000, 48_000);
        transactions.push({ ...payment, ...discount, failure_reason, failed_at });
        created_at = failed_at;
      } else if (status === "completed") {
        const completed_at = created_at + draws.between(1_900, 75_000);
        transactions.push({ ...payment, ...discount, completed_at });
        for (const offer of [link, code]) offer?.uses.push(completed_at);
      } else transactions.push(payment);
    }
  }

  for (const at of instants(seeding, plan.sessions, moment(0.03), now - HOUR))
    checkOut(at, draws.pickEarly(people), dealOutcome());
  for (let count = 0; count < plan.active; count += 1)
    checkOut(now - draws.between(4 * MINUTE, 350 * MINUTE), draws.pick(people), {
      payments: [],
      active: true,
    });
  const payers = new Set(transactions.map(({ customer }) => customer));
  const customers = people.filter(({ wallet_address: wallet }) => payers.has(wallet));
  return { customers, checkout_sessions: sessions, transactions };
}
