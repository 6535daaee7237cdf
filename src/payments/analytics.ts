import type { Static } from "typebox";
import { compare } from "../runtime/compare.ts";
import { iso } from "../world/duration.ts";
import type { PaymentsContext } from "./context.ts";
import { daysUntil } from "./days.ts";
import { chainName } from "./hosted/tokens.ts";
import type { AnalyticsOverview } from "./schemas/analytics.ts";
import { PERIODS, type Period } from "./words.ts";
import { dollars, type Paid, type Takings, takingsOf } from "./worth.ts";

/** The maximum number of payment links, tokens and chains to list. */
const TOP = 5;

/** All payments of the same amount that were completed on the same day. */
interface PaymentsRow extends Paid {
  /** A UTC date: `2026-01-15`. */
  date: string;
  payment_link_id: string | null;
}

/** An organization's revenue and payers. See docs/guide/payments.md, "Customers, analytics and exports". */
export interface Analytics {
  /** The totals of all completed payments. */
  takings(org: string): Takings;
  /** A period's revenue, grouped by the UTC day the payments completed, and the all-time revenue. */
  overview(org: string, period: Period): Static<typeof AnalyticsOverview>;
}

export function createAnalytics({ world }: PaymentsContext): Analytics {
  const { store, clock } = world;
  const payments = store.sql<PaymentsRow>(
    `select date(completed_at / 1000, 'unixepoch') as date, payment_link_id, chain_id, token_address, amount, count(*) as count from transactions
     where org = ? and status = 'completed' group by 1, 2, 3, 4, 5 order by min(completed_at), min(id)`,
  );
  const customers = store.sql<{ total: number; recent: number }>(
    "select count(*) as total, count(*) filter (where created_at >= ?) as recent from customers where org = ?",
  );
  const links = store.sql<{ total: number; active: number }>(
    "select count(*) as total, count(*) filter (where active = 1) as active from payment_links where org = ?",
  );
  const sessions = store.sql<{ opened: number; completed: number }>(
    `select count(*) as opened, count(*) filter (where status = 'completed') as completed
     from checkout_sessions where org = ? and created_at >= ?`,
  );
  const linkNames = store.sql<{ name: string; short_code: string }>(
    "select name, short_code from payment_links where id = ?",
  );

  function describeLink(id: string) {
    const link = linkNames.get(id);
    return { payment_link_id: id, name: link?.name ?? null, short_code: link?.short_code ?? null };
  }

  return {
    takings: (org) => takingsOf(payments.all(org)),

    overview(org, period) {
      const now = clock.now();
      const days = PERIODS[period];
      const dates = days === undefined ? undefined : daysUntil(now, days);
      const from = dates ? Date.parse(dates[0]!) : 0;
      const all = payments.all(org);
      const recent = all.filter(({ date }) => dates === undefined || date >= dates[0]!);
      const byDay = Map.groupBy(recent, ({ date }) => date);
      const total = takingsOf(all);
      const inPeriod = takingsOf(recent);
      const people = customers.get(from, org)!;
      const { opened, completed } = sessions.get(org, from)!;
      return {
        object: "analytics_overview",
        period,
        from: dates ? iso(from) : null,
        to: iso(now),
        revenue: {
          period_usd: dollars(inPeriod.cents),
          period_transactions: inPeriod.count,
          period_by_token: inPeriod.byToken(),
          all_time_usd: dollars(total.cents),
          all_time_transactions: total.count,
          all_time_by_token: total.byToken(),
        },
        customers: { total: people.total, new_in_period: people.recent },
        payment_links: links.get(org)!,
        conversion_rate: percent(completed, opened),
        daily: (dates ?? [...byDay.keys()]).map((date) => {
          const { count, cents } = takingsOf(byDay.get(date) ?? []);
          return { date, transactions: count, revenue_usd: Number(dollars(cents)) };
        }),
        top_payment_links: top(
          recent.filter(({ payment_link_id: id }) => id !== null),
          ({ payment_link_id: id }) => id!,
          describeLink,
        ),
        top_tokens: inPeriod
          .byToken()
          .slice(0, TOP)
          .map(({ amount_usd: revenue, ...token }) => ({ ...token, revenue_usd: revenue })),
        top_chains: top(
          recent,
          ({ chain_id: id }) => id,
          (id) => ({ chain_id: id, name: chainName(id) }),
        ),
      };
    },
  };
}

/** Returns the groups with the highest revenue, sorted by worth, then by count, then by key. */
function top<Key extends string | number, Facts extends object>(
  payments: readonly PaymentsRow[],
  keyOf: (payment: PaymentsRow) => Key,
  describe: (key: Key) => Facts,
) {
  return [...Map.groupBy(payments, keyOf)]
    .map(([key, group]) => [key, takingsOf(group)] as const)
    .sort(
      ([a, first], [b, second]) =>
        compare(second.cents, first.cents) || second.count - first.count || compare(a, b),
    )
    .slice(0, TOP)
    .map(([key, takings]) => ({
      ...describe(key),
      transactions: takings.count,
      revenue_usd: dollars(takings.cents),
      by_token: takings.byToken(),
    }));
}

function percent(part: number, whole: number): string {
  const hundredths = whole === 0 ? 0 : Math.floor((part * 10_000) / whole);
  return (hundredths / 100).toFixed(2);
}
