import { Type } from "typebox";
import { Instant, nullable, oneOf, shape } from "../../http/shapes.ts";
import { PERIODS, type Period } from "../words.ts";
import { ChainId } from "./common.ts";
import { Dollars, TokenSum } from "./customers.ts";

const PERIOD_NAMES = Object.keys(PERIODS) as Period[];
const PeriodName = oneOf(PERIOD_NAMES, { default: "30d", description: "Whole UTC days, including today." });

export const AnalyticsQuery = Type.Object({ period: PeriodName });

const takings = {
  transactions: Type.Integer({ description: "Completed payments." }),
  revenue_usd: Dollars,
};

export const AnalyticsOverview = shape("AnalyticsOverview", {
  object: Type.Literal("analytics_overview"),
  period: oneOf(PERIOD_NAMES),
  from: nullable(Instant),
  to: Instant,
  revenue: Type.Object({
    period_usd: Dollars,
    period_transactions: Type.Integer(),
    period_by_token: Type.Array(TokenSum),
    all_time_usd: Dollars,
    all_time_transactions: Type.Integer(),
    all_time_by_token: Type.Array(TokenSum),
  }),
  customers: Type.Object({ total: Type.Integer(), new_in_period: Type.Integer() }),
  payment_links: Type.Object({ total: Type.Integer(), active: Type.Integer() }),
  conversion_rate: Type.String({
    description: "The percentage of checkout sessions opened in the period that were completed.",
    examples: ["64.51"],
  }),
  daily: Type.Array(
    Type.Object({
      date: Type.String({ examples: ["2026-01-15"] }),
      transactions: Type.Integer(),
      revenue_usd: Type.Number(),
    }),
    {
      description: "Each day of the period, oldest first. For `all`, only the days with completed payments.",
    },
  ),
  top_payment_links: Type.Array(
    Type.Object({
      payment_link_id: Type.String(),
      name: nullable(Type.String({ description: "The link's name; null if the link was deleted." })),
      short_code: nullable(Type.String()),
      ...takings,
      by_token: Type.Array(TokenSum),
    }),
  ),
  top_tokens: Type.Array(
    Type.Object({
      chain_id: ChainId,
      token_address: Type.String(),
      symbol: Type.String(),
      amount: Type.String({ pattern: "^\\d+$" }),
      ...takings,
    }),
  ),
  top_chains: Type.Array(
    Type.Object({
      chain_id: ChainId,
      name: Type.String(),
      ...takings,
      by_token: Type.Array(TokenSum),
    }),
  ),
});

const Count = Type.Integer({ minimum: 0 });
const Day = Type.String({ examples: ["2026-01-15"] });
const Rate = Type.String({ description: "In percent.", examples: ["64.51"] });

export const TransactionStats = shape("TransactionStats", {
  object: Type.Literal("transaction_stats"),
  totalTransactions: Count,
  completedTransactions: Count,
  totalVolumeUsd: Dollars,
  last24h: Type.Object(
    { transactions: Count, volumeUsd: Dollars },
    { description: "Payments completed in the last 24 hours." },
  ),
  statusBreakdown: Type.Record(Type.String(), Count),
});

export const PaymentLinkStats = shape("PaymentLinkStats", {
  object: Type.Literal("payment_link_stats"),
  payment_link_id: Type.String(),
  summary: Type.Object({
    total_views: Count,
    total_sessions: Count,
    total_completions: Count,
    lifetime_completions: Count,
    view_to_session_rate: Rate,
    session_to_completion_rate: Rate,
    overall_conversion_rate: Rate,
  }),
  daily: Type.Object({
    views: Type.Array(Type.Object({ date: Day, view_count: Count, unique_visitors: Count })),
    sessions: Type.Array(Type.Object({ date: Day, sessions: Count, completions: Count })),
  }),
  utm_breakdown: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
    description: "Always empty: the sandbox stores no UTM parameters.",
  }),
});
