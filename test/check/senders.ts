import type { RequestListener } from "node:http";
import { check } from "../../src/index.ts";
import { readSender } from "../../src/senders/files.ts";
import { parseBody, readJson } from "../../src/webhooks/body-text.ts";
import { valueAt } from "../../src/webhooks/example.ts";
import { type Signed, VERIFIERS } from "../senders/verifiers.ts";
import { startReceiver } from "./support/start.ts";

export const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

export interface Bug {
  accepts?: (request: Signed, secret: string, now: number) => boolean | Promise<boolean>;
  /** How the handler identifies an event; by default, by the event's id. */
  keyOf?: (body: string) => string;
  /** Whether the handler fails to store an event. */
  fails?: (body: string) => boolean;
}

/** Parses the fields of a form. @throws Error for anything else */
function formOf(body: string): Record<string, unknown> {
  if (!/^\w+=/.test(body)) throw new Error("no form");
  return parseBody(body);
}

/** Starts a handler for a sender's webhooks. It uses the sender's published verifier, unless a bug replaces it. */
export async function startHandler(name: string, bug: Bug = {}) {
  const { facts } = await readSender(name);
  const { accepts = VERIFIERS[name]!.accepts } = bug;
  const secret = facts.signature.secret === "hex" ? Buffer.from(SECRET).toString("hex") : SECRET;
  const isForm = readJson((await readSender(name)).example(Object.keys(facts.events)[0]!)) === undefined;
  const seen = new Set<string>();
  let handled = 0;
  const take: RequestListener = async (request, response) => {
    if (request.url === "/state") return void response.end(JSON.stringify({ handled }));
    const end = (status: number) => void response.writeHead(status).end();
    if (request.method !== "POST") return end(405);
    const body = Buffer.concat(await request.toArray()).toString();
    const headers = request.headers as Record<string, string>;
    const url = `http://${headers.host}${request.url}`;
    try {
      if (!(await accepts({ headers, body, url }, secret, Math.floor(Date.now() / 1_000)))) return end(401);
    } catch {
      return end(401);
    }
    let event: unknown;
    try {
      event = isForm ? formOf(body) : JSON.parse(body);
    } catch {
      return end(400);
    }
    if (typeof event !== "object" || event === null) return end(400);
    if (bug.fails?.(body)) return end(500);
    const id = bug.keyOf?.(body) ?? valueAt(facts.id, headers, body) ?? body;
    if (!seen.has(id)) handled += 1;
    seen.add(id);
    return end(200);
  };
  const started = await startReceiver(take);
  return {
    ...started,
    check: (options: object = {}) => check({ subscriber: started.url, sender: name, secret, ...options }),
  };
}
export const only = (request: Signed, signature: string): Signed => ({
  ...request,
  headers: { ...request.headers, "webhook-signature": signature },
});
