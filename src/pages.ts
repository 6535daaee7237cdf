import type { FastifyReply, FastifyRequest } from "fastify";
import { guardControl } from "./control/guard.ts";
import { contentSecurityPolicy } from "./http/html.ts";
import type { LandingView } from "./http/landing.ts";
import type { ReferenceDocument } from "./http/reference.ts";
import type { App } from "./http/types.ts";
import { describeAmount } from "./payments/hosted/tokens.ts";
import { PLATFORM } from "./payments/name.ts";
import type { Sandbox } from "./sandbox.ts";

export interface PageOptions {
  /** Finds the sandbox of the world a request is for. */
  open: (request: FastifyRequest) => Sandbox;
  /** Host names beside loopback by which the pages that show keys may be called. */
  allowedHosts: readonly string[];
}

/** The landing page, and for each contract its document and reference page. What they need is loaded when asked for. */
export function pageRoutes(app: App, { open, allowedHosts }: PageOptions): void {
  const contracts = () => import("./contracts.ts");
  const guard = async (request: FastifyRequest) => guardControl(request.raw, allowedHosts);

  app.get("/", { onRequest: guard }, async (request, reply) => {
    const { renderLanding } = await import("./http/landing.ts");
    return sendPage(reply, renderLanding(landingView(open(request))));
  });
  for (const [name, base] of [
    ["platform", `/${PLATFORM}`],
    ["control", "/_sandbox"],
  ] as const) {
    const options = name === "control" ? { onRequest: guard } : {};
    app.get(`${base}/openapi.json`, options, async (request) =>
      (await contracts()).openApiDocument(name, open(request).status().url),
    );
    app.get(`${base}/reference`, options, async (request, reply) => {
      const { renderReference } = await import("./http/reference.ts");
      const { url } = open(request).status();
      const document = (await (await contracts()).openApiDocument(name, url)) as unknown as ReferenceDocument;
      return sendPage(reply, renderReference(document, { specUrl: `${url}${base}/openapi.json` }));
    });
  }
}

function sendPage(reply: FastifyReply, html: string): FastifyReply {
  return reply
    .type("text/html; charset=utf-8")
    .header("content-security-policy", contentSecurityPolicy)
    .header("cache-control", "no-store")
    .send(html);
}

/** What the landing page shows of a sandbox. */
function landingView(sandbox: Sandbox): LandingView {
  const { payments } = sandbox;
  const status = sandbox.status();
  const links = payments.links.list(status.organization.id, {
    page: 1,
    limit: 5,
    sort: "created_at",
    order: "desc",
    active: true,
  }).data;
  const api = `${status.bases.platform}/api/v1`;
  const control = `${status.url}/_sandbox`;
  const link = links[0]?.id ?? "pl_…";
  const threshold = payments.settings.webhooks.disableAfter.consecutive;
  return {
    version: status.version,
    url: status.url,
    world: status.world,
    seed: status.seed,
    clock: status.clock,
    bases: status.bases,
    keys: status.keys,
    organization: { name: status.organization.name },
    counts: sandbox.counts(),
    links: links.map(({ id, name, url, amount, chain_id: chain, token_address: token }) => ({
      id,
      name,
      url,
      amount: amount === null ? null : describeAmount(amount, chain, token),
    })),
    webhooks: payments.endpoints
      .listAll()
      .map(({ id, url, status: state, consecutive_failures: failures }) => ({
        id,
        url,
        status: state,
        consecutive_failures: failures,
        threshold,
      })),
    commands: [
      {
        title: "Point a webhook at your own server",
        command: `curl -s ${api}/webhooks -H "Authorization: Bearer ${status.keys.write}" -H "Content-Type: application/json" -d '{"url": "http://127.0.0.1:3000/webhooks"}'`,
      },
      {
        title: "Trigger a payment",
        command: `curl -s ${control}/payments -H "Content-Type: application/json" -d '{"payment_link_id": "${link}"}'`,
      },
      {
        title: "Move the clock to the next retry",
        command: `curl -s ${control}/clock/advance -H "Content-Type: application/json" -d '{"until": "next"}'`,
      },
      { title: "Read what the built-in inbox got", command: `curl -s ${control}/inbox` },
    ],
    references: [
      { title: "Payments platform API", url: "/platform/reference" },
      { title: "Control API", url: "/_sandbox/reference" },
    ],
  };
}
