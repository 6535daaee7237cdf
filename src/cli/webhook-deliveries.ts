import type { Client } from "../client/http.ts";
import { SandboxError } from "../errors/errors.ts";
import type { Delivery, RetriedDeliveries } from "../library/index.ts";
import { instant } from "../story/instant.ts";
import { count } from "../story/text.ts";
import type { JournalEntry } from "../world/journal.ts";
import { deliveryOutcome } from "./deliveries.ts";
import { findEndpoint } from "./endpoint-name.ts";
import { type Cell, columns, paint, print, printJson } from "./output.ts";
import { requireName, showEndpoint, type WebhooksCall } from "./webhook-calls.ts";

/** The name of the latest delivery. */
const LATEST = "last";
/** How far back the latest delivery is looked for, in journal entries of deliveries that ended. */
const LOOKED_AT = 1_000;

/** Exit code where a delivery failed. */
export const FAILED = 1;

/** `sandglass webhooks test`: sends a synthetic event. */
export async function test({ sandbox, name, options: { json } }: WebhooksCall): Promise<number> {
  const endpoint = await findEndpoint(sandbox, requireName("test", name));
  const sent = await sandbox.run("webhooks.test", { id: endpoint.id });
  if (json) printJson(sent);
  else {
    const id = sent.delivery_id;
    const delivery = await sandbox.run("deliveries.get", { id });
    showEndpoint(endpoint, [
      ["test", deliveryOutcome(delivery)],
      ["delivery", id],
    ]);
  }
  return sent.success ? 0 : FAILED;
}

/** `sandglass webhooks retry`: one failed delivery, or all since a time. */
export async function retry(call: WebhooksCall): Promise<number> {
  const { sandbox, name, options } = call;
  if (options.failed) return retryFailed(call);
  if (options.since !== undefined)
    throw new SandboxError(
      "bad_request",
      "--since goes with --failed.",
      "For example: npx sandglass webhooks retry --failed --since 2h",
    );
  if (name === undefined)
    throw new SandboxError(
      "bad_request",
      "webhooks retry needs a delivery.",
      "Name it by its id or 'last', or retry all that failed: npx sandglass webhooks retry --failed",
    );
  const id = await findDelivery(sandbox, name, "delivery.failed");
  const delivery = await sandbox.run("webhooks.retry", { id });
  if (options.json) printJson(delivery);
  else for (const line of columns([deliveryCells(delivery)])) print(line);
  return exitCode([delivery]);
}

async function retryFailed({ sandbox, name, options: { since, json } }: WebhooksCall): Promise<number> {
  const endpoint = name === undefined ? undefined : await findEndpoint(sandbox, name);
  const result = await sandbox.run("webhooks.retryFailed", { since, webhook_id: endpoint?.id });
  if (json) printJson(result);
  else {
    for (const line of columns(result.data.map(deliveryCells))) print(line);
    print(summary(result));
  }
  return exitCode(result.data);
}

function summary({ since, retried, succeeded, failed, pending }: RetriedDeliveries): string {
  const from = `since ${instant(since)} UTC`;
  if (retried === 0)
    return `Nothing to retry: no event that failed ${from} is still undelivered to an endpoint that exists.`;
  const parts = [
    succeeded > 0 ? paint.green(`${succeeded} delivered`) : "",
    failed > 0 ? paint.red(`${failed} failed`) : "",
    pending > 0 ? paint.yellow(`${pending} not answered yet`) : "",
  ];
  return `${count(retried, "retry", "retries")} of what failed ${from}: ${parts.filter(Boolean).join(", ")}`;
}

/** A new delivery in a row: its id, what, to where, and how it ended. */
export const deliveryCells = (delivery: Delivery): Cell[] => [
  delivery.id,
  delivery.event,
  { text: "to", color: paint.dim },
  delivery.url,
  deliveryOutcome(delivery),
];

