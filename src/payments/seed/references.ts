import { between, chance, pick, type Seeding } from "./seeding.ts";
import type { SeededLink, Shop } from "./shop.ts";

/** What an integrator hangs on a checkout. */
export interface Reference {
  client_reference_id: string | null;
  metadata: Record<string, string>;
}

/** References the way shops set them: order and cart numbers, plans, invoices, tickets; sometimes nothing. */
export function makeReference(
  seeding: Seeding,
  shop: Shop,
  link: SeededLink | undefined,
  order: number,
): Reference {
  const orderId = `${shop.catalog.order_prefix}-${10_200 + order}`;
  const cartId = `cart_${seeding.world.ids.code("cart", 12)}`;
  const number = /\d+/.exec(link?.row.name ?? "")?.[0] ?? String(order);
  const source = pick(seeding, ["web", "web", "web", "ios", "android", "kiosk"]);

  switch (link?.kind) {
    case undefined:
      return {
        client_reference_id: orderId,
        metadata: { order_id: orderId, cart_id: cartId, items: String(between(seeding, 1, 6)), source },
      };
    case "product":
    case "campaign":
    case "preorder":
      if (chance(seeding, 0.22)) return { client_reference_id: null, metadata: {} };
      if (chance(seeding, 0.2)) return { client_reference_id: cartId, metadata: { cart_id: cartId } };
      return { client_reference_id: orderId, metadata: { order_id: orderId, cart_id: cartId, source } };
    case "invoice":
    case "deposit":
      return {
        client_reference_id: `inv-${number}`,
        metadata: { invoice: number, account: slug(link.row.name.split(" · ")[1] ?? "") },
      };
    case "service":
      return {
        client_reference_id: `ticket-${number}`,
        metadata: { ticket: number, technician: pick(seeding, ["jo", "ruta", "sami"]) },
      };
    case "plan": {
      const member = `user_${between(seeding, 1_040, 1_290)}`;
      const plan = slug(link.row.name.split(",")[0]!);
      return {
        client_reference_id: member,
        metadata: { plan, user_id: member, renewal: chance(seeding, 0.7) ? "true" : "false" },
      };
    }
    case "event":
      return {
        client_reference_id: chance(seeding, 0.5) ? orderId : null,
        metadata: {
          event: slug(link.row.name),
          ticket_type: pick(seeding, ["standard", "standard", "member"]),
        },
      };
    case "gift":
      return {
        client_reference_id: orderId,
        metadata: { order_id: orderId, delivery: pick(seeding, ["print", "email"]) },
      };
    case "donation":
      return { client_reference_id: null, metadata: chance(seeding, 0.5) ? { source } : {} };
  }
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/'/g, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
