import type { Static } from "typebox";
import type { Caller } from "../../http/caller.ts";
import { listPage } from "../../http/listing.ts";
import type { RowStatus } from "../../timeline/endpoint-state.ts";
import type { WebhookRow } from "../../webhooks/rows.ts";
import type { PaymentsContext } from "../context.ts";
import { invalidTransition } from "../errors.ts";
import { checkUpdates, columnsOf } from "../patch.ts";
import type { Resource } from "../records.ts";
import {
  type WEBHOOKS,
  type WebhookCreate,
  type WebhookCreated,
  WebhookUpdate,
} from "../schemas/webhooks.ts";
import { PLATFORM_SENDER } from "./platform.ts";

const WRITABLE = columnsOf(WebhookUpdate, "is_active");

/** Webhook endpoints in the platform's API. Deleting one cancels its planned retries and preserves its history. */
export interface WebhookEndpoints extends Resource<typeof WEBHOOKS> {
  /**
   * Creates an endpoint. Only this response contains the secret. @throws Refusal invalid_field_value for the URL or the
   * events
   */
  create(caller: Caller, input: WebhookCreate): Static<typeof WebhookCreated>;
  delete(caller: Caller, id: string): { object: "webhook"; id: string; deleted: true };
}

export function createWebhookEndpoints({
  world: { store },
  webhooks: { endpoints: rows, registrations },
}: PaymentsContext): WebhookEndpoints {
  const { resource } = rows;
  return {
    get: (org, id) => resource(rows.find(org, id)),
    list: (org, query) =>
      listPage(store, "webhooks", [["org = ?", org], ["deleted_at is null"]], query, resource),

    create(caller, { url, events, description }) {
      const registration = { url, events, description, sender: PLATFORM_SENDER };
      const row = registrations.create(caller, registration, 201);
      return { ...resource(row), secret: row.secret };
    },

    update(caller, id, { is_active: active, url, events, description }) {
      const row = rows.find(caller.org, id);
      const fields = { url, events, description };
      if (active === undefined) checkUpdates(fields, WRITABLE);
      const status = active === undefined ? undefined : statusFor(row, active);
      return resource(registrations.change(caller, row, { ...fields, status }, "api"));
    },

    delete: registrations.delete,
  };
}

/**
 * The status after an update. An update can only enable an endpoint that an update disabled; all others must be enabled
 * in the dashboard.
 */
function statusFor({ id, status, ...row }: WebhookRow, active: boolean): RowStatus {
  if (active && status !== "enabled" && row.disabled_reason !== "api")
    throw invalidTransition(
      `The endpoint was disabled ${row.disabled_reason === "dashboard" ? "in the dashboard" : `after ${row.consecutive_failures} failed deliveries`}. Enable it in the dashboard: POST /_sandbox/webhooks/${id}/enable.`,
      "is_active",
    );
  return active ? "enabled" : "disabled";
}
