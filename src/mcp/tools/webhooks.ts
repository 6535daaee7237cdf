import type { Client, WebhookWithSecret } from "../../client/http.ts";
import { senderOf } from "../../client/sender-of.ts";
import { notFound } from "../../errors/errors.ts";
import { flag, text } from "../../http/shapes.ts";
import type { Delivery } from "../../library/index.ts";
import { attemptResult } from "../../timeline/attempt.ts";
import { explainDelivery } from "../../timeline/explain.ts";
import { instant } from "../../timeline/instant.ts";
import { outageText } from "../../timeline/outage.ts";
import { clip } from "../../timeline/text.ts";
import { endpoint, operationTool, optional } from "../tool.ts";
import { attemptsView, attemptView, pick } from "../views.ts";

/** The maximum length of a body in an explanation, and in a list. */
const BODY_CHARACTERS = 4_000;
const LISTED_CHARACTERS = 200;
const TIMELINE_ATTEMPTS = 50;

/** The wording of instants and next steps in explanations, chosen for agents. */
const WORDS = {
  at: (iso: string) => `${instant(iso)} (virtual time)`,
  retry: "retry_failed sends it again.",
  endFault: "Do not change the subscriber: work_subscriber clears the fault.",
  diagnose: "diagnose_delivery finds out why, by experiment.",
};

const endpointView = (one: WebhookWithSecret) =>
  pick(one, "id", "url", "status", "consecutive_failures", "threshold");

async function findLatestFailure(client: Client): Promise<string> {
  const { data } = await client.run("events", { types: "delivery.failed", order: "desc", limit: 1 });
  if (data[0]) return String(data[0].data.id);
  throw notFound(
    "No delivery has failed since this world began.",
    "`attempts` lists the deliveries of an endpoint, including those of the demo data.",
  );
}

const workSubscriber = operationTool({
  name: "work_subscriber",
  does: "webhooks.work",
  title: "Make a subscriber work again",
  description: "Clears an endpoint's simulated fault, and enables the endpoint if it was disabled.",
  own: { endpoint },
  gives: ["endpoint"],
  async view(_, { client, endpoint: { id, status } }) {
    if (status !== "enabled") await client.run("webhooks.enable", { id });
    return { endpoint: endpointView((await client.webhooks()).find((one) => one.id === id)!) };
  },
});

