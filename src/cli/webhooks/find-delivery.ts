import type { Client } from "../../client/http.ts";
import { notFound } from "../../errors/errors.ts";
import { count } from "../../timeline/text.ts";
import type { JournalEntry } from "../../world/journal.ts";
import { LAST } from "../operation/find-named.ts";

/** How many journal entries about finished deliveries to search for the latest one. */
const LOOKED_AT = 1_000;

type EndedAs = "delivery.succeeded" | "delivery.failed";

/**
 * Finds a delivery by its id, or the latest one with the given result for `last`. `last` skips failures whose event
 * arrived later, and deliveries to deleted endpoints.
 * @returns the delivery's id
 * @throws SandboxError `not_found`
 */
export async function findDelivery(sandbox: Client, name: string, ended: EndedAs): Promise<string> {
  if (name !== LAST) return name;
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
  throw notFound(
    noneText(ended, data.length, unsuitable),
    unsuitable.length > 0 && unsuitable.every((reason) => reason === "test")
      ? "Send another test: npx sandglass webhooks test <endpoint>"
      : "List an endpoint's deliveries with their ids: npx sandglass webhooks timeline <endpoint>",
  );

  function reasonAgainst(delivery: JournalEntry["data"]): Unsuitable | undefined {
    if (delivery.trigger === "test" || delivery.trigger === "resend") return delivery.trigger;
    if (!present.has(delivery.webhook_id)) return "deleted";
    return ended === "delivery.failed" && arrived.has(eventKey(delivery)) ? "arrived" : undefined;
  }
}

const eventKey = ({ event_id: event, webhook_id: endpoint }: JournalEntry["data"]) => `${event} ${endpoint}`;

/** Reasons why `last` skips a delivery that has the right result. */
type Unsuitable = "test" | "resend" | "deleted" | "arrived";

/** Each reason, worded for the only delivery, for one of several, and for several deliveries. */
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
