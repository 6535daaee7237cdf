import { type Static, Type } from "typebox";
import type { Client } from "../../client/http.ts";
import { nullable } from "../../http/shapes.ts";
import { Attempt, attemptView, Endpoint, EndpointState, VirtualTime } from "../schemas.ts";
import { operationTool, type Toolbox, tool } from "../tool.ts";

async function readTimeline(client: Client, { findEndpoint }: Toolbox, name: string, limit: number) {
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
    return { endpoint: (await readTimeline(client, toolbox, id, 1)).endpoint };
  },
});

/** Webhook endpoints, and how their subscribers fail. */
export const webhookTools = [
  operationTool({
    name: "create_endpoint",
    does: "webhooks.create",
    title: "Register a webhook endpoint",
    description:
      "Registers a subscriber's URL, and returns the secret that signs its deliveries. The same URL and events again return the endpoint that is there.",
    takes: ["url", "events", "sender", "secret", "headers", "another"],
    gives: ["id", "url", "events", "secret", "created"],
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
      const { timeline, endpoint } = await readTimeline(await toolbox.sandbox(), toolbox, name, 50);
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
  operationTool({
    name: "fail_subscriber",
    does: "webhooks.fail",
    description:
      "Makes deliveries to an endpoint fail, simulated by the sandbox: the real subscriber is not called. Lasts until work_subscriber, or as often as times or sequence say.",
    own: { endpoint: Endpoint },
    takes: ["kind", "status", "times", "rate", "sequence", "pass_through:passThrough", "overlap"],
    gives: { endpoint: Type.String(), fault: Type.Record(Type.String(), Type.Unknown()) },
    view: (state) => ({ endpoint: state!.target.replace("webhook:", ""), fault: { ...state!.spec } }),
  }),
  workSubscriber,
  {
    ...workSubscriber,
    name: "repair_subscriber",
    title: "Make a subscriber work again (former name)",
    description: "The former name of work_subscriber.",
  },
];
