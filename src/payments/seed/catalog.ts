import { HOUR, MINUTE } from "../../world/duration.ts";
import type { RowOf } from "../fixtures/description.ts";
import { cents } from "../worth.ts";
import { SHARES, units } from "./currencies.ts";
import { draftOffer, type Offer, type Seeding, type Shop } from "./seeding.ts";

/**
 * The short code of the main shop's first product. The product's link always exists and is open, so guides can use it.
 */
const SHOWCASE_CODE = "coffee";

export type Product = RowOf<"products">;
export type Link = Offer<RowOf<"payment_links">>;
export type Code = Offer<RowOf<"discount_codes">>;

/** Generates a shop's products. One in five was added later, and one in eight was withdrawn. */
export function draftProducts({ at }: Seeding, { organization, domain, products }: Shop): Product[] {
  return products.map((product, index) => {
    const created_at = at(index % 5 === 4 ? 0.1 + index / 100 : index / 1_000);
    const active = index % 8 !== 7;
    return {
      ...product,
      organization: organization.id,
      token_address: organization.default_token_address,
      chain_id: organization.default_chain_id,
      image_url: `https://cdn.${domain}/products/${product.metadata.sku.toLowerCase()}.jpg`,
      active,
      created_at,
      updated_at: active ? created_at : at(0.6 + index / 100),
    };
  });
}

/** Generates one payment link per product, plus the links in the catalog. */
export function draftLinks(seeding: Seeding, shop: Shop, products: readonly Product[]): Link[] {
  const { draws, at } = seeding;
  const organization = shop.organization.id;
  const return_url = `https://shop.${shop.domain}/thank-you`;
  const dealShare = draws.deal(SHARES);
  const own = products.map(({ name, description, created_at }, index) => {
    const showcase = shop.organization.position === 0 && index === 0 && { short_code: SHOWCASE_CODE };
    const row = { organization, name, product: name, description: description!, return_url, ...showcase };
    return draftOffer(seeding, row, "open", Number(created_at) + MINUTE);
  });
  const others = shop.links.map(([name, price, state], index) => {
    const currency = dealShare();
    const amount = price === null ? {} : { amount: units(cents(price), currency) };
    return draftOffer(
      seeding,
      { organization, name, ...currency, ...amount },
      state,
      at(0.02 + (0.8 * index) / shop.links.length),
    );
  });
  return [...own, ...others];
}

/** Generates the discount codes. A code for a particular payment link works only with that link. */
export function draftCodes(seeding: Seeding, shop: Shop, links: readonly Link[]): Code[] {
  return shop.discounts.map(({ state, ...code }, index) => {
    const opens = links.find(({ row }) => row.name === code.payment_link)?.opens ?? 0;
    const row = { ...code, organization: shop.organization.id };
    return draftOffer(seeding, row, state, Math.max(seeding.at(0.04 + 0.03 * index), opens + HOUR));
  });
}