export const webhookTools = [
  operationTool({
    name: "create_endpoint",
    does: "webhooks.create",
    takes: ["url", "events", "sender", "secret", "headers", "another"],
    gives: ["id", "url", "events", "secret", "created"],
  }),
  operationTool({
    name: "timeline",
    does: "webhooks.timeline",
    description:
      "Returns an endpoint's past and future: its latest attempts, planned and skipped retries, the failure counter with its threshold, and when it will be disabled if every retry fails.",
    own: { endpoint },
    read: (input) => ({ ...input, limit: TIMELINE_ATTEMPTS }),
    gives: ["endpoint", "now", "attempts", "planned", "skipped", "disabled_at"],
    view: (timeline, { endpoint }) => ({
      endpoint: endpointView(endpoint),
      ...pick(timeline, "now", "planned", "skipped"),
      attempts: timeline.attempts.map(attemptView),
      disabled_at: timeline.forecast.disabled_at,
    }),
  }),
  operationTool({
    name: "fail_subscriber",
    does: "webhooks.fail",
    description:
      "Makes deliveries to an endpoint fail, simulated by the sandbox: the real subscriber is not called. Lasts until work_subscriber is called, or for as many attempts as times or sequence specify.",
    own: { endpoint },
    takes: ["kind", "status", "times", "rate", "sequence", "pass_through:passThrough", "overlap"],
    gives: ["endpoint", "fault"],
    view: (state, { endpoint: { id } }) => ({ endpoint: id, fault: state!.spec }),
  }),
  workSubscriber,
  { ...workSubscriber, name: "repair_subscriber", description: "The former name of work_subscriber." },
  operationTool({
    name: "attempts",
    does: "webhooks.deliveries",
    own: { endpoint, failed: optional(flag("Only failed ones.")) },
    takes: ["limit"],
    read: ({ failed, ...input }) => ({ ...input, ...(failed && { status: "failed" }) }),
    gives: ["attempts"],
    view: ({ data }) => ({
      attempts: data.map((delivery) => ({
        ...attemptView(delivery),
        response_body: delivery.response_body && clip(delivery.response_body, LISTED_CHARACTERS),
      })),
    }),
  }),
  operationTool({
    name: "explain_delivery",
    does: "webhooks.delivery",
    title: "Explain a delivery",
    description:
      "Explains why a delivery failed, what to change in the subscriber and what the platform does next. Includes the request and the response. Without an id, it explains the latest failure.",
    own: { delivery: optional(text("The delivery's id (del_…).")) },
    read: async ({ delivery }, client) => ({ id: delivery ?? (await findLatestFailure(client)) }),
    gives: ["what", "why", "fix", "next", "signature", "endpoint", "attempt", "request", "response"],
    view(delivery) {
      const { attempt, event, url, request_headers: headers, response_code: status } = delivery;
      const { why, fix, next } = explainDelivery(delivery, WORDS);
      const shown = (body: string | null) => body && clip(body, BODY_CHARACTERS);
      return {
        what: `Attempt ${attempt} of ${event} to ${url} ${attemptResult(delivery)}.`,
        why,
        fix: fix || "Nothing to do.",
        next: next.text,
        ...pick(delivery, "signature", "endpoint"),
        attempt: attemptView(delivery),
        request: { headers, body: shown(delivery.request_body) },
        response: { status, detail: delivery.error_detail, body: shown(delivery.response_body) },
      };
    },
  }),
  operationTool({
    name: "diagnose_delivery",
    does: "webhooks.diagnose",
    takes: ["id"],
    gives: ["verdict", "cause", "fix", "tried"],
  }),
  operationTool({
    name: "send_event",
    does: "senders.send",
    description:
      "Sends an event from a sender other than the platform, such as stripe, to that sender's endpoints, signed and retried as the sender would. To register such an endpoint, call create_endpoint with `sender`. Disabled endpoints receive nothing.",
    takes: ["type", "data"],
    own: {
      sender: optional(text("The event's sender. Default: the only sender in use with this event type.")),
    },
    read: async ({ sender, ...event }, client) => ({
      name: sender ?? senderOf(event.type, (await client.run("senders.list", {})).data),
      ...event,
    }),
    gives: ["id", "sender", "attempts", "disabled"],
    view: (sent) => ({ ...pick(sent, "id", "sender", "disabled"), ...attemptsView(sent.deliveries) }),
  }),
  operationTool({
    name: "outage",
    does: "webhooks.outage",
    own: { endpoint },
    takes: ["duration", "kind", "story"],
    gives: ["summary", "disabled_at", "events", "arrived", "unsent", "missing"],
    view: (outage) => ({
      summary: outageText(outage),
      ...pick(outage, "disabled_at", "events", "arrived", "unsent", "missing"),
    }),
  }),
  operationTool({
    name: "resend",
    does: "webhooks.resend",
    takes: ["id"],
    gives: ["attempts"],
    view: ({ data }) => attemptsView(data),
  }),
  operationTool({
    name: "retry_failed",
    does: ["webhooks.retryFailed", "webhooks.retry"],
    choose: ({ delivery }) => (delivery === undefined ? "webhooks.retryFailed" : "webhooks.retry"),
    takes: ["since"],
    own: {
      delivery: optional(text("The id of the only delivery to retry (del_…).")),
      endpoint: optional(endpoint),
    },
    read: ({ delivery, since, id }) =>
      delivery === undefined ? { since, webhook_id: id } : { id: delivery },
    gives: ["attempts"],
    view: (answer: { data: Delivery[] } | Delivery) =>
      attemptsView("data" in answer ? answer.data : [answer]),
  }),
];
