import type { Static } from "typebox";
import { DAY } from "../world/duration.ts";
import type { Analytics } from "./analytics.ts";
import type { PaymentsContext } from "./context.ts";
import { daysUntil } from "./days.ts";
import type { PaymentLinks } from "./payment-links.ts";
import type { PaymentLinkStats, TransactionStats } from "./schemas/analytics.ts";
import type { WidgetStats } from "./schemas/catalog.ts";
import type { Widgets } from "./widgets.ts";
import { dollars, type Paid, takingsOf } from "./worth.ts";

/**
 * Statistics in the format that published clients of this API family expect. Daily statistics cover each of the last
 * `days` UTC days, including today. See docs/fidelity.md, "Shapes of published clients".
 */
export interface Stats {
  ofTransactions(org: string): Static<typeof TransactionStats>;
  /** Every visit opens a session, so each session counts as a view. @throws PlatformError resource_not_found */
  ofLink(org: string, id: string, days: number): Static<typeof PaymentLinkStats>;
  /** Every session opened from the widget counts as an interaction. @throws PlatformError resource_not_found */
  ofWidget(org: string, id: string, days: number): Static<typeof WidgetStats>;
}

interface SessionsRow {
  date: string;
  sessions: number;
  completions: number;
}

export function createStats(
  { world }: PaymentsContext,
  links: PaymentLinks,
  widgets: Widgets,
  analytics: Analytics,
): Stats {
  const { store, clock } = world;
  const statuses = store.sql<{ status: string; n: number }>(
    "select status, count(*) as n from transactions where org = ? group by status",
  );
  const completedSince = store.sql<Paid>(
    "select chain_id, token_address, amount from transactions where org = ? and status = 'completed' and completed_at > ?",
  );
  const viewsSince = store.sql<{ day: string; views: number }>(
    "select day, views from widget_views where widget_id = ? and day >= ?",
  );

  /** The number of sessions of a link or widget on each of the last days. */
  function sessionsOf(owner: "payment_link_id" | "widget_id", id: string, days: number): SessionsRow[] {
    const dates = daysUntil(clock.now(), days);
    const read = store.sql<SessionsRow>(
      `select date(created_at / 1000, 'unixepoch') as date, count(*) as sessions, sum(status = 'completed') as completions
       from checkout_sessions where ${owner} = ? and created_at >= ? group by 1`,
    );
    const found = new Map(read.all(id, Date.parse(dates[0]!)).map((day) => [day.date, day]));
    return dates.map((date) => found.get(date) ?? { date, sessions: 0, completions: 0 });
  }

  return {
    ofTransactions(org) {
      const counts = Object.fromEntries(statuses.all(org).map(({ status, n }) => [status, n]));
      const all = analytics.takings(org);
      const recent = takingsOf(completedSince.all(org, clock.now() - DAY));
      return {
        object: "transaction_stats",
        totalTransactions: Object.values(counts).reduce((sum, n) => sum + n, 0),
        completedTransactions: all.count,
        totalVolumeUsd: dollars(all.cents),
        last24h: { transactions: recent.count, volumeUsd: dollars(recent.cents) },
        statusBreakdown: { pending: 0, confirming: 0, completed: 0, failed: 0, ...counts },
      };
    },

    ofLink(org, id, days) {
      const link = links.find(org, id);
      const daily = sessionsOf("payment_link_id", id, days);
      const [sessions, completions] = [sum(daily, "sessions"), sum(daily, "completions")];
      const rate = sessions === 0 ? "0.00" : ((completions / sessions) * 100).toFixed(2);
      return {
        object: "payment_link_stats",
        payment_link_id: id,
        summary: {
          total_views: sessions,
          total_sessions: sessions,
          total_completions: completions,
          lifetime_completions: link.current_uses,
          view_to_session_rate: sessions === 0 ? "0.00" : "100.00",
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

    ofWidget(org, id, days) {
      widgets.find(org, id);
      const opened = sessionsOf("widget_id", id, days);
      const views = new Map(viewsSince.all(id, opened[0]!.date).map((row) => [row.day, row.views]));
      const daily = opened.map(({ date, sessions: interactions, completions }) => ({
        date,
        views: views.get(date) ?? 0,
        interactions,
        completions,
      }));
      return {
        object: "widget_stats",
        widget_id: id,
        summary: {
          total_views: sum(daily, "views"),
          total_interactions: sum(daily, "interactions"),
          total_completions: sum(daily, "completions"),
        },
        daily,
      };
    },
  };
}

const sum = <Field extends string>(days: readonly Record<Field, number>[], field: Field): number =>
  days.reduce((total, day) => total + day[field], 0);
