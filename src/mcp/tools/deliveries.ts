import { Type } from "typebox";
import type { Client } from "../../client/http.ts";
import { senderOf } from "../../client/sender-of.ts";
import { SandboxError } from "../../errors/errors.ts";
import { nullable, oneOf } from "../../http/shapes.ts";
import type { Delivery } from "../../library/index.ts";
import { attemptResult } from "../../timeline/attempt.ts";
import { explainDelivery } from "../../timeline/explain.ts";
import { instant } from "../../timeline/instant.ts";
import { clip } from "../../timeline/text.ts";
import { Attempt, attemptView, Endpoint, EndpointState, optional, text } from "../schemas.ts";
import { operationTool, tool } from "../tool.ts";

const BODY_CHARACTERS = 4_000;

const WORDS = {
  at: (iso: string) => `${instant(iso)} (virtual time)`,
  retry: "retry_failed sends it again.",
  endFault: "Change nothing in the subscriber: work_subscriber ends the fault.",
};

async function findLatestFailure(client: Client): Promise<string> {
  const { data } = await client.run("events", { types: "delivery.failed", order: "desc", limit: 1 });
  if (data[0]) return String(data[0].data.id);
  throw new SandboxError(
    "not_found",
    "No delivery has failed since this world began.",
    "`attempts` lists the deliveries of an endpoint, those of the demo data too.",
  );
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

/** What was sent to endpoints: explained, and sent again. */
export const deliveryTools = [
  operationTool({
    name: "attempts",
    does: "webhooks.deliveries",
    title: "Attempts of an endpoint",
    description:
      "Lists the latest delivery attempts of an endpoint, newest first, with the start of each response.",
    own: { endpoint: Endpoint, failed: optional(Type.Boolean({ description: "Only failed ones." })) },
    takes: ["limit"],
    read: ({ failed, ...input }) => ({ ...input, ...(failed && { status: "failed" }) }),
    gives: {
      attempts: Type.Array(Type.Object({ ...Attempt.properties, response_body: nullable(Type.String()) })),
    },
    view: ({ data }) => ({
      attempts: data.map((delivery) => ({
        ...deliveryView(delivery),
        response_body: delivery.response_body && clip(delivery.response_body, 200),
      })),
    }),
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
    async run({ sandbox }, { delivery: id }) {
      const client = await sandbox();
      const delivery = await client.run("deliveries.get", { id: id ?? (await findLatestFailure(client)) });
      const { attempt, event, url, signature, endpoint } = delivery;
      const { why, fix, next } = explainDelivery(delivery, WORDS);
      return {
        what: `Attempt ${attempt} of ${event} to ${url} ${attemptResult(delivery)}.`,
        why,
        fix: fix || "Nothing to do.",
        next: next.text,
        signature,
        endpoint,
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
    name: "send_event",
    title: "Send an event of a sender",
    description:
      "Sends an event of a sender other than the platform, such as stripe, to its endpoints, signed and retried as that sender does. create_endpoint registers one with `sender`.",
    effect: "changes",
    reachesOut: true,
    input: {
      type: text("The event's type, such as checkout.session.completed."),
      data: optional(
        Type.Record(Type.String(), Type.Unknown(), { description: "Merged over the example body." }),
      ),
      sender: optional(text("Whose event it is. Default: the only sender in use that has the type.")),
    },
    output: {
      id: Type.String(),
      sender: Type.String(),
      attempts: Type.Array(Attempt),
      disabled: Type.Array(Type.Object({ webhook_id: Type.String(), url: Type.String() }), {
        description: "The disabled endpoints that subscribe to the type: they got nothing.",
      }),
    },
    async run({ sandbox }, { type, data, sender }) {
      const client = await sandbox();
      const name = sender ?? senderOf(type, (await client.run("senders.list", {})).data);
      const sent = await client.run("senders.send", { name, type, data });
      return {
        id: sent.id,
        sender: name,
        attempts: sent.deliveries.map(deliveryView),
        disabled: sent.disabled,
      };
    },
  }),
  operationTool({
    name: "resend",
    does: "webhooks.resend",
    title: "Resend a delivered event",
    description:
      "Sends an event that an endpoint has processed once more, with the same body: a duplicate, which a handler must recognize. The failure counter and the retry schedule do not change.",
    takes: ["id"],
    gives: { attempts: Type.Array(Attempt) },
    view: ({ data }) => ({ attempts: data.map(deliveryView) }),
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
      if (delivery !== undefined)
        return { attempts: [deliveryView(await client.run("webhooks.retry", { id: delivery }))] };
      const only = endpoint === undefined ? undefined : (await findEndpoint(client, endpoint)).id;
      const { data } = await client.run("webhooks.retryFailed", { since, webhook_id: only });
      return { attempts: data.map(deliveryView) };
    },
  }),
];
