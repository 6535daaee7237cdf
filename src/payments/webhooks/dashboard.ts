import type { Static } from "typebox";
import type { RowStatus } from "../../timeline/endpoint-state.ts";
import type { EngineContext } from "../../webhooks/context.ts";
import {
  checkHeaders,
  type EndpointHeaders,
  readStoredHeaders,
  storedHeaders,
} from "../../webhooks/endpoint-headers.ts";
import type { Endpoints } from "../../webhooks/endpoints.ts";
import type { WebhookRow } from "../../webhooks/rows.ts";
import type { Audit } from "../audit.ts";
import type { Caller } from "../context.ts";
import type { Webhook } from "../schemas/webhooks.ts";
import type { DeliveryChoice, WebhookEndpoints } from "./endpoints.ts";

/** An endpoint as the dashboard shows it. */
interface DashboardEndpoint extends Static<typeof Webhook> {
  organization: string;
  sender: string;
  secret: string;
  headers: EndpointHeaders;
  /** How many failures in a row disable it; null if no number of them does. */
  threshold: number | null;
  seeded: boolean;
}

/** What only the dashboard does with endpoints: the platform's API has none of it. */
export interface DashboardEndpoints {
  /** Every endpoint of the world with its secret, by organization, oldest first. */
  listAll(): DashboardEndpoint[];
  /**
   * Makes later deliveries with another secret or other headers; equal ones change nothing.
   * @throws SandboxError `bad_request` for a secret or headers that the sender's endpoints cannot have
   */
  setDelivery(caller: Caller, row: WebhookRow, choice: DeliveryChoice): void;
  /** Disabling skips planned attempts; enabling resets the failure counter to 0, and brings none back. */
  turn(caller: Caller, row: WebhookRow, to: RowStatus): void;
}

interface Parts {
  rows: Endpoints;
  endpoints: WebhookEndpoints;
  senderOf: EngineContext["senderOf"];
  audit: Audit;
}

export function createDashboardEndpoints({ rows, endpoints, senderOf, audit }: Parts): DashboardEndpoints {
  return {
    listAll: () =>
      rows.all().map((row) => ({
        ...endpoints.resource(row),
        organization: row.org,
        sender: row.sender,
        secret: row.secret,
        headers: { ...readStoredHeaders(row.headers) },
        threshold: senderOf(row.sender).policy.disableAfter.consecutive,
        seeded: row.seeded === 1,
      })),

    setDelivery(caller, row, { secret, headers }) {
      const sender = senderOf(row.sender);
      const set = (column: "secret" | "headers", value: string | null) => {
        rows.change(row.id, column, value);
        audit.record(caller, "webhook.updated", row.id, 200);
      };
      if (secret !== undefined && secret !== row.secret) {
        sender.checkSecret?.(secret);
        set("secret", secret);
      }
      if (headers !== undefined && storedHeaders(headers) !== row.headers) {
        checkHeaders(headers, sender.headerNames);
        set("headers", storedHeaders(headers));
      }
    },

    turn(caller, row, to) {
      rows.turn(row, to, "dashboard");
      audit.record(caller, "webhook.updated", row.id, 200);
    },
  };
}
