import { DAY, HOUR } from "../../world/duration.ts";
import { cents } from "../worth.ts";
import { between, chance, pick, type Seeding } from "./seeding.ts";
import type { LinkKind, SeededProduct, Shop } from "./shop.ts";

/** A payment link as a person at the shop would name it. */
export interface LinkDraft {
  name: string;
  description: string | null;
  /** In cents of a dollar; null lets the payer decide. */
  price: number | null;
  productId: string | null;
  maxUses: number | null;
  expiresAt: number | null;
  weight: number;
}

const monthOf = (day: Date): string => day.toLocaleDateString("en", { month: "long", timeZone: "UTC" });

/** The link that sells a product for as long as there is one. */
export function productLink(product: SeededProduct, weight: number): LinkDraft {
  return {
    ...blank,
    name: product.name,
    description: product.description,
    price: cents(product.price),
    productId: product.id,
    weight,
  };
}

/** Makes up a link of a kind, as of an instant; `serial` numbers the links of that kind. */
export function draftLink(
  seeding: Seeding,
  shop: Shop,
  kind: Exclude<LinkKind, "product">,
  at: number,
  serial: number,
): LinkDraft {
  const { catalog } = shop;
  const base = { ...blank, description: pick(seeding, catalog.descriptions[kind]!) };
  const inDays = (days: number) => at + days * DAY;
  const offer = (list: string[][]) => {
    const [name, price, slug] = pick(seeding, list) as [string, string, string?];
    return { name, price: cents(price), slug };
  };

  switch (kind) {
    case "campaign": {
      const product = pick(
        seeding,
        shop.products.filter(({ createdAt }) => createdAt < at),
      );
      const expiresAt = chance(seeding, 0.35) ? inDays(between(seeding, 7, 45)) : null;
      const maxUses = chance(seeding, 0.25) ? between(seeding, 3, 10) : null;
      const { name, price } = product;
      return {
        ...base,
        name: `${name} · ${pick(seeding, catalog.channels)}`,
        price: cents(price),
        productId: product.id,
        maxUses,
        expiresAt,
        weight: between(seeding, 2, 12),
      };
    }
    case "invoice": {
      const price = between(seeding, 90, 2_400) * 100 + pick(seeding, [0, 0, 25, 40, 50, 80, 95]);
      return {
        ...base,
        name: `Invoice ${2_000 + serial} · ${pick(seeding, catalog.clients)}`,
        price,
        maxUses: 1,
        expiresAt: inDays(30),
        weight: 8,
      };
    }
    case "deposit": {
      const name = `Deposit, ${pick(seeding, catalog.deposits)} · ${pick(seeding, catalog.clients)}`;
      return { ...base, name, price: between(seeding, 3, 40) * 5_000, maxUses: 1, weight: 8 };
    }
    case "event": {
      const day = new Date(inDays(between(seeding, 8, 28)));
      const doors = Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate(), 18);
      const { name, price } = offer(catalog.events);
      return {
        ...base,
        name: `${name}, ${day.getUTCDate()} ${monthOf(day)}`,
        price,
        maxUses: between(seeding, 4, 16),
        expiresAt: doors,
        weight: 9,
      };
    }
    case "service": {
      const { name, price } = offer(catalog.services);
      return {
        ...base,
        name: `${name} · ticket ${4_100 + serial * 3}`,
        price,
        maxUses: 1,
        expiresAt: chance(seeding, 0.5) ? inDays(14) : null,
        weight: 8,
      };
    }
    case "plan": {
      const month = monthOf(new Date(inDays(14)));
      const { name, price } = offer(catalog.plans);
      return {
        ...base,
        name: `${name}, ${month}`,
        price,
        expiresAt: inDays(between(seeding, 28, 35)),
        weight: 14,
      };
    }
    case "donation":
      return { ...base, name: pick(seeding, catalog.causes), price: null, weight: between(seeding, 3, 9) };
    case "gift": {
      const price = cents(pick(seeding, catalog.gift_amounts));
      return {
        ...base,
        name: `Gift card for ${seeding.faker.person.firstName()}`,
        price,
        maxUses: 1,
        expiresAt: inDays(90),
        weight: 6,
      };
    }
    case "preorder": {
      const { name, price } = offer(catalog.preorders);
      const closes = chance(seeding, 0.5)
        ? inDays(between(seeding, 20, 60)) - between(seeding, 0, 10) * HOUR
        : null;
      return { ...base, name, price, maxUses: between(seeding, 12, 80), expiresAt: closes, weight: 10 };
    }
  }
}

const blank: LinkDraft = {
  name: "",
  description: null,
  price: null,
  productId: null,
  maxUses: null,
  expiresAt: null,
  weight: 1,
};
