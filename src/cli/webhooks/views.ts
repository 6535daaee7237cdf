import { findEndpoint } from "../../client/find-endpoint.ts";
import type { ResultOf, WebhookWithSecret } from "../../client/http.ts";
import { isObject, readJson } from "../../client/refusal.ts";
import { senderOf } from "../../client/sender-of.ts";
import { misuse, type SandboxError } from "../../errors/errors.ts";
import type { Delivery, RetriedDeliveries } from "../../library/index.ts";
import { readHttpUrl } from "../../runtime/http-url.ts";
import { shellArgument } from "../../runtime/shell.ts";
import { parseExactJson } from "../../schema/parse-file.ts";
import { counterText } from "../../timeline/counter.ts";
import { readStep } from "../../timeline/fault-steps.ts";
import { instant } from "../../timeline/instant.ts";
import { count, eventsText } from "../../timeline/text.ts";
import { FAILED } from "../exit-codes.ts";
import { LAST } from "../operation/find-named.ts";
import { type ViewCall, type Views, view, viewsOf } from "../operation/view.ts";
import { columns, fields, paint } from "../output.ts";
import { chosenFlags } from "../server.ts";
import { ownerCells } from "../world/lists.ts";
import { deliveryCells, deliveryOutcome } from "./deliveries.ts";
import { diagnosisLines, refusalLines } from "./diagnosis.ts";
import { type ActiveFault, faultText, KINDS } from "./fault-text.ts";
import { findDelivery } from "./find-delivery.ts";
import { statusCell, timelineLines } from "./timeline.ts";
import { withEndpoint } from "./with-endpoint.ts";

/** The platform's sender, the only one that supports test deliveries. */
const PLATFORM = "platform";
const DEFAULT_ANSWER = "500";

/** The lines for a newly registered endpoint. @param note a text to print after its URL */
const registrationLines = (
  { id, url, sender, secret, headers, ...endpoint }: WebhookWithSecret,
  note = "",
): readonly string[] =>
  fields([
    ["endpoint", `${id}, ${url}${note}`],
    ["sender", sender],
    ["events", eventsText(endpoint)],
    ...Object.entries(headers).map(([name, value]) => ["header", `${name}: ${value}`] as const),
    ["secret", secret],
  ]);

const endpointLines = (
  { given: { endpoint } }: ViewCall,
  rows: Parameters<typeof fields>[0],
): readonly string[] => fields([["endpoint", `${endpoint.id}, ${endpoint.url}`], ...rows]);

const switching = {
  read: withEndpoint,
  lines: (changed: ResultOf<"webhooks.enable">) =>
    fields([
      ["endpoint", `${changed.id}, ${changed.url}`],
      ["status", statusCell(changed)],
    ]),
};

