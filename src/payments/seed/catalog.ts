import { DAY, HOUR, MINUTE } from "../../world/duration.ts";
import { dayOf } from "../days.ts";
import type { DiscountCodeRow } from "../discount-codes.ts";
import type { SessionRow } from "../rows.ts";
import type { WidgetRow } from "../widgets.ts";
import { cents } from "../worth.ts";
import { CHAINS, units } from "./chains.ts";
import { between, chance, pick, type Seeding } from "./seeding.ts";
import type { History, SeededDiscount, Shop } from "./shop.ts";

/** Products: most from the first days, a few added later, some edited, one in ten withdrawn. */
export function seedProducts(seeding: Seeding, shop: Shop): void {
  const { world, save, trail, start } = seeding;
  const { default_chain_id: chainId, default_token_address: tokenAddress, id: org } = shop.organization;
  const token = CHAINS.find(({ id }) => id === chainId)!.tokens.find(
    ({ address }) => address === tokenAddress,
  )!;
  for (const [index, product] of shop.catalog.products.entries()) {
    const early = index % 5 !== 4;
    const createdAt =
      start +
      (early ? 2 * HOUR + index * 7 * MINUTE : between(seeding, 6, 50) * DAY) +
      between(seeding, 0, 5 * MINUTE);
    const edited = chance(seeding, 0.4);
    const updatedAt = edited
      ? createdAt + between(seeding, 2, 60) * DAY + between(seeding, 0, 9 * HOUR)
      : createdAt;
    const id = world.ids.next("prod_");
    save("products", {
      id,
      org,
      name: product.name,
      description: product.description,
      amount: units(cents(product.price), token),
      token_address: token.address,
      chain_id: chainId,
      image_url: `https://cdn.${shop.catalog.domain}/products/${product.sku.toLowerCase()}.jpg`,
      active: edited && index % 4 === 1 ? 0 : 1,
      metadata: JSON.stringify({ sku: product.sku, category: product.category }),
      created_at: createdAt,
      updated_at: updatedAt,
    });
    trail.push({ org, type: "product.created", resourceId: id, at: createdAt });
    if (edited) trail.push({ org, type: "product.updated", resourceId: id, at: updatedAt });
    const { name, description, price } = product;
    shop.products.push({ id, name, description, price, createdAt });
  }
}

/** Makes the discount codes that checkouts then use; `saveDiscounts` writes them with their counts. */
export function draftDiscounts(seeding: Seeding, shop: Shop): void {
  const { world, start, now } = seeding;
  for (const [index, code] of shop.catalog.discounts.entries()) {
    const bound = shop.links.find(({ kind, row }) => kind === "product" && row.name === code.product);
    const createdAt = Math.max(
      start + (3 + index * 4) * DAY + between(seeding, 8 * HOUR, 17 * HOUR),
      bound ? bound.row.created_at + HOUR : 0,
    );
    const end = createdAt + between(seeding, 18, 45) * DAY;
    const closedAt = code.state === "inactive" ? end : null;
    const expiresAt =
      code.state === "expired"
        ? end
        : code.state === "open" && index % 3 === 1
          ? now + between(seeding, 10, 60) * DAY
          : null;
    const row: DiscountCodeRow = {
      id: world.ids.next("disc_"),
      org: shop.organization.id,
      code: code.code,
      discount_type: code.type === "fixed" ? "fixed" : "percentage",
      discount_value: code.type === "fixed" ? `${cents(code.value)}0000` : code.value,
      min_order_amount: null,
      max_uses: code.max_uses,
      current_uses: 0,
      expires_at: expiresAt,
      payment_link_id: bound?.row.id ?? null,
      active: closedAt === null ? 1 : 0,
      created_at: createdAt,
      updated_at: closedAt ?? createdAt,
    };
    shop.discounts.push({ row, state: code.state, closedAt });
  }
}

