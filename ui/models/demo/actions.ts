import type { Api } from "../../api.ts";
import { ApiError } from "../../api.ts";
import type { Advance, Status, Webhook } from "../../api-types.ts";
import type { Endpoints } from "../endpoints.ts";
import type { LedgerModel } from "../ledger.ts";
import { href, type Router } from "../router.ts";

export interface DemoParts {
  api: Api;
  status: { peek(): Status };
  endpoints: Endpoints;
  ledger: LedgerModel;
  router: Router;
  /** Waits until the page has read all that has happened so far. */
  readAll: () => Promise<void>;
}

const HOUR: Advance = { by: "1h" };
const TEN_MINUTES: Advance = { by: "10m" };
/** How long the preview of an advance, and what is planned, are shown before it is made, milliseconds. */
const READING_MS = 1_800;
const read = () => new Promise((resolve) => setTimeout(resolve, READING_MS));

/** What each step of docs/demo.md does, in its order. */
export function demoActions({ api, status, endpoints, ledger, router, readAll }: DemoParts) {
  /** The endpoint of the demo: the newest one that a person made. */
  function endpoint(): Webhook {
    const webhook = endpoints.list.peek()?.findLast(({ seeded }) => !seeded);
    if (webhook) return webhook;
    throw new ApiError(404, {
      message: "This step needs an endpoint, and you have not made one yet.",
      hint: "Do step 2 first.",
    });
  }

  const show = () => router.go(href(["webhooks", endpoint().id]));

  async function pay(): Promise<void> {
    const links = await api.links({ active: true, limit: 100, sort: "current_uses" });
    const link = links.data.find(({ amount }) => amount !== null);
    if (!link)
      throw new ApiError(404, {
        message: "This step needs a payment link with a price.",
        hint: "Create one under Payments, or start Sandglass with its usual seed.",
      });
    await api.pay({ payment_link_id: link.id, outcome: "completed" });
    await readAll();
  }

  async function advance(by: Advance): Promise<void> {
    show();
    await ledger.advance(by);
  }

  async function register(): Promise<void> {
    await api.createWebhook({ url: `${status.peek().url}/_sandbox/inbox/mine` });
    await endpoints.read();
    // Without it, the newest one in the list is another.
    const error = endpoints.error.peek();
    if (error) throw error;
    show();
  }

  const fail = () => api.setFault(endpoint().id, { kind: "status", status: 503 });

  /** A new endpoint fails until it is disabled: two payments have four events, and ten attempts until then. */
  async function watch(): Promise<void> {
    await register();
    await fail();
    await pay();
    await pay();
    await read();
    await advance(HOUR);
  }

  const steps = [
    async () => router.go(href(["overview"])),
    register,
    async () => {
      show();
      await pay();
    },
    async () => {
      await fail();
      await advance(TEN_MINUTES);
      await pay();
    },
    async () => {
      show();
      ledger.consider(HOUR);
      await read();
      await ledger.advance(HOUR);
    },
    async () => {
      await advance(HOUR);
      await pay();
    },
    async () => router.go(href(["mail"])),
    async () => {
      const webhook = endpoint();
      await api.clearFault(webhook.id);
      await api.enableWebhook(webhook.id);
      await advance(TEN_MINUTES);
      const { attempts } = await api.timeline(webhook.id, { limit: 100 });
      const failed = attempts.findLast(({ status: state }) => state === "failed");
      const made = failed && (await api.retry(failed.delivery_id));
      router.go(href(["webhooks", webhook.id, made?.id]));
    },
    async () => {
      const { view, parts } = router.route.peek();
      if (view !== "webhooks" || parts.length < 2) show();
      router.replace(href(["webhooks", ...router.route.peek().parts], { part: "signature" }));
    },
  ];
  return { steps, watch };
}