export const views: Views = viewsOf(
  view("webhooks.list", {
    async lines({ data }, { sandbox, given }) {
      if (data.length === 0)
        return ["No webhook endpoints. Register one: npx sandglass webhooks create <url>"];
      const owner = await ownerCells(sandbox, given.organization);
      const faults = (await sandbox.run("faults.list")).data as ActiveFault[];
      return columns(
        data.map((endpoint) => {
          const fault = faults.find(({ target }) => target === `webhook:${endpoint.id}`)?.spec;
          return [
            endpoint.id,
            statusCell(endpoint),
            `${counterText(endpoint.consecutive_failures, endpoint.threshold)} failures`,
            endpoint.sender === PLATFORM ? (owner(endpoint)[0] ?? "") : endpoint.sender,
            endpoint.url,
            eventsText(endpoint),
            { text: fault ? `fails: ${faultText(fault)}` : "", color: paint.red },
          ];
        }),
      );
    },
  }),

  view("webhooks.create", {
    read: ({ url, ...given }) => ({ ...given, url: readHttpUrl(url, "The endpoint's URL") }),
    lines: ({ created, ...endpoint }) =>
      registrationLines(endpoint, created ? "" : " (was registered before)"),
  }),
  view("webhooks.update", {
    read: async ({ url, ...given }, call) => ({
      ...(await withEndpoint(given, call)),
      ...(url !== undefined && { url: readHttpUrl(url, "The endpoint's URL") }),
    }),
    lines: (endpoint) => registrationLines(endpoint),
  }),

  view("webhooks.fail", {
    read: async ({ answer, ...given }, call) => ({
      ...readAnswer(answer),
      ...(await withEndpoint(given, call)),
    }),
    lines: (_, call) => {
      const { answer = DEFAULT_ANSWER } = call.given;
      return endpointLines(call, [["fails", { text: `${answer} ${howLong(call)}`, color: paint.red }]]);
    },
  }),
  view("webhooks.work", {
    read: withEndpoint,
    lines: (_, call) => endpointLines(call, [["works", "its own responses count again"]]),
  }),
  view("webhooks.enable", switching),
  view("webhooks.disable", switching),
  view("webhooks.delete", {
    read: withEndpoint,
    lines: ({ id }, { given }) => [`Deleted ${id}, ${given.endpoint.url}.`],
  }),

  view("webhooks.test", {
    read: withEndpoint,
    async lines({ delivery_id: id }, call) {
      const delivery = await call.sandbox.run("webhooks.delivery", { id });
      const { sender } = call.given.endpoint;
      return endpointLines(call, [
        ["test", deliveryOutcome(delivery)],
        ...(SAYING_LITTLE.includes(delivery.error!) ? [["why", delivery.error_detail!] as const] : []),
        ...(sender === PLATFORM
          ? []
          : [["sent", `${delivery.event}, an example event: ${sender} has no test deliveries`] as const]),
        ["delivery", id],
      ]);
    },
    exit: ({ success }) => (success ? 0 : FAILED),
  }),

  view("webhooks.retry", {
    async read({ id, since }, { sandbox }) {
      if (since !== undefined)
        throw misuse(
          "--since requires --failed.",
          "For example: npx sandglass webhooks retry --failed --since 2h",
        );
      if (id === undefined)
        throw misuse(
          "webhooks retry needs a delivery.",
          "Pass its id or 'last', or retry all failed deliveries: npx sandglass webhooks retry --failed",
        );
      return { id: await findDelivery(sandbox, id, "delivery.failed") };
    },
    lines: (delivery) => deliveryLines([delivery]),
    exit: (delivery) => exitCode([delivery]),
  }),
  view("webhooks.retryFailed", {
    async read({ id, since }, { sandbox }) {
      if (id === LAST)
        throw misuse(
          "With --failed, 'last' could be a delivery or an endpoint.",
          "Pass the endpoint's id or URL, or leave it out to retry them all.",
        );
      return { since, webhook_id: id === undefined ? undefined : (await findEndpoint(sandbox, id)).id };
    },
    lines: (result, { given }) => [...deliveryLines(result.data), summary(result, given.since)],
    exit: ({ data }) => exitCode(data),
  }),
  view("webhooks.diagnose", {
    read: async ({ id = LAST }, { sandbox }) => ({ id: await findDelivery(sandbox, id, "delivery.failed") }),
    lines: diagnosisLines,
    exit: ({ verdict }) => (verdict === "found" ? 0 : FAILED),
  }),
  view("webhooks.resend", {
    read: async ({ id, webhook_id: endpoint }, { sandbox }) => ({
      webhook_id: endpoint === undefined ? undefined : (await findEndpoint(sandbox, endpoint)).id,
      id: await findDelivery(sandbox, id, "delivery.succeeded"),
    }),
    lines: ({ data }) => deliveryLines(data),
    exit: ({ data }) => exitCode(data),
  }),

  view("senders.send", {
    read: async ({ name, type, data, known }, { sandbox }) => {
      const senders = name && type ? [] : (await sandbox.run("senders.list", {})).data;
      if (type === undefined) throw missingType(senders);
      return {
        name: name ?? senderOf(type, senders),
        type,
        ...(data === undefined ? {} : { data: readData(data) }),
        ...(known && { known }),
      };
    },
    lines: async (sent, { sandbox }) => [
      ...sentLines(sent),
      ...(await refusalLines(sandbox, sent.deliveries)),
    ],
    exit: sentExit,
  }),

  view("senders.play", {
    read: async ({ name, story, type, known }, { sandbox }) => {
      if (type !== undefined)
        throw misuse("--story already selects the events.", "Omit either the event's type or --story.");
      return {
        name: name ?? senderOf(story, (await sandbox.run("senders.list", {})).data, "story"),
        story,
        ...(known && { known }),
      };
    },
    lines: async ({ events }, { sandbox }) => [
      ...events.flatMap(sentLines),
      ...(await refusalLines(
        sandbox,
        events.flatMap(({ deliveries }) => deliveries),
      )),
    ],
    exit: ({ events }) => Math.max(...events.map(sentExit)),
  }),

  view("webhooks.timeline", {
    read: withEndpoint,
    lines: timelineLines,
  }),
);

