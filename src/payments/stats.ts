import { DAY } from "../world/duration.ts";
import type { Analytics } from "./analytics.ts";
import type { PaymentsContext } from "./context.ts";
import { daysUntil } from "./days.ts";
import type { PaymentLinks } from "./payment-links.ts";
import { dollars, type Paid, takingsOf } from "./worth.ts";

export type Stats = ReturnType<typeof createStats>;

/** Statistics in the form of published clients of this API family, with their names. */
export function createStats({ world }: PaymentsContext, links: PaymentLinks, analytics: Analytics) {
  const { store, clock } = world;
  const statuses = store.sql<{ status: string; n: number }>(
    "select status, count(*) as n from transactions where org = ? group by status",
  );
  const completedSince = store.sql<Paid>(
    "select chain_id, token_address, amount from transactions where org = ? and status = 'completed' and completed_at > ?",
  );
  const sessions = store.sql<{ date: string; sessions: number; completions: number }>(
    `select date(created_at / 1000, 'unixepoch') as date, count(*) as sessions, sum(status = 'completed') as completions
     from checkout_sessions where payment_link_id = ? and created_at >= ? group by 1`,
  );

  return {
    ofTransactions(org: string) {
      const counts = Object.fromEntries(statuses.all(org).map(({ status, n }) => [status, n]));
      const all = analytics.takings(org);
      const recent = takingsOf(completedSince.all(org, clock.now() - DAY));
      return {
        object: "transaction_stats" as const,
        totalTransactions: Object.values(counts).reduce((sum, n) => sum + n, 0),
        completedTransactions: all.count,
        totalVolumeUsd: dollars(all.cents),
        last24h: { transactions: recent.count, volumeUsd: dollars(recent.cents) },
        statusBreakdown: { pending: 0, confirming: 0, completed: 0, failed: 0, ...counts },
      };
    },

    /** The counts of a link on each of the last UTC days. A visit opens a session, so each session counts as a view. */
    ofLink(org: string, id: string, days: number) {
      const link = links.find(org, id);
      const dates = daysUntil(clock.now(), days);
      const found = new Map(sessions.all(id, Date.parse(dates[0]!)).map((day) => [day.date, day]));
      const daily = dates.map((date) => found.get(date) ?? { date, sessions: 0, completions: 0 });
      const total = {
        sessions: daily.reduce((sum, day) => sum + day.sessions, 0),
        completions: daily.reduce((sum, day) => sum + day.completions, 0),
      };
      const rate = total.sessions === 0 ? "0.00" : ((total.completions / total.sessions) * 100).toFixed(2);
      return {
        object: "payment_link_stats" as const,
        payment_link_id: id,
        summary: {
          total_views: total.sessions,
          total_sessions: total.sessions,
          total_completions: total.completions,
          lifetime_completions: link.current_uses,
          view_to_session_rate: total.sessions === 0 ? "0.00" : "100.00",
          session_to_completion_rate: rate,
          overall_conversion_rate: rate,
        },
        daily: {
          views: daily.map(({ date, sessions: n }) => ({ date, view_count: n, unique_visitors: n })),
          sessions: daily,
        },
        utm_breakdown: [],
      };
    },
  };
}
