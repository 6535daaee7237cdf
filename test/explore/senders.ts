import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ExploreOptions, ExploreRequest } from "../../src/index.ts";
import { folderOf } from "../support/cli.ts";
import { startSubscriber } from "../support/subscriber.ts";

export const SECRET = "whsec_test";

/**
 * A sender whose orders are created, paid and shipped.
 * @param more additional lines in its file
 */
export function acmeFile(
  more = "retries: { delays: [1h, 4h] }\nassumed: [retries.delays]",
  also = "",
): string {
  const event = (type: string, id: string) =>
    `  ${type}: { body: { id: ${id}, type: ${type}, created: 0, data: { order: order_1 } } }`;
  const file = join(folderOf(), "acme.yaml");
  const lines = [
    "name: acme",
    "events:",
    event("order.created", "ev_1a"),
    event("order.paid", "ev_2b"),
    "type: body.type",
    "id: body.id",
    "time: body.created",
    'signature: { header: "Acme-Signature: t={time},v1={signature}", over: "{time}.{body}", time: milliseconds' +
      `${also} }`,
    more,
  ];
  writeFileSync(file, lines.join("\n"));
  return file;
}

export interface AcmeEvent {
  id: string;
  type: string;
  data: { order: string };
}

/**
 * A handler that verifies events and then passes them to `step`, a function of the test that returns the status to
 * respond with.
 */
export function shop(
  step: (orders: Map<string, string>, event: AcmeEvent, seen: Set<string>) => number | undefined,
  readsAll = true,
) {
  const orders = new Map<string, string>();
  const seen = new Set<string>();
  const times = new Map<string, Set<string>>();
  const subscriber = async (request: ExploreRequest) => {
    const body = await request.text();
    const header = request.headers.get("acme-signature") ?? "";
    const [, time] = /^t=(\d+),/.exec(header) ?? [];
    const signatures = [...header.matchAll(/v1=(\w+)/g)].map(([, one]) => one);
    const right = createHmac("sha256", SECRET).update(`${time}.${body}`).digest("hex");
    if (!signatures.slice(0, readsAll ? undefined : 1).includes(right))
      return new Response(null, { status: 401 });
    const event: AcmeEvent = JSON.parse(body);
    times.set(event.id, (times.get(event.id) ?? new Set()).add(time!));
    return new Response(null, { status: step(orders, event, seen) ?? 204 });
  };
  const state = () => Object.fromEntries(orders);
  const reset = () => {
    orders.clear();
    seen.clear();
  };
  const options: Omit<ExploreOptions, "sender"> = { subscriber, state, reset, secret: SECRET, deviations: 2 };
  return { options, times };
}

/**
 * Serves a handler over HTTP that keeps the type of the last event about an order.
 * @param handles whether it handles a type of event
 * @returns its URL, and the flags for its state, its reset and its secret
 */
export async function serveLastWins(handles: (type: string) => boolean = () => true) {
  let orders: Record<string, string> = {};
  const { url } = await startSubscriber(({ method, path, body }, response) => {
    if (path === "/reset") orders = {};
    if (path !== "/webhooks") return void response.end(JSON.stringify(orders));
    const { type, data }: AcmeEvent = JSON.parse(body);
    if (method === "POST" && handles(type)) orders[data.order] = type;
    response.end();
  });
  const [state, reset] = [url.replace("webhooks", "state"), url.replace("webhooks", "reset")];
  return { url, flags: ["--state", state, "--reset", reset, "--secret", SECRET, "--deviations", "1"] };
}