function sentLines({ deliveries, disabled, sender, type }: ResultOf<"senders.send">): string[] {
  if (deliveries.length + disabled.length === 0)
    return [
      `Nothing was sent: no endpoint subscribes to ${type}. Register one: npx sandglass webhooks create <url> --sender ${sender}`,
    ];
  const notSent = disabled.map(
    ({ webhook_id: id, url }) =>
      `Nothing was sent to ${url}: it is disabled. Enable it: npx sandglass webhooks enable ${id}`,
  );
  return [...deliveryLines(deliveries), ...notSent];
}

function sentExit({ deliveries }: ResultOf<"senders.send">): number {
  return deliveries.length === 0 ? FAILED : exitCode(deliveries);
}

function missingType(senders: ResultOf<"senders.list">["data"]): SandboxError {
  const used = senders.filter((one) => one.in_use);
  const lists = used.map(({ name, events }) => `${name} has ${events.map(({ type }) => type).join(", ")}.`);
  return misuse(
    "send needs an event type, or --story.",
    lists.join(" ") || "Start the sandbox with a sender: npx sandglass --sender stripe",
  );
}

/** Parses the data, keeping numbers as they were written. @throws SandboxError `bad_request` */
function readData(text: string): Record<string, unknown> {
  const data = readJson(text) && parseExactJson(text);
  if (isObject(data) && !Array.isArray(data)) return data;
  throw misuse(
    `The data must be a JSON object, not ${text.slice(0, 100)}.`,
    `For example: npx sandglass send order.paid '{"data": {"amount": 5}}'`,
  );
}

/** Parses a status or a kind of failure, or several of them. @throws SandboxError `bad_request` for an unknown kind */
function readAnswer(answer = DEFAULT_ANSWER): object {
  const steps = answer.split(",").map(readStep);
  if (steps.length > 1) return { sequence: steps };
  const [only] = steps;
  if (typeof only === "object") return only;
  if (typeof only === "number") return { kind: "status", status: only };
  if (KINDS.includes(only!)) return { kind: only };
  throw misuse(
    `The answer must be a status from 200 to 599 or one of ${KINDS.join(", ")}, not '${only}'.`,
    "For example: npx sandglass webhooks fail last 503",
  );
}

function howLong({ given, options }: ViewCall): string {
  const { id, answer = "", times, rate } = given;
  if (answer.includes(",")) return "in turn, then its own responses count again";
  if (times !== undefined) return `for ${count(times, "attempt")}`;
  const share = rate === undefined ? "" : `in ${rate} of the attempts `;
  return `${share}until: npx sandglass webhooks work ${shellArgument(id)}${chosenFlags(options)}`;
}

function summary(
  { since, retried, succeeded, failed, pending }: RetriedDeliveries,
  chosen: string | undefined,
): string {
  const from = `since ${instant(since)} UTC`;
  if (retried === 0)
    return `Nothing to retry: every event that failed ${from} has arrived, or its endpoint was deleted.${chosen === undefined ? " To go back further, add --since 7d." : ""}`;
  const parts = [
    succeeded > 0 ? paint.green(`${succeeded} delivered`) : "",
    failed > 0 ? paint.red(`${failed} failed`) : "",
    pending > 0 ? paint.yellow(`${pending} without a response yet`) : "",
  ];
  return `${count(retried, "retry", "retries")} of deliveries that failed ${from}: ${parts.filter(Boolean).join(", ")}`;
}

/** New deliveries, with their ids for use in other commands. */
const deliveryLines = (deliveries: readonly Delivery[]) =>
  columns(deliveries.map((delivery) => [delivery.id, ...deliveryCells(delivery)]));

/** Errors whose names alone explain too little. */
const SAYING_LITTLE: readonly Delivery["error"][] = ["blocked_by_network_policy", "invalid_response"];

const exitCode = (deliveries: readonly Delivery[]): number =>
  deliveries.some(({ status }) => status === "failed") ? FAILED : 0;