/** Writes the codes. One that was to be used up is, whatever was left of it. */
export function saveDiscounts({ save, trail }: Seeding, { discounts }: Shop): void {
  for (const { row, state, closedAt } of discounts) {
    if (state === "used_up" && row.current_uses > 0) row.max_uses = row.current_uses;
    save("discount_codes", row);
    trail.push({ org: row.org, type: "discount_code.created", resourceId: row.id, at: row.created_at });
    if (closedAt !== null)
      trail.push({ org: row.org, type: "discount_code.updated", resourceId: row.id, at: closedAt });
  }
}

/** Whether a code applies to a checkout of a link that is opened at an instant, and still does when it ends. */
export function applies({ row, closedAt }: SeededDiscount, linkId: string | null, at: number): boolean {
  return (
    row.created_at <= at &&
    (closedAt === null || at + HOUR < closedAt) &&
    (row.expires_at === null || at + HOUR < row.expires_at) &&
    (row.max_uses === null || row.current_uses < row.max_uses) &&
    (row.payment_link_id === null || row.payment_link_id === linkId)
  );
}

/** Widgets: what the shop has put on its pages. */
export function seedWidgets(seeding: Seeding, shop: Shop, { sessions }: History): void {
  const { world, save, trail, start, now } = seeding;
  const org = shop.organization.id;
  const open = shop.links.filter(({ kind, row }) => kind === "product" && row.active === 1);
  for (const [index, widget] of shop.catalog.widgets.entries()) {
    const link = widget.linked ? pick(seeding, open) : undefined;
    const createdAt =
      Math.max(start + (4 + index * 9) * DAY, link?.row.created_at ?? 0) +
      between(seeding, 8 * HOUR, 17 * HOUR);
    const edited = !widget.active || chance(seeding, 0.4);
    const updatedAt = edited ? createdAt + between(seeding, 3, 20) * DAY : createdAt;
    const id = world.ids.next("wid_");
    const visits = seedVisits(seeding, sessions, {
      id,
      linkId: link?.row.id ?? null,
      from: createdAt,
      to: widget.active ? now : updatedAt,
    });
    save("widgets", {
      id,
      org,
      short_code: world.ids.code("widget_code", 6),
      name: widget.name,
      description: widget.description,
      widget_type: widget.widget_type,
      config: JSON.stringify(widget.config),
      theme: JSON.stringify(widget.theme),
      payment_link_id: link?.row.id ?? null,
      active: widget.active ? 1 : 0,
      current_views: visits,
      created_at: createdAt,
      updated_at: updatedAt,
    } satisfies WidgetRow);
    trail.push({ org, type: "widget.created", resourceId: id, at: createdAt });
    if (edited) trail.push({ org, type: "widget.updated", resourceId: id, at: updatedAt });
  }
}

interface Stay {
  /** The widget. */
  id: string;
  linkId: string | null;
  from: number;
  to: number;
}

/**
 * Writes the views of a widget, day by day, and says of two in three sessions of its payment link that they were opened
 * there. Draws from a stream of its own, so that nothing else of the seed depends on it.
 * @returns all views
 */
function seedVisits(
  { world, save }: Seeding,
  sessions: readonly SessionRow[],
  { id, linkId, from, to }: Stay,
): number {
  const opened = new Map<string, number>();
  const ofLink = sessions.filter(
    (row) =>
      linkId !== null &&
      row.payment_link_id === linkId &&
      row.widget_id === null &&
      row.created_at >= from &&
      row.created_at <= to,
  );
  for (const [index, row] of ofLink.entries()) {
    if (index % 3 === 2) continue;
    row.widget_id = id;
    const day = dayOf(row.created_at);
    opened.set(day, (opened.get(day) ?? 0) + 1);
  }
  let total = 0;
  for (let at = from - (from % DAY); at <= to; at += DAY) {
    const day = dayOf(at);
    const passersBy = Math.floor(world.random.fraction("widget_views") * 9);
    const views = passersBy + 3 * (opened.get(day) ?? 0);
    if (views === 0) continue;
    save("widget_views", { widget_id: id, day, views });
    total += views;
  }
  return total;
}
