import { Type } from "typebox";
import { Dollars } from "./customers.ts";

const Count = Type.Integer({ minimum: 0 });
const Day = Type.String({ examples: ["2026-01-15"] });
const Rate = Type.String({ description: "In percent.", examples: ["64.51"] });

export const TransactionStats = Type.Object(
  {
    object: Type.Literal("transaction_stats"),
    totalTransactions: Count,
    completedTransactions: Count,
    totalVolumeUsd: Dollars,
    last24h: Type.Object(
      { transactions: Count, volumeUsd: Dollars },
      { description: "Payments completed in the last 24 hours." },
    ),
    statusBreakdown: Type.Record(Type.String(), Count),
  },
  { title: "TransactionStats" },
);

export const PaymentLinkStats = Type.Object(
  {
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
  },
  { title: "PaymentLinkStats" },
);
