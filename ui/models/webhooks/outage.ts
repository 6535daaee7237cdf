import type { Api } from "../../api.ts";
import type { Duration, OutageRequest, PlayedOutage, RetriedFailed, Webhook } from "../../api-types.ts";
import { count } from "../format.ts";
import type { LedgerModel } from "../ledger.ts";

/** Clears the endpoint's fault, enables the endpoint again, and retries the deliveries that failed. */
export async function recover(
  api: Pick<Api, "fault" | "clearFault" | "enableWebhook" | "retryFailed">,
  { id, status }: Pick<Webhook, "id" | "status">,
  since: string,
): Promise<RetriedFailed> {
  if ((await api.fault(id)).spec) await api.clearFault(id);
  if (status !== "enabled") await api.enableWebhook(id);
  return api.retryFailed(id, since);
}

/** Describes the result of retrying all failed deliveries. */
export function retriedWords({ retried, succeeded, failed, pending }: RetriedFailed): string {
  if (retried === 0) return "Nothing to retry: every event that failed since then has been delivered.";
  const parts = [
    succeeded > 0 ? `${succeeded} delivered` : "",
    failed > 0 ? `${failed} failed` : "",
    pending > 0 ? `${pending} without a response yet` : "",
  ];
  return `Retried ${count(retried, "delivery", "deliveries")}: ${parts.filter(Boolean).join(", ")}.`;
}

export const takes = (events: readonly string[], type: string): boolean =>
  events.length === 0 || events.includes("*") || events.includes(type);

/** The values of the outage form. An empty string stands for the server's default. */
export interface OutageDraft {
  duration: string;
  kind: NonNullable<OutageRequest["kind"]>;
  story: string;
}
export const USUAL_OUTAGE: OutageDraft = { duration: "3h", kind: "503", story: "" };

/**
 * Runs an outage and shows it as an advance.
 * @returns undefined if the outage was rejected, which is then reported to the user
 */
export async function playOutage(
  api: Pick<Api, "outage">,
  ledger: Pick<LedgerModel, "advance">,
  webhook: string,
  { duration, kind, story }: OutageDraft,
): Promise<PlayedOutage | undefined> {
  let played: PlayedOutage | undefined;
  const by = duration as Duration;
  const send = async () => {
    played = await api.outage(webhook, { duration: by, kind, ...(story && { story }) });
    const { from, now: to, wall_ms, cancelled, ledger: entries } = played;
    return { from, to, wall_ms, cancelled, reached: !cancelled, ledger: entries };
  };
  await ledger.advance({ by }, { label: "the outage", send });
  return played;
}
