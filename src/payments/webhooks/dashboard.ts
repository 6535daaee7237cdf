import type { Static } from "typebox";
import type { Caller } from "../../http/caller.ts";
import type { RowStatus } from "../../timeline/endpoint-state.ts";
import type { EngineContext } from "../../webhooks/context.ts";
import {
  checkHeaders,
  type EndpointHeaders,
  readStoredHeaders,
  storedHeaders,
} from "../../webhooks/endpoint-headers.ts";
import { readEndpointUrl } from "../../webhooks/endpoint-url.ts";
import type { Endpoints } from "../../webhooks/endpoints.ts";
import type { WebhookRow } from "../../webhooks/rows.ts";
import type { Audit } from "../audit.ts";
import type { PaymentsContext } from "../context.ts";
import type { Webhook, WebhookCreate } from "../schemas/webhooks.ts";
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

/** An endpoint that its owner registers in the dashboard, where the secret can be chosen. */
export interface WebhookRegistration extends WebhookCreate, DeliveryChoice {
  /** Its sender; the platform by default. The caller's account is the sender's. */
  sender?: string | undefined;
  /** Creates an endpoint even if one with this URL, events and description exists. */
  another?: boolean | undefined;
}

/** What its owner changes of an endpoint; what is left out stays. */
export interface EndpointChange extends DeliveryChoice {
  url?: string | undefined;
  events?: string[] | undefined;
  description?: string | null | undefined;
}

/** What only the dashboard does with endpoints: the platform's API has none of it. */
export interface DashboardEndpoints {
  /** Every endpoint of the world with its secret, by organization, oldest first. */
  listAll(): DashboardEndpoint[];
  /**
   * Finds and enables the endpoint with this URL, events and description, or creates one. Unless a secret or another endpoint is
   * requested, it gets the URL's last secret, even that of a deleted endpoint.
   * @throws PlatformError invalid_field_value; SandboxError `bad_request` for a secret or headers that its sender cannot have
   */
  register(caller: Caller, registration: WebhookRegistration): { id: string; created: boolean };
  /**
   * Changes what is given of an endpoint.
   * @throws PlatformError invalid_field_value; SandboxError `bad_request` for a secret or headers that its sender cannot have
   */
  change(caller: Caller, row: WebhookRow, change: EndpointChange): void;
  /** Disabling skips planned attempts; enabling resets the failure counter to 0, and brings none back. */
  turn(caller: Caller, row: WebhookRow, to: RowStatus): void;
}

interface Parts {
  rows: Endpoints;
  endpoints: WebhookEndpoints;
  senderOf: EngineContext["senderOf"];
  audit: Audit;
}

export function createDashboardEndpoints(
  { world, settings, origin, ownOrigin }: PaymentsContext,
  { rows, endpoints, senderOf, audit }: Parts,
): DashboardEndpoints {
  const { store } = world;
  const atUrl = store.sql<WebhookRow>(
    "select * from webhooks where org = ? and url = ? order by created_at desc, rowid desc",
  );

  /** Makes later deliveries with another secret or other headers; equal ones change nothing. */
  function setDelivery(caller: Caller, row: WebhookRow, { secret, headers }: DeliveryChoice): void {
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
  }

  function turn(caller: Caller, row: WebhookRow, to: RowStatus): void {
    rows.turn(row, to, "dashboard");
    audit.record(caller, "webhook.updated", row.id, 200);
  }

  return {
    turn,

    change(caller, row, { secret, headers, ...fields }) {
      setDelivery(caller, row, { secret, headers });
      const changed = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
      if (Object.keys(changed).length > 0) endpoints.update(caller, row.id, changed);
    },

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

    register(caller, { secret, another = false, sender, headers, ...input }) {
      return store.transaction(() => {
        const { description = null } = input;
        const events = namesOf(input.events ?? ["*"]);
        const url = readEndpointUrl(input.url, settings.webhooks, [origin(), ownOrigin()]);
        const earlier = atUrl.all(caller.org, url);
        const row = earlier.find(
          (it) =>
            it.deleted_at === null &&
            it.description === description &&
            namesOf(JSON.parse(it.events)) === events,
        );
        if (!row || another) {
          const configured =
            sender === undefined ? settings.webhooks.secret : settings.webhooks.subscriberSecret;
          const known = another ? undefined : (configured ?? earlier[0]?.secret);
          const choice = { secret: secret ?? known, status: 200, sender, headers };
          return { id: endpoints.create(caller, input, choice).id, created: true };
        }
        if (row.confined_to !== null) endpoints.update(caller, row.id, { url: input.url });
        setDelivery(caller, row, { secret, headers });
        if (row.status !== "enabled") turn(caller, row, "enabled");
        return { id: row.id, created: false };
      });
    },
  };
}

const namesOf = (events: readonly string[]): string => [...events].sort().join();
