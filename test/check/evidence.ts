import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import { check } from "../../src/index.ts";
import { folderOf } from "../support/cli.ts";
import { SECRET, startReceiver } from "./support/start.ts";

export const ACME = `name: acme
events:
  order.paid: { body: { id: evt_1, type: order.paid, data: { order: ord_1, number: A-1001, email: ada@example.com, total: 2500 } } }
  order.sent: { body: { id: evt_2, type: order.sent, data: { order: ord_1, number: A-1001, total: 2500 } } }
type: body.type
id: body.id
about: [body.data.order]
signature: { header: "Acme-Signature: {signature}" }
retries: { delays: [1m, 5m] }
`;

export interface Event {
  id: string;
  type: string;
  data: { order: string; number: string; email?: string };
}

/**
 * Starts a handler for Acme's webhooks.
 * @param take handles a signed event and returns its response
 */
export async function startAcme(
  take: (event: Event) => number | Promise<number>,
  state: () => object = () => ({}),
  answer = "",
) {
  const listener: RequestListener = async (request, response) => {
    if (request.url === "/state") return void response.end(JSON.stringify(state()));
    if (request.method !== "POST") return void response.writeHead(405).end();
    const body = Buffer.concat(await request.toArray());
    const isSigned =
      request.headers["acme-signature"] === createHmac("sha256", SECRET).update(body).digest("hex");
    try {
      const event = JSON.parse(body.toString()) as Event | null;
      response.writeHead(!isSigned ? 401 : event === null ? 400 : await take(event)).end(answer);
    } catch {
      response.writeHead(isSigned ? 400 : 401).end();
    }
  };
  const sender = join(folderOf(), "acme.yaml");
  writeFileSync(sender, ACME);
  const { url, stateUrl } = await startReceiver(listener);
  return {
    ...{ url, stateUrl, sender },
    check: (options: object = {}) => check({ subscriber: url, sender, secret: SECRET, ...options }),
  };
}

/** Starts a handler that acts on only one type of GitHub's events. */
export async function startGithub(acted: string) {
  let handled = 0;
  const seen = new Set<unknown>();
  return startReceiver(async (request, response) => {
    if (request.url === "/state") return void response.end(JSON.stringify({ handled }));
    await request.toArray();
    const { "x-github-event": type, "x-github-delivery": id } = request.headers;
    if (type === acted && !seen.has(id)) handled += 1;
    seen.add(id);
    response.writeHead(200).end();
  });
}

export const checkGithub = ({ url, stateUrl }: { url: string; stateUrl: string }) =>
  check({
    subscriber: url,
    sender: "github",
    events: "ping,push,issues",
    secret: SECRET,
    state: stateUrl,
    only: ["duplicate", "extra-fields"],
  });
