import { DAY, HOUR, MINUTE } from "../../world/duration.ts";
import type { PaymentLinkRow } from "../rows.ts";
import { type Currency, SHARES, units } from "./chains.ts";
import { draftLink, type LinkDraft, productLink } from "./link-drafts.ts";
import { between, chance, instants, type Seeding, weighted } from "./seeding.ts";
import type { LinkKind, Shop } from "./shop.ts";

/** How many links of each kind a shop made, besides one for each product. */
export type LinkPlan = Partial<Record<Exclude<LinkKind, "product">, number>>;

export const MAIN_LINKS: LinkPlan = {
  campaign: 42,
  invoice: 64,
  deposit: 14,
  event: 40,
  service: 28,
  plan: 16,
  donation: 10,
  gift: 24,
  preorder: 10,
};
export const OTHER_LINKS: LinkPlan = { campaign: 2, event: 2, donation: 1, preorder: 1 };

/** How many links were deleted: the audit trail still knows them. */
const DELETED = 11;
const NAME_TRIES = 40;

/** The short code of the main shop's first product: always there, always open, so that guides can name it. */
export const SHOWCASE_CODE = "coffee";

/** Draws up a shop's payment links; `saveLinks` writes them, with their uses, once checkouts were made. */
export function draftLinks(seeding: Seeding, shop: Shop, plan: LinkPlan): void {
  const { faker, start, now } = seeding;
  const names = new Set<string>();
  for (const [index, product] of shop.products.entries()) {
    names.add(product.name);
    addLink(
      seeding,
      shop,
      "product",
      product.createdAt + between(seeding, 1, 4) * MINUTE,
      productLink(product, 6 + ((index * 7) % 23)),
    );
  }
  const kinds = Object.entries(plan).flatMap(([kind, count]) =>
    new Array<string>(count).fill(kind),
  ) as Exclude<LinkKind, "product">[];
  const order = faker.helpers.shuffle(kinds);
  const times = instants(seeding, "staff", {
    count: order.length,
    from: start + 8 * HOUR,
    to: now - 3 * HOUR,
  });
  const serials = new Map<string, number>();
  for (const [index, kind] of order.entries()) {
    const at = times[index]!;
    const serial = (serials.get(kind) ?? 0) + 1;
    serials.set(kind, serial);
    addLink(
      seeding,
      shop,
      kind,
      at,
      unnamed(names, () => draftLink(seeding, shop, kind, at, serial)),
    );
  }
}

/** Draws again until the name is unused; the last resort is a number. */
function unnamed(names: Set<string>, draw: () => LinkDraft): LinkDraft {
  let draft = draw();
  for (let tries = 0; names.has(draft.name) && tries < NAME_TRIES; tries += 1) draft = draw();
  const { name } = draft;
  for (let copy = 2; names.has(draft.name); copy += 1) draft = { ...draft, name: `${name} (${copy})` };
  names.add(draft.name);
  return draft;
}

function addLink(seeding: Seeding, shop: Shop, kind: LinkKind, at: number, draft: LinkDraft): void {
  const { ids } = seeding.world;
  const { organization, links } = shop;
  const showcase = organization.position === 0 && links.length === 0;
  const currency = showcase ? ownCurrency(shop) : currencyFor(seeding, shop, kind);
  const taken = new Set(links.map(({ row }) => row.short_code));
  let code = showcase ? SHOWCASE_CODE : ids.code("short_code", 6);
  while (taken.has(code)) code = ids.code("short_code", 6);
  const closes = chance(seeding, kind === "product" ? 0.05 : 0.12) && !showcase;
  const closedAt = closes ? later(seeding, at) : null;
  const editedAt = closedAt ?? (chance(seeding, 0.12) ? later(seeding, at) : null);
  const row: PaymentLinkRow = {
    id: ids.next("pl_"),
    org: organization.id,
    name: draft.name,
    name_folded: draft.name.toLowerCase(),
    short_code: code,
    description: draft.description,
    amount: draft.price === null ? null : units(draft.price, currency.token),
    token_address: currency.token.address,
    chain_id: currency.chainId,
    recipient_address: organization.default_recipient_address,
    active: closedAt === null ? 1 : 0,
    current_uses: 0,
    max_uses: draft.maxUses,
    expires_at: draft.expiresAt,
    product_id: draft.productId,
    return_url: chance(seeding, 0.4) ? `https://shop.${shop.catalog.domain}/thank-you` : null,
    created_at: at,
    updated_at: editedAt ?? at,
  };
  links.push({ row, kind, currency, weight: draft.weight, closedAt });
  note(seeding, row.org, row.id, "payment_link.created", at);
  if (editedAt !== null) note(seeding, row.org, row.id, "payment_link.updated", editedAt);
}

/** Products and plans sell in the shop's own currency; what is sent to people follows what they pay in. */
function currencyFor(seeding: Seeding, shop: Shop, kind: LinkKind): Currency {
  if ((kind === "product" || kind === "plan") && chance(seeding, 0.6)) return ownCurrency(shop);
  return weighted(seeding, SHARES);
}

function ownCurrency({ organization }: Shop): Currency {
  return SHARES.find(
    ({ value }) =>
      value.chainId === organization.default_chain_id &&
      value.token.address === organization.default_token_address,
  )!.value;
}

/** Some time after `at` and before now. */
function later(seeding: Seeding, at: number): number {
  const wished = at + between(seeding, 2, 40) * DAY + between(seeding, 0, 4 * HOUR);
  return wished < seeding.now - HOUR ? wished : at + Math.floor((seeding.now - at) / 2);
}

/** Writes the links, and notes those that are gone. */
export function saveLinks(seeding: Seeding, { links, organization }: Shop): void {
  for (const { row } of links) seeding.save("payment_links", row);
  if (links.length < DELETED * 10) return;
  const times = instants(seeding, "staff", {
    count: DELETED,
    from: seeding.start + DAY,
    to: seeding.now - 6 * DAY,
  });
  for (const at of times) {
    const id = seeding.world.ids.next("pl_");
    note(seeding, organization.id, id, "payment_link.created", at);
    note(
      seeding,
      organization.id,
      id,
      "payment_link.deleted",
      at + between(seeding, 3, 4 * 24 * 60) * MINUTE,
    );
  }
}

function note(
  { trail }: Seeding,
  org: string,
  resourceId: string,
  type: "payment_link.created" | "payment_link.updated" | "payment_link.deleted",
  at: number,
): void {
  trail.push({ org, type, resourceId, at });
}
