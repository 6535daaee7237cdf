import type { IncomingHttpHeaders } from "node:http";
import { invalidState, misuse, notFound } from "../errors/errors.ts";
import type { Does, MethodsOf } from "../operations/index.ts";
import type { WebhookWithSecret } from "../operations/webhooks.ts";
import type { Payments } from "../payments/payments.ts";
import { PLATFORM_SENDER } from "../payments/webhooks/platform.ts";
import { withScheme } from "../runtime/http-url.ts";
import type { RowStatus } from "../timeline/endpoint-state.ts";
import { readStoredHeaders } from "../webhooks/endpoint-headers.ts";
import type { WebhookEngine } from "../webhooks/engine.ts";
import type { WebhookRow } from "../webhooks/rows.ts";
import { checkFault, faultTarget } from "../webhooks/subscriber-faults.ts";
import { checkSecret, dashboardCaller, organizationIds } from "./dashboard.ts";

/** The request's path, for the audit trail. */
type Asked = [request: { url: string }];

/**
 * The webhook endpoints of every sender, by id.
 * @throws SandboxError `not_found`; `bad_request` for a string that cannot be a secret; Refusal
 */
export interface EndpointControls
  extends Pick<
    MethodsOf<"webhooks", "test">,
    "test" | "deliveries" | "list" | "timeline" | "fault" | "fail" | "work"
  > {
  /**
   * Registers an endpoint as its owner would in the dashboard, or returns the existing one with this URL, events and
   * description. The API key in the headers determines its organization. See docs/guide/webhooks.md, "Register".
   */
  create: Does<"webhooks.create", [request: { url: string; headers?: IncomingHttpHeaders }]>;
  update: Does<"webhooks.update", Asked>;
  /** @throws SandboxError `invalid_state` if the endpoint is already enabled */
  enable: Does<"webhooks.enable", Asked>;
  /** @throws SandboxError `invalid_state` if the endpoint is already disabled */
  disable: Does<"webhooks.disable", Asked>;
  delete: Does<"webhooks.delete", Asked>;
  /** The URL to which an endpoint's deliveries are sent; undefined for an unknown endpoint. */
  urlOf(id: string): string | undefined;
}

const noWebhook = (id: string) =>
  notFound(`There is no webhook ${id}.`, {
    command: "List them all: npx sandglass webhooks",
    library: "webhooks.list() lists them.",
    http: "GET /_sandbox/webhooks lists the endpoints.",
  });

/** Hints on how to find a delivery's id. */
export const WAYS_TO_DELIVERIES = {
  command: "List an endpoint's deliveries with their ids: npx sandglass webhooks timeline <endpoint>",
  library: "webhooks.timeline(id) and webhooks.deliveries(id) list the ids of an endpoint's deliveries.",
};

/** Finds an endpoint that has not been deleted. @throws SandboxError `not_found` */
export function findWebhook({ endpoints }: WebhookEngine, id: string): WebhookRow {
  const row = endpoints.byId(id);
  if (!row || row.deleted_at !== null) throw noWebhook(id);
  return row;
}

export function createEndpointControls(engine: WebhookEngine, payments: () => Payments): EndpointControls {
  const { deliveries, endpoints, registrations, senders, world } = engine;
  const { faults, store } = world;
  const find = (id: string) => findWebhook(engine, id);
  const fault: EndpointControls["fault"] = ({ id }) => {
    const target = faultTarget(find(id).id);
    return faults.get(target) ?? { target, spec: null, asked: 0, hit: 0 };
  };

  const view = (row: WebhookRow): WebhookWithSecret => ({
    ...endpoints.resource(row),
    organization: row.org,
    sender: row.sender,
    secret: row.secret,
    headers: { ...readStoredHeaders(row.headers) },
    threshold: senders.of(row.sender).policy.disableAfter.consecutive,
    seeded: row.seeded === 1,
  });

  /**
   * The account of a new endpoint: its sender, or else the specified organization, the API key's organization, or the
   * first one.
   */
  function accountOf(sender: string, organization: string | undefined, headers: IncomingHttpHeaders): string {
    if (sender !== PLATFORM_SENDER) {
      if (organization === undefined) return sender;
      throw misuse(
        `An endpoint of ${sender} does not belong to an organization, but organization is ${organization}.`,
        "Leave out organization.",
      );
    }
    const keyed = headers.authorization !== undefined || headers["x-api-key"] !== undefined;
    return organization === undefined && keyed
      ? payments().apiKeys.authenticate(headers).org
      : organizationIds(payments(), organization)[0]!;
  }

  const turn = (id: string, status: RowStatus, path: string) =>
    store.transaction(() => {
      const row = find(id);
      if (row.status === status)
        throw invalidState(`The webhook ${id} is already ${status}.`, "No action is needed.");
      const caller = dashboardCaller(row.org, "POST", path);
      return endpoints.resource(registrations.change(caller, row, { status }));
    });

  return {
    create({ organization, sender = PLATFORM_SENDER, ...input }, { url: path, headers = {} }) {
      if (input.secret !== undefined) checkSecret(input.secret);
      const caller = dashboardCaller(accountOf(sender, organization, headers), "POST", path);
      const registration = { ...input, sender, url: withScheme(input.url) };
      const { row, created } = registrations.register(caller, registration);
      return { ...view(row), created };
    },

    update: ({ id, ...change }, { url: path }) =>
      store.transaction(() => {
        const row = find(id);
        if (change.secret !== undefined) checkSecret(change.secret);
        const { url } = change;
        const changed = url === undefined ? change : { ...change, url: withScheme(url) };
        return view(registrations.change(dashboardCaller(row.org, "PATCH", path), row, changed));
      }),

    enable: ({ id }, request) => turn(id, "enabled", request.url),
    disable: ({ id }, request) => turn(id, "disabled", request.url),

    async test({ id }) {
      const row = await deliveries.test(find(id).org, id);
      return { delivery_id: row.id, response_code: row.response_code, success: row.status === "success" };
    },

    delete: ({ id }, request) =>
      registrations.delete(dashboardCaller(find(id).org, "DELETE", request.url), id),

    deliveries: ({ id, ...query }) => ({ data: engine.listDeliveries(find(id).org, id, query).data }),

    urlOf(id) {
      const row = endpoints.byId(id);
      return row && endpoints.resource(row).url;
    },

    list({ organization }) {
      const data = endpoints.all().map(view);
      if (organization === undefined) return { data };
      const ids = organizationIds(payments(), organization);
      return { data: data.filter((endpoint) => ids.includes(endpoint.organization)) };
    },

    timeline({ id, limit, ...range }) {
      if (!endpoints.byId(id)) throw noWebhook(id);
      const { before } = range;
      if (before !== undefined && deliveries.byId(before)?.webhook_id !== id)
        throw notFound(`The webhook ${id} has no delivery ${before}.`, {
          ...WAYS_TO_DELIVERIES,
          http: `GET /_sandbox/webhooks/${id}/timeline without \`before\` lists the latest ones.`,
        });
      return engine.timeline(id, limit, range);
    },

    fault,

    fail({ id, ...spec }) {
      checkFault(spec);
      faults.set(faultTarget(find(id).id), spec);
      return fault({ id });
    },

    work({ id }) {
      faults.clear(faultTarget(find(id).id));
      return fault({ id });
    },
  };
}
