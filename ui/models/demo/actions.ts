import { ApiError } from "../../api.ts";
import type { Advance, Status, Webhook } from "../../api-types.ts";
import type { Endpoints } from "../endpoints.ts";
import type { LedgerModel } from "../ledger.ts";
import { href, type Router } from "../router.ts";
import { type OutageParts, playOutage, recover, sendOne } from "../webhooks/outage.ts";

export interface DemoParts extends OutageParts {
  status: { peek(): Status };
  endpoints: Endpoints;
  ledger: LedgerModel;
  router: Router;
}

const HOUR: Advance = { by: "1h" };
/** How long the preview of an advance is shown before it is made, milliseconds. */
const READING_MS = 1_800;
const read = () => new Promise((resolve) => setTimeout(resolve, READING_MS));

/** What each step of docs/demo.md does, in its order. */
export function demoActions(parts: DemoParts) {
  const { api, clock, status, endpoints, ledger, router, readAll } = parts;

  /** The endpoint of the demo: the newest one that a person made. */
  function endpoint(): Webhook {
    const webhook = endpoints.list.peek()?.findLast(({ seeded }) => !seeded);
    if (webhook) return webhook;
    throw new ApiError(404, {
      message: "This step needs an endpoint, and you have not made one yet.",
      hint: "Do step 1 first.",
    });
  }

  const show = (part?: string, query?: { part: string }) =>
    router.go(href(["webhooks", endpoint().id, part], query));

  async function register(): Promise<void> {
    await api.createWebhook({ url: `${status.peek().url}/_sandbox/inbox/mine` });
    await endpoints.read();
    // Without it, the newest one in the list is another.
    const error = endpoints.error.peek();
    if (error) throw error;
    show("send");
  }

  async function pay(): Promise<void> {
    show("send");
    await sendOne(api, endpoint(), clock.exact());
    await readAll();
  }

  const steps = [
    register,
    pay,
    async () => {
      await api.setFault(endpoint().id, { kind: "status", status: 503 });
      await ledger.advance({ by: "10m" });
      await pay();
    },
    async () => {
      show();
      ledger.consider(HOUR);
      await read();
      await ledger.advance(HOUR);
    },
    async () => {
      await pay();
      show();
      await ledger.advance(HOUR);
    },
    async () => {
      const { data } = await recover(api, endpoint(), "1d");
      await readAll();
      show(data[0]?.id, { part: "signature" });
    },
  ];

  /** A new endpoint is down for three hours, and gets what it missed. */
  async function watch(): Promise<void> {
    await register();
    show();
    await playOutage(parts, endpoint());
  }

  return { steps, watch };
}
