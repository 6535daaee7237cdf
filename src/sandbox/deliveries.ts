import type { IncomingMessage } from "node:http";
import { invalidState, misuse, notFound, type SandboxError } from "../errors/errors.ts";
import { standingOf } from "../http/standing.ts";
import type { DoesLater, MethodsOf } from "../operations/index.ts";
import { mayBeSignature } from "../timeline/explain.ts";
import type { WebhookEngine } from "../webhooks/engine.ts";
import type { DeliveryRow } from "../webhooks/rows.ts";
import { iso, parseDuration, readInstant } from "../world/duration.ts";
import { findWebhook, WAYS_TO_DELIVERIES } from "./endpoints.ts";

/** How far back failed deliveries are retried by default. Outages are seldom noticed later than this. */
const DEFAULT_SINCE = "1d";

const AT_NOW = "Start the sandbox at the machine's time: --start-at now.";

type Again = "resend" | "retry" | "retryFailed";

/**
 * Operations on deliveries by id, whichever organization and endpoint they belong to. See docs/guide/webhooks.md,
 * "Resend" and "Manual retries and test deliveries".
 * @throws SandboxError `not_found`; `invalid_state` for a delivery that cannot be sent again; `invalid_duration`;
 * Refusal
 */
export interface DeliveryControls extends Pick<MethodsOf<"webhooks", Again>, "delivery" | Again> {
  /**
   * Finds out by experiment why a server rejected a delivery. See docs/guide/webhooks.md, "If your server
   * rejects a signature". If the caller is on this machine, secrets in the sandbox's environment are also tried.
   * @throws SandboxError `invalid_state` for a delivery that the server did not reject
   */
  diagnose: DoesLater<"webhooks.diagnose", [request: { raw: IncomingMessage }]>;
}

export function createDeliveryControls(engine: WebhookEngine): DeliveryControls {
  const { deliveries, deliveryDetails, events, world } = engine;

  function findDelivery(id: string): DeliveryRow {
    const row = deliveries.byId(id);
    if (row) return row;
    throw notFound(`There is no ${id.startsWith("evt_") ? "event" : "delivery"} ${id}.`, {
      ...WAYS_TO_DELIVERIES,
      http: "GET /_sandbox/webhooks/{id}/timeline lists the ids of an endpoint's deliveries.",
      page: "Under Webhooks, each endpoint lists its deliveries.",
    });
  }

  function checkEndpoint({ id, webhook_id: endpoint }: DeliveryRow, named: string): void {
    if (named === endpoint) return;
    throw misuse(
      `The delivery ${id} went to the webhook ${endpoint}, not to ${named}.`,
      `Use the webhook ${endpoint}.`,
    );
  }

  /** The deliveries to resend: one delivery, or an event's delivery to each endpoint. */
  function findDelivered(id: string, webhookId: string | null): DeliveryRow[] {
    if (events.exists(id)) {
      const rows = deliveries.deliveredTo(id, webhookId);
      if (rows.length > 0) return rows;
      const where = webhookId === null ? "" : ` to the webhook ${webhookId}`;
      throw notDelivered(`The event ${id} was not delivered${where}.`);
    }
    const row = findDelivery(id);
    if (row.trigger === "test")
      throw invalidState(`The delivery ${id} is a test, and tests cannot be resent.`, {
        command: `Send another test: npx sandglass webhooks test ${row.webhook_id}`,
        library: `Send another test: webhooks.test("${row.webhook_id}")`,
        http: `Send another test: POST /_sandbox/webhooks/${row.webhook_id}/test`,
      });
    if (webhookId !== null) checkEndpoint(row, webhookId);
    findWebhook(engine, row.webhook_id);
    // A failed resend means that the event was delivered before, so it can be resent again.
    if (row.status !== "success" && deliveries.deliveredTo(row.event_id, row.webhook_id).length === 0)
      throw notDelivered(`The delivery ${id} is ${row.status}, so there is nothing to resend.`, id);
    return [row];
  }

  return {
    delivery: ({ id }) => deliveryDetails(findDelivery(id)),

    async diagnose({ id }, request) {
      const row = findDelivery(id);
      findWebhook(engine, row.webhook_id);
      const {
        simulated,
        error_detail: detail,
        response_code: status,
        response_body: body,
      } = deliveryDetails(row);
      const words = `${detail} ${body}`;
      if (simulated === null && row.status === "failed" && mayBeSignature(status, words)) {
        const [{ readAllShipped }, { environmentSecrets }] = await Promise.all([
          import("../senders/files.ts"),
          import("../senders/environment-secrets.ts"),
        ]);
        const secrets = standingOf(request).local ? environmentSecrets("the sandbox") : [];
        return engine.diagnose(row, { secrets, others: await readAllShipped(), atNow: AT_NOW, words });
      }
      throw invalidState(
        simulated !== null
          ? `The response to the delivery ${id} came from the sandbox, not from your server.`
          : `The delivery ${id} ${row.status === "failed" ? `failed: ${detail ?? "got no response in time"}` : `is ${row.status}`}. Its signature was not refused.`,
        "Only a refusal by your server can be diagnosed: a response that mentions a signature, or a status of 400, 401 or 403.",
      );
    },

    async resend({ id, webhook_id: webhookId }) {
      if (webhookId !== undefined) findWebhook(engine, webhookId);
      const rows = await deliveries.resend(findDelivered(id, webhookId ?? null));
      return { data: rows.map(deliveries.resource) };
    },

    async retry({ id, webhook_id: webhookId }) {
      if (webhookId !== undefined) findWebhook(engine, webhookId);
      const row = findDelivery(id);
      if (webhookId !== undefined) checkEndpoint(row, webhookId);
      if (row.status === "success" && row.trigger !== "test")
        throw invalidState(`The delivery ${id} succeeded, so there is nothing to retry.`, {
          command: `Resend its event: npx sandglass resend ${id}`,
          library: `Resend its event: webhooks.resend("${id}")`,
          http: `Resend its event: POST /_sandbox/deliveries/${id}/resend`,
        });
      return deliveries.resource(await deliveries.retry(row.org, row.webhook_id, id));
    },

    async retryFailed({ since = DEFAULT_SINCE, webhook_id: webhookId }) {
      if (webhookId !== undefined) findWebhook(engine, webhookId);
      const from =
        readInstant(since) ??
        Math.max(0, world.clock.now() - parseDuration(since, " or a time such as 2026-01-15T09:00:00Z"));
      const rows = await deliveries.retryFailed(from, webhookId ?? null);
      const count = (status: DeliveryRow["status"]) => rows.filter((row) => row.status === status).length;
      return {
        since: iso(from),
        retried: rows.length,
        succeeded: count("success"),
        failed: count("failed"),
        pending: count("pending"),
        data: rows.map(deliveries.resource),
      };
    },
  };
}

/** @param id the delivery to retry instead */
function notDelivered(message: string, id?: string): SandboxError {
  const way = (one: string, all: string) => (id ? `Retry it if it failed: ${one}` : all);
  return invalidState(message, {
    command: way(
      `npx sandglass webhooks retry ${id}`,
      "Retry all failed deliveries: npx sandglass webhooks retry --failed",
    ),
    library: way(`webhooks.retry(endpoint, "${id}")`, "Retry it: webhooks.retryFailed()"),
    http: way(
      `POST /_sandbox/deliveries/${id}/retry`,
      "Retry all failed deliveries: POST /_sandbox/deliveries/retry",
    ),
  });
}
