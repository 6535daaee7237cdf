import { type Static, Type } from "typebox";
import { EVENT_TYPES } from "../../payments/webhooks/event-types.ts";
import { DELIVER, SUBSCRIBER_FAULTS } from "../../webhooks/subscriber-faults.ts";
import {
  Attempt,
  attemptView,
  Endpoint,
  EndpointState,
  nullable,
  oneOf,
  optional,
  text,
  VirtualTime,
} from "../schemas.ts";
import { type Toolbox, tool } from "../tool.ts";

async function readTimeline({ sandbox, findEndpoint }: Toolbox, name: string, limit: number) {
  const client = await sandbox();
  const { id, url } = await findEndpoint(client, name);
  const timeline = await client.run("webhooks.timeline", { id, limit });
  const { status, counter } = timeline;
  const { consecutive_failures, threshold } = counter;
  return { timeline, endpoint: { id, url, status, consecutive_failures, threshold } };
}

const Retry = Type.Object({ event: Type.String(), event_id: Type.String(), attempt: Type.Integer() });
const retryView = ({ event, event_id, attempt }: Static<typeof Retry>) => ({ event, event_id, attempt });

const workSubscriber = tool({
  name: "work_subscriber",
  title: "Make a subscriber work again",
  description: "Ends the simulated fault of an endpoint, and enables the endpoint if it was disabled.",
  effect: "changes",
  input: { endpoint: Endpoint },
  output: { endpoint: EndpointState },
  async run(toolbox, { endpoint: name }) {
    const client = await toolbox.sandbox();
    const { id, status } = await toolbox.findEndpoint(client, name);
    await client.run("webhooks.work", { id });
    if (status === "disabled") await client.run("webhooks.enable", { id });
    return { endpoint: (await readTimeline(toolbox, id, 1)).endpoint };
  },
});

/** Webhook endpoints, and how their subscribers fail. */
export const webhookTools = [
  tool({
    name: "create_endpoint",
    title: "Register a webhook endpoint",
    description:
      "Registers a subscriber's URL, and returns the secret that signs its deliveries. The same URL and events again return the endpoint that is there.",
    effect: "changes",
    input: {
      url: text("https to any host, or http on this machine, such as http://127.0.0.1:3000/webhooks."),
      events: optional(
        Type.Array(Type.String(), {
          description: `Default: all of them. The platform has ${EVENT_TYPES.join(", ")}.`,
        }),
      ),
      sender: optional(text("Who sends to it, such as stripe or github. Default: the platform.")),
      secret: optional(text("The secret that the subscriber verifies with. Default: a new one.")),
      another: optional(Type.Boolean({ description: "Register one more, even where there is one like it." })),
    },
    output: {
      id: Type.String(),
      url: Type.String(),
      events: Type.Array(Type.String()),
      secret: Type.String(),
      created: Type.Boolean({ description: "False for the endpoint that was there." }),
    },
    async run({ sandbox }, { url, events, secret, another, sender }) {
      const endpoint = await (await sandbox()).run("webhooks.create", {
        url,
        events,
        secret,
        another,
        sender,
      });
      const { id, created } = endpoint;
      return { id, url: endpoint.url, events: endpoint.events, secret: endpoint.secret, created };
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
      planned: Type.Array(Type.Object({ ...Retry.properties, due_at: VirtualTime }), {
        description: "Retries still due.",
      }),
      skipped: Type.Array(Type.Object({ ...Retry.properties, reason: nullable(Type.String()) }), {
        description: "Retries that will not happen.",
      }),
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
        planned: planned.map((retry) => ({ ...retryView(retry), due_at: retry.due_at })),
        skipped: skipped.map((retry) => ({ ...retryView(retry), reason: retry.reason })),
        disabled_at: forecast.disabled_at,
      };
    },
  }),
  tool({
    name: "fail_subscriber",
    title: "Make a subscriber fail",
    description:
      "Makes deliveries to an endpoint fail, simulated by the sandbox: the real subscriber is not called. Lasts until work_subscriber, or as often as times or sequence say.",
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
        Type.Array(Type.Union([Type.Integer(), oneOf([...SUBSCRIBER_FAULTS, DELIVER])]), {
          description:
            'What each attempt gets, such as [500, "timeout", "deliver"]; at "deliver", and after the last, it works.',
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
      const { spec } = (await client.run("webhooks.fail", { id, ...body }))!;
      return { endpoint: id, fault: { ...spec } };
    },
  }),
  workSubscriber,
  {
    ...workSubscriber,
    name: "repair_subscriber",
    title: "Make a subscriber work again (former name)",
    description: "The former name of work_subscriber.",
  },
];
