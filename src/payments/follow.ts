import type { Static } from "typebox";
import type { TimelineAttempt } from "../timeline/schemas.ts";
import { expandUrl } from "../webhooks/endpoint-url.ts";
import type { DeliveryRow, PlanRow } from "../webhooks/rows.ts";
import { attemptMark } from "../webhooks/timeline.ts";
import { iso, isoOrNull } from "../world/duration.ts";
import type { CheckoutSessions } from "./checkout-sessions.ts";
import type { PaymentsContext } from "./context.ts";
import type { TransactionRow } from "./rows.ts";
import type { CheckoutSession } from "./schemas/checkout-sessions.ts";
import type { Transaction } from "./schemas/transactions.ts";
import { type Transactions, transactionResource } from "./transactions.ts";

interface EventRow {
  id: string;
  type: string;
  about: string;
  created_at: number;
}

/** How one endpoint handles an event that it subscribes to. */
interface FollowedEndpoint extends Pick<PlanRow, "webhook_id" | "state" | "reason"> {
  url: string;
  next_attempt_at: string | null;
  deliveries: TimelineAttempt[];
}

/** A payment with its session, its events and all delivery attempts, the oldest first. */
export interface FollowedPayment {
  /** Null for a payment without a session. */
  session: Static<typeof CheckoutSession> | null;
  payments: Static<typeof Transaction>[];
  events: (Omit<EventRow, "created_at"> & { created_at: string; endpoints: FollowedEndpoint[] })[];
}

/**
 * @param of the id of a transaction, a checkout session, or one of its events; for any other id, the result is
 * undefined
 */
export type Follow = (of: string) => FollowedPayment | undefined;

export function createFollow(
  { world, origin }: PaymentsContext,
  sessions: CheckoutSessions,
  transactions: Transactions,
): Follow {
  const { store } = world;
  const paymentsOf = store.sql<TransactionRow>(
    "select * from transactions where session_id = ? order by created_at, id",
  );
  const eventsOf = store.sql<EventRow>(
    `select id, type, json_extract(data, '$.id') as about, created_at from webhook_events
     where json_extract(data, '$.id') in (select value from json_each(?)) and org = ? order by created_at, rowid`,
  );
  const aboutOf = store.sql<{ about: string }>(
    "select json_extract(data, '$.id') as about from webhook_events where id = ?",
  );
  const deliveriesOf = store.sql<DeliveryRow>(
    "select * from webhook_deliveries where event_id = ? and webhook_id = ? order by started_at, rowid",
  );

  const plansOf = store.sql<PlanRow & { url: string }>(
    `select p.*, w.url from webhook_plans p join webhooks w on w.id = p.webhook_id
     where p.event_id = ? order by w.created_at, w.id`,
  );

  const endpoint = (plan: PlanRow & { url: string }): FollowedEndpoint => ({
    webhook_id: plan.webhook_id,
    url: expandUrl(plan.url, origin()),
    state: plan.state,
    reason: plan.state === "skipped" ? plan.reason : null,
    next_attempt_at: isoOrNull(plan.next_attempt_at),
    deliveries: deliveriesOf.all(plan.event_id, plan.webhook_id).map(attemptMark),
  });

  return (of) => {
    const id = aboutOf.get(of)?.about ?? of;
    const asked = transactions.byId(id);
    const session = sessions.byId(asked?.session_id ?? id);
    const payments = session ? paymentsOf.all(session.id) : asked ? [asked] : [];
    const first = session ?? asked;
    if (!first) return undefined;
    const subjects = JSON.stringify([first.id, ...payments.map((payment) => payment.id)]);
    return {
      session: session ? sessions.resource(session) : null,
      payments: payments.map(transactionResource),
      events: eventsOf.all(subjects, first.org).map(({ created_at: at, ...event }) => ({
        ...event,
        created_at: iso(at),
        endpoints: plansOf.all(event.id).map(endpoint),
      })),
    };
  };
}