/** The exit code of a command that sent these. */
export const exitCode = (deliveries: readonly Delivery[]): number =>
  deliveries.some(({ status }) => status === "failed") ? FAILED : 0;

type EndedAs = "delivery.succeeded" | "delivery.failed";

/**
 * The id that a delivery is named by: itself, or for `last` that of the latest one that ended so. Of failed ones, those
 * whose event arrived later do not count, and of all, those to endpoints that are deleted.
 * @throws SandboxError `not_found`
 */
export async function findDelivery(sandbox: Client, name: string, ended: EndedAs): Promise<string> {
  if (name !== LATEST) return name;
  const types = "delivery.succeeded,delivery.failed";
  const [endpoints, { data }] = await Promise.all([
    sandbox.webhooks(),
    sandbox.run("events", { types, order: "desc", limit: LOOKED_AT }),
  ]);
  const present = new Set<unknown>(endpoints.map(({ id }) => id));
  const arrived = new Set<string>();
  const unsuitable: Unsuitable[] = [];
  for (const { type, data: delivery } of data) {
    if (type === "delivery.succeeded" && delivery.trigger !== "test") arrived.add(eventKey(delivery));
    if (type !== ended) continue;
    const reason = reasonAgainst(delivery);
    if (reason === undefined) return String(delivery.id);
    unsuitable.push(reason);
  }
  throw new SandboxError(
    "not_found",
    noneText(ended, data.length, unsuitable),
    unsuitable.length > 0 && unsuitable.every((reason) => reason === "test")
      ? "Send another test: npx sandglass webhooks test <endpoint>"
      : "Print an endpoint's deliveries with their ids: npx sandglass webhooks timeline <endpoint>",
  );

  function reasonAgainst(delivery: JournalEntry["data"]): Unsuitable | undefined {
    if (delivery.trigger === "test" || delivery.trigger === "resend") return delivery.trigger;
    if (!present.has(delivery.webhook_id)) return "deleted";
    return ended === "delivery.failed" && arrived.has(eventKey(delivery)) ? "arrived" : undefined;
  }
}

/** An event at an endpoint. */
const eventKey = ({ event_id: event, webhook_id: endpoint }: JournalEntry["data"]) => `${event} ${endpoint}`;

/** Why a delivery that ended as it should is not the one that `last` names. */
type Unsuitable = "test" | "resend" | "deleted" | "arrived";

/** Said of the only one, of one among several, and of several. */
const REASONS: Record<Unsuitable, [only: string, one: string, several: string]> = {
  test: ["it is a test", "is a test", "are tests"],
  resend: ["it is a resend", "is a resend", "are resends"],
  deleted: ["its endpoint is deleted", "went to a deleted endpoint", "went to deleted endpoints"],
  arrived: ["its event arrived later", "has an event that arrived later", "have events that arrived later"],
};

function noneText(ended: EndedAs, lookedAt: number, unsuitable: readonly Unsuitable[]): string {
  const latest =
    lookedAt < LOOKED_AT ? "" : ` among the latest ${count(LOOKED_AT, "delivery", "deliveries")}`;
  const [verb, use] = ended === "delivery.failed" ? ["failed", "retried"] : ["succeeded", "resent"];
  const [only, ...more] = unsuitable;
  if (only === undefined) return `No delivery${latest} ${verb}.`;
  if (more.length === 0)
    return `The only delivery${latest} that ${verb} cannot be ${use}: ${REASONS[only][0]}.`;
  const reasons = Object.entries(REASONS).flatMap(([reason, [, one, several]]) => {
    const n = unsuitable.filter((other) => other === reason).length;
    return n === 0 ? [] : [`${n} ${n === 1 ? one : several}`];
  });
  const deliveries = count(unsuitable.length, "delivery", "deliveries");
  return `None of the ${deliveries}${latest} that ${verb} can be ${use}: ${reasons.join(", ")}.`;
}
