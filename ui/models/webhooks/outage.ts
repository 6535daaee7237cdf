import { type Api, ApiError } from "../../api.ts";
import type { RetriedFailed, Webhook } from "../../api-types.ts";
import { count } from "../format.ts";
import type { LedgerModel } from "../ledger.ts";
import { firstChoice } from "../payments.ts";

const DOWN = { kind: "status", status: 503 } as const;

/** What stands between an endpoint and its events goes: the fault, the disabling; then what failed is retried. */
export async function recover(
  api: Pick<Api, "fault" | "clearFault" | "enableWebhook" | "retryFailed">,
  { id, status }: Pick<Webhook, "id" | "status">,
  since: string,
): Promise<RetriedFailed> {
  if ((await api.fault(id)).spec) await api.clearFault(id);
  if (status !== "enabled") await api.enableWebhook(id);
  return api.retryFailed(id, since);
}

/** What a retry of all that failed came to. */
export function retriedWords({ retried, succeeded, failed, pending }: RetriedFailed): string {
  if (retried === 0) return "Nothing to retry: every event that failed since then has been delivered.";
  const parts = [
    succeeded > 0 ? `${succeeded} delivered` : "",
    failed > 0 ? `${failed} failed` : "",
    pending > 0 ? `${pending} not answered yet` : "",
  ];
  return `Retried ${count(retried, "delivery", "deliveries")}: ${parts.filter(Boolean).join(", ")}.`;
}

/** Causes something to be delivered to an endpoint: an event of its sender as its example is, or a payment. @throws ApiError */
export async function sendOne(
  api: Api,
  { sender, organization, events }: Webhook,
  now: number,
): Promise<void> {
  if (sender === "platform") {
    const links = await api.payableLinks(organization);
    const link = firstChoice(links, now) ?? (await api.makeLink(organization));
    await api.pay({ payment_link_id: link.id, ...(link.amount === null ? { amount: "1000000" } : {}) });
    return;
  }
  const types = (await api.senders()).find(({ name }) => name === sender)?.events ?? [];
  const type = types.find((one) => takes(events, one.type));
  if (!type) throw new ApiError(404, { message: `${sender} has no event that this endpoint subscribes to.` });
  await api.sendEvent(sender, type.type, {});
}

export const takes = (events: readonly string[], type: string): boolean =>
  events.length === 0 || events.includes("*") || events.includes(type);

export interface OutageParts {
  api: Api;
  clock: { exact(): number };
  ledger: Pick<LedgerModel, "advance">;
  endpoints: { find(id: string): Webhook | undefined };
  /** Waits until the page has read all that has happened so far. */
  readAll: () => Promise<void>;
}

/**
 * What happens if the subscriber is down for three hours: it breaks, two things are sent, time passes, and then it works
 * again and gets what it missed. What answers at the end is the subscriber itself.
 */
export async function playOutage(parts: OutageParts, webhook: Webhook): Promise<RetriedFailed> {
  const { api, clock, endpoints, ledger, readAll } = parts;
  const { id } = webhook;
  const since = new Date(clock.exact()).toISOString();
  if (webhook.status !== "enabled") await api.enableWebhook(id);
  if (!(await api.fault(id)).spec) await api.setFault(id, DOWN);
  for (const by of ["1h", "2h"] as const) {
    await sendOne(api, webhook, clock.exact());
    await readAll();
    await ledger.advance({ by });
  }
  await readAll();
  const retried = await recover(api, endpoints.find(id) ?? webhook, since);
  await readAll();
  return retried;
}
