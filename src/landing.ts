import type { LandingView } from "./http/landing.ts";
import { describeAmount } from "./payments/hosted/tokens.ts";
import type { Sandbox } from "./sandbox.ts";

/** What the landing page shows of a sandbox. */
export function landingView(sandbox: Sandbox): LandingView {
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
