import { Type } from "typebox";
import type { Client } from "../../client/http.ts";
import { SandboxError } from "../../errors/errors.ts";
import type { Delivery, JournalEntry, Timeline } from "../../library/index.ts";
import { EVENT_TYPES } from "../../payments/webhooks/event-types.ts";
import { SUBSCRIBER_FAULTS } from "../../payments/webhooks/subscriber-faults.ts";
import { clip } from "../../story/text.ts";
import { explain } from "../explain.ts";
import { Attempt, attemptView, Endpoint, nullable, oneOf, optional, text, VirtualTime } from "../schemas.ts";
import { keyFor, type Toolbox, tool } from "../tool.ts";

const EndpointState = Type.Object({
  id: Type.String(),
  url: Type.String(),
  status: oneOf(["enabled", "disabled", "deleted"]),
  consecutive_failures: Type.Integer(),
  threshold: Type.Integer({ description: "Consecutive failures that disable it." }),
});

const BODY_CHARACTERS = 4_000;
const at = (id: string) => `/webhooks/${encodeURIComponent(id)}`;

interface FaultState {
  spec: Record<string, unknown> | null;
}

/** The latest failed delivery, or one by its id: what the journal says of it. */
async function findDelivery(
  client: Client,
  id: string | undefined,
): Promise<{ id: string; webhook: string }> {
  const types = id === undefined ? "delivery.failed" : "delivery.*";
  const { data } = await client.control<{ data: JournalEntry[] }>(
    "GET",
    `/events?types=${types}&order=desc&limit=10000`,
    { fields: ["data"] },
  );
  const entry = id === undefined ? data[0] : data.find(({ data }) => data.id === id);
  if (entry) return { id: String(entry.data.id), webhook: String(entry.data.webhook_id) };
  throw new SandboxError(
    "not_found",
    id === undefined ? "No delivery has failed in this world." : `The journal has no delivery '${id}'.`,
    "`attempts` lists the deliveries of an endpoint.",
  );
}

async function readTimeline({ sandbox, findEndpoint }: Toolbox, name: string, limit: number) {
  const client = await sandbox();
  const { id, url } = await findEndpoint(client, name);
  const timeline = await client.control<Timeline>("GET", `${at(id)}/timeline?limit=${limit}`);
  const { status, counter } = timeline;
  const { consecutive_failures, threshold } = counter;
  return { timeline, endpoint: { id, url, status, consecutive_failures, threshold } };
}

/** A delivery as tools report it. */
const deliveryView = (delivery: Delivery) =>
  attemptView({
    ...delivery,
    delivery_id: delivery.id,
    started_at: delivery.attempted_at,
    ended_at: delivery.completed_at,
    consecutive_failures: null,
  });

