import { resolveConfig } from "../../config/config.ts";
import { paymentsArea } from "../../payments/area.ts";
import type { PlatformWebhookSettings } from "../../payments/context.ts";
import { EVENT_TYPES, EVENTS } from "../../payments/webhooks/event-types.ts";
import {
  checkPlatformSecret,
  describePlatform,
  HEADER_PREFIX,
  PLATFORM_SENDER,
} from "../../payments/webhooks/platform.ts";
import { loadOnce } from "../../runtime/load-once.ts";
import { AREAS } from "../../sandbox/areas.ts";
import { makeSeedBytes } from "../../sandbox/seed.ts";
import { type FileSender, fileSender } from "../../webhooks/described.ts";
import { isSuccess } from "../../webhooks/failures.ts";
import { DEFAULT_POLICY } from "../../webhooks/policy.ts";
import { wallNow } from "../../world/clock.ts";
import { iso } from "../../world/duration.ts";
import { openCheckout, openUnserved, type Payer } from "../stories/shop.ts";
import { FUNCTION_URL, sendToHandler } from "../subject/subscriber.ts";

export type PlatformHeaders = Pick<PlatformWebhookSettings, "headerPrefix" | "deliveryId">;

/** The key for a type's body without a customer and a reference. Other platform bodies are stored under their type. */
export const bareOf = (type: string): string => `${type} of nothing in particular`;
export const TEST = "a test delivery";

const BEGAN = Date.UTC(2026, 0, 15, 9);
const CUSTOMER: Payer = {
  customer_email: "ada@example.com",
  customer_name: "Ada Lovelace",
  form_data: {
    shipping_address: { line1: "12 Analytical Row", city: "London", state: "LND", zip: "N1 9GU" },
  },
};

function platformSender(
  { headerPrefix, deliveryId }: PlatformHeaders,
  bodies: Record<string, string>,
): FileSender {
  const { signature, ...requests } = describePlatform(headerPrefix);
  const sender = fileSender({
    ...{ ...requests, headers: { ...requests.headers }, signature: { ...signature, ahead: "refused" } },
    ...{ name: PLATFORM_SENDER, events: bodies, type: "body.event", unit: "iso", time: "body.timestamp" },
    about: ["id", "client_reference_id", "checkoutSession.clientReferenceId", "tx_hash"].map(
      (place) => `body.data.${place}`,
    ),
    stories: { checkout: ["payment.failed", "payment.completed", "checkout.completed"] },
    ...{
      ids: "small",
      largest: 1_000_000,
      retries: { jitter: 0, except: [] },
      timeout: DEFAULT_POLICY.timeout,
      success: "2xx",
    },
    ...{ disable: "never", order: "none", resend: true, unlisted: true, assumed: [], notes: [], idLike: "" },
    ...{ metadata: [], changed: [], onlyListed: [], answers: [], generations: [], versionIn: {} },
  });
  return {
    ...{ ...sender, deliveryId, events: EVENT_TYPES, checkSecret: checkPlatformSecret },
    policy: { ...DEFAULT_POLICY, succeeds: isSuccess },
    makeBody: (type, _data, _id, at) => sender.example(type).replaceAll(iso(BEGAN), iso(at)),
  };
}

/** The platform as a sender whose example bodies are all `{}`. */
export const PLATFORM = platformSender(
  { headerPrefix: HEADER_PREFIX, deliveryId: "attempt" },
  Object.fromEntries(EVENT_TYPES.map((type) => [type, "{}"])),
);

/** The platform as a sender, with real request bodies that a separate world produced. */
export const openPlatform = async (headers: PlatformHeaders): Promise<FileSender> =>
  platformSender(headers, await realBodies.get());

/** Collects bodies by causing every event in a world whose webhook calls a function. */
const realBodies = loadOnce(async () => {
  const bodies: Record<string, string> = {};
  let isBare = false;
  const settings = resolveConfig(
    { seed: "check", startAt: iso(BEGAN), clock: { mode: "paused" } },
    wallNow(),
  );
  const { sandbox, close } = await openUnserved(settings, await makeSeedBytes(settings, AREAS, 0));
  sandbox.webhooks.engine.carriedBy(() => (request, { event, trigger }) => {
    bodies[trigger === "test" ? TEST : isBare ? bareOf(event) : event] = request.body!;
    return sendToHandler(() => new Response(), request);
  });
  try {
    const { clock, payments, webhooks } = sandbox;
    const platform = sandbox.part(paymentsArea);
    const webhook = webhooks.create({ url: FUNCTION_URL, events: ["*"] }, { url: "/check" });
    const { id: link } = payments.createLink({ name: "Check", amount: "2500000" }, { url: "/check" });
    for (isBare of [false, true]) {
      const [customer, reference] = isBare ? [{}, undefined] : [CUSTOMER, "order-7"];
      for (const type of EVENT_TYPES) {
        const { session, pay } = openCheckout(sandbox, { reference, link });
        await EVENTS[type].cause({ session, pay: (outcome) => pay({ ...customer, outcome }), platform });
      }
      await clock.advance({ by: 0 });
    }
    await webhooks.test(webhook);
    await clock.advance({ by: 0 });
    return bodies;
  } finally {
    await close();
  }
});
