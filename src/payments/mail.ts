import { formatDuration } from "../timeline/duration.ts";
import type { Notice } from "../webhooks/senders.ts";
import { iso } from "../world/duration.ts";
import type { PaymentsContext } from "./context.ts";
import { describeAmount } from "./hosted/tokens.ts";
import type { Notifications } from "./notifications.ts";
import type { OrganizationRow } from "./rows.ts";
import { EVENT_TYPES, EVENTS } from "./webhooks/event-types.ts";
import type { Paid } from "./worth.ts";

interface DisabledEndpoint {
  id: string;
  url: string;
  /** The number of consecutive failed deliveries. */
  failures: number;
  lastError: string | null;
  /** The subscriber's time limit, in milliseconds. */
  timeout: number;
}

/** The platform's e-mails about journal entries. They are stored but never sent. Lists start with the oldest. */
export interface Mail {
  /** Writes the e-mail about a disabled endpoint, unless the owner has turned that notification off. */
  endpointDisabled(organization: OrganizationRow, endpoint: DisabledEndpoint): void;
  ofWebhook(webhookId: string): Notice[];
  list(): StoredMail[];
}

/** A stored e-mail. Its time is an ISO 8601 time on the virtual clock. */
interface StoredMail {
  id: string;
  organization: string;
  to: string;
  subject: string;
  text: string;
  /** The endpoint that the e-mail is about, if it is about one. */
  webhook_id: string | null;
  created_at: string;
}

export function createMail({ world }: PaymentsContext, notifications: Notifications): Mail {
  const { store, ids, clock, journal } = world;
  const insert = store.sql(
    "insert into mail (id, org, recipient, subject, text, webhook_id, created_at) values (?, ?, ?, ?, ?, ?, ?)",
  );
  const all = store.sql<Omit<StoredMail, "created_at"> & { created_at: number }>(
    `select id, org as organization, recipient as "to", subject, text, webhook_id, created_at from mail
     order by created_at, rowid`,
  );

  const paidBy = store.sql<Paid>("select amount, chain_id, token_address from transactions where id = ?");
  const ofWebhook = store.sql<Notice>(
    "select subject, created_at as at from mail where webhook_id = ? order by created_at",
  );

  function send(org: string, to: string, subject: string, text: string, webhookId: string | null): void {
    const id = ids.next("mail_");
    insert.run(id, org, to, subject, text, webhookId, clock.now());
    journal.append("mail.sent", { id, organization: org, to, subject, webhook_id: webhookId });
  }

  for (const type of EVENT_TYPES)
    journal.follow(type, ({ id, organization, transaction_id: payment = id }) => {
      const to = notifications.recipientOf(String(organization), type);
      if (to === undefined) return;
      const paid = paidBy.get(String(payment));
      const amount = paid ? `: ${describeAmount(paid.amount, paid.chain_id, paid.token_address)}` : "";
      const subject = EVENTS[type].subject + amount;
      const text = [subject, "", `  ${id}`, `  ${iso(clock.now())}`].join("\n");
      send(String(organization), to, subject, text, null);
    });

  return {
    endpointDisabled(organization, endpoint) {
      const to = notifications.recipientOf(organization.id, "webhook.disabled");
      if (to === undefined) return;
      const subject = `Webhook endpoint disabled after ${endpoint.failures} failed deliveries`;
      send(organization.id, to, subject, disabledText(organization.name, endpoint, clock.now()), endpoint.id);
    },

    ofWebhook: ofWebhook.all,
    list: () => all.all().map((row) => ({ ...row, created_at: iso(row.created_at) })),
  };
}

/** The notification's text, which the seed uses as well. */
export function disabledText(organization: string, endpoint: DisabledEndpoint, at: number): string {
  return [
    `Hello ${organization},`,
    "",
    `we disabled your webhook endpoint ${endpoint.id} at ${iso(at)}:`,
    `  ${endpoint.url}`,
    "",
    `${endpoint.failures} deliveries in a row failed.${endpoint.lastError === null ? "" : ` The last one: ${endpoint.lastError}`}`,
    "Planned retries were skipped, and new events are not sent to it.",
    "",
    `Once the endpoint responds with a 2xx status within ${formatDuration(endpoint.timeout)}, enable it again in the dashboard.`,
    "Missed events are not sent again automatically; retry the failed deliveries that you need.",
  ].join("\n");
}