/** Webhook endpoints, their deliveries, and how their subscribers fail. */
export const webhookTools = [
  tool({
    name: "create_endpoint",
    title: "Register a webhook endpoint",
    description:
      "Registers a subscriber's URL, and returns the secret that signs its deliveries. The same URL again updates the endpoint and keeps its secret.",
    effect: "changes",
    input: {
      url: text("https to any host, or http on this machine, such as http://127.0.0.1:3000/webhooks."),
      events: optional(Type.Array(oneOf(EVENT_TYPES), { description: "Default: all of them." })),
      secret: optional(text("The secret that the subscriber verifies with. Default: a new one.")),
    },
    output: {
      id: Type.String(),
      url: Type.String(),
      events: Type.Array(Type.String()),
      secret: Type.String(),
    },
    async run({ sandbox }, { url, events, secret }) {
      const endpoint = await (await sandbox()).registerWebhook({
        url,
        ...(events && { events }),
        ...(secret !== undefined && { secret }),
      });
      return { id: endpoint.id, url: endpoint.url, events: endpoint.events, secret: endpoint.secret };
    },
  }),
  tool({
    name: "timeline",
    title: "Timeline of an endpoint",
    description:
      "Returns past and future of an endpoint: its latest attempts, planned retries, the failure counter, and when it will be disabled if every retry fails.",
    effect: "reads",
    input: { endpoint: Endpoint },
    output: {
      endpoint: EndpointState,
      now: VirtualTime,
      attempts: Type.Array(Attempt, { description: "Oldest first; the latest 50." }),
      planned: Type.Array(
        Type.Object({
          event: Type.String(),
          event_id: Type.String(),
          attempt: Type.Integer(),
          due_at: VirtualTime,
        }),
        { description: "Retries still due." },
      ),
      skipped: Type.Array(
        Type.Object({
          event: Type.String(),
          event_id: Type.String(),
          attempt: Type.Integer(),
          reason: nullable(Type.String()),
        }),
        { description: "Retries that will not happen." },
      ),
      disabled_at: nullable(
        Type.String({
          description: "When the endpoint will be disabled if every retry fails; null if it will not.",
        }),
      ),
    },
    async run(toolbox, { endpoint: name }) {
      const { timeline, endpoint } = await readTimeline(toolbox, name, 50);
      const { now, attempts, planned, skipped, forecast } = timeline;
      return {
        endpoint,
        now,
        attempts: attempts.map(attemptView),
        planned: planned.map(({ event, event_id, attempt, due_at }) => ({
          event,
          event_id,
          attempt,
          due_at,
        })),
        skipped: skipped.map(({ event, event_id, attempt, reason }) => ({
          event,
          event_id,
          attempt,
          reason,
        })),
        disabled_at: forecast.disabled_at,
      };
    },
  }),
  tool({
    name: "attempts",
    title: "Attempts of an endpoint",
    description:
      "Lists the latest delivery attempts of an endpoint, newest first, with the start of each response.",
    effect: "reads",
    input: {
      endpoint: Endpoint,
      failed: optional(Type.Boolean({ description: "Only failed ones." })),
      limit: optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
    },
    output: {
      attempts: Type.Array(Type.Object({ ...Attempt.properties, response_body: nullable(Type.String()) })),
    },
    async run({ sandbox, findEndpoint }, { endpoint: name, failed = false, limit = 20 }) {
      const client = await sandbox();
      const { id, organization } = await findEndpoint(client, name);
      const key = keyFor(await client.status(), organization);
      const query = new URLSearchParams({ limit: String(limit), ...(failed && { status: "failed" }) });
      const { data } = await client.platform<{ data: Delivery[] }>(
        "GET",
        `${at(id)}/deliveries?${query}`,
        key,
      );
      return {
        attempts: data.map((delivery) => ({
          ...deliveryView(delivery),
          response_body: delivery.response_body && clip(delivery.response_body, 200),
        })),
      };
    },
  }),
  tool({
    name: "explain_delivery",
    title: "Explain a delivery",
    description:
      "Explains why a delivery failed and what to change in the subscriber, with the request and the response. Without an id it takes the latest failure.",
    effect: "reads",
    input: { delivery: optional(text("The delivery's id (del_…).")) },
    output: {
      what: text("What happened."),
      why: text("The likely cause."),
      fix: text("What to change."),
      next: text("What the platform does next."),
      signature: oneOf(["valid", "invalid", "missing"], {
        description: "Whether the signature sent matches the body and the endpoint's present secret.",
      }),
      endpoint: EndpointState,
      attempt: Attempt,
      request: Type.Object({ headers: Type.Record(Type.String(), Type.String()), body: Type.String() }),
      response: Type.Object({
        status: nullable(Type.Integer()),
        detail: nullable(Type.String()),
        body: nullable(Type.String()),
      }),
    },
    async run({ sandbox, findEndpoint }, { delivery: id }) {
      const client = await sandbox();
      const found = await findDelivery(client, id);
      const endpoint = await findEndpoint(client, found.webhook);
      const key = keyFor(await client.status(), endpoint.organization);
      const [delivery, fault] = await Promise.all([
        client.platform<Delivery>("GET", `${at(endpoint.id)}/deliveries/${found.id}`, key),
        client.control<FaultState>("GET", `${at(endpoint.id)}/fault`),
      ]);
      return {
        ...explain(delivery, endpoint, fault.spec),
        endpoint: {
          id: endpoint.id,
          url: endpoint.url,
          status: endpoint.status,
          consecutive_failures: endpoint.consecutive_failures,
          threshold: endpoint.threshold,
        },
        attempt: deliveryView(delivery),
        request: { headers: delivery.request_headers, body: clip(delivery.request_body, BODY_CHARACTERS) },
        response: {
          status: delivery.response_code,
          detail: delivery.error_detail,
          body: delivery.response_body && clip(delivery.response_body, BODY_CHARACTERS),
        },
      };
    },
  }),
  tool({
    name: "resend",
    title: "Resend a delivered event",
    description:
      "Sends an event that an endpoint has processed once more, with the same body: a duplicate, which a handler must recognize. The failure counter and the retry schedule do not change.",
    effect: "changes",
    reachesOut: true,
    input: { id: text("A delivery's id (del_…), or an event's (evt_…) for every endpoint that got it.") },
    output: { attempts: Type.Array(Attempt) },
    async run({ sandbox }, { id }) {
      const { data } = await (await sandbox()).control<{ data: Delivery[] }>(
        "POST",
        `/deliveries/${encodeURIComponent(id)}/resend`,
        { fields: ["data"] },
      );
      return { attempts: data.map(deliveryView) };
    },
  }),
  tool({
    name: "retry_failed",
    title: "Retry failed deliveries",
    description:
      "Retries every event that failed at an endpoint and did not arrive there later, oldest first, as a person does after an outage. With a delivery's id, only that one.",
    effect: "changes",
    reachesOut: true,
    input: {
      delivery: optional(text("The id of the only delivery to retry (del_…).")),
      since: optional(
        text("Only what failed in this time before now, such as 2h, or since an ISO 8601 time. Default: 1d."),
      ),
      endpoint: optional(Endpoint),
    },
    output: { attempts: Type.Array(Attempt) },
    async run({ sandbox, findEndpoint }, { delivery, since, endpoint }) {
      const client = await sandbox();
      if (delivery !== undefined) {
        const path = `/deliveries/${encodeURIComponent(delivery)}/retry`;
        return { attempts: [deliveryView(await client.control<Delivery>("POST", path, { fields: ["id"] }))] };
      }
      const only = endpoint === undefined ? undefined : (await findEndpoint(client, endpoint)).id;
      const { data } = await client.control<{ data: Delivery[] }>("POST", "/deliveries/retry", {
        body: { ...(since !== undefined && { since }), ...(only !== undefined && { webhook_id: only }) },
        fields: ["data"],
      });
      return { attempts: data.map(deliveryView) };
    },
  }),
  tool({
    name: "fail_subscriber",
    title: "Make a subscriber fail",
    description:
      "Makes deliveries to an endpoint fail, simulated by the sandbox: the real subscriber is not called. Lasts until repair_subscriber, or as often as times or sequence say.",
    effect: "changes",
    input: {
      endpoint: Endpoint,
      kind: optional(oneOf(SUBSCRIBER_FAULTS, { default: "status" })),
      status: optional(
        Type.Integer({ minimum: 200, maximum: 599, description: "For kind status; default 500." }),
      ),
      times: optional(Type.Integer({ minimum: 1, description: "Fails this many times, then works again." })),
      rate: optional(
        Type.Number({
          minimum: 0,
          maximum: 1,
          description: "Fails with this probability, drawn from the seed.",
        }),
      ),
      sequence: optional(
        Type.Array(Type.Union([Type.Integer(), oneOf(SUBSCRIBER_FAULTS)]), {
          description: 'What each attempt gets, such as [500, "timeout", 200]; then it works again.',
        }),
      ),
      pass_through: optional(
        Type.Boolean({
          description: "Also sends each request to the real subscriber, and drops its response.",
        }),
      ),
    },
    output: { endpoint: Type.String(), fault: Type.Record(Type.String(), Type.Unknown()) },
    async run({ sandbox, findEndpoint }, { endpoint: name, pass_through, ...fault }) {
      const client = await sandbox();
      const { id } = await findEndpoint(client, name);
      const body = { ...fault, ...(pass_through !== undefined && { passThrough: pass_through }) };
      const { spec } = await client.control<FaultState>("PUT", `${at(id)}/fault`, { body, fields: ["spec"] });
      return { endpoint: id, fault: spec ?? {} };
    },
  }),
  tool({
    name: "repair_subscriber",
    title: "Make a subscriber work again",
    description: "Ends the simulated fault of an endpoint, and enables the endpoint if it was disabled.",
    effect: "changes",
    input: { endpoint: Endpoint },
    output: { endpoint: EndpointState },
    async run(toolbox, { endpoint: name }) {
      const client = await toolbox.sandbox();
      const { id, status } = await toolbox.findEndpoint(client, name);
      await client.control("DELETE", `${at(id)}/fault`);
      if (status === "disabled") await client.control("POST", `${at(id)}/enable`);
      return { endpoint: (await readTimeline(toolbox, id, 1)).endpoint };
    },
  }),
];
