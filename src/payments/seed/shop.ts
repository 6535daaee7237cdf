import catalog from "../../../fixtures/payments/catalog.json" with { type: "json" };
import type { DiscountCodeRow } from "../discount-codes.ts";
import type { OrganizationRow, PaymentLinkRow, SessionRow, TransactionRow } from "../rows.ts";
import type { Currency } from "./chains.ts";

/** What went through a shop's checkouts. */
export interface History {
  sessions: SessionRow[];
  transactions: TransactionRow[];
}

interface CatalogProduct {
  name: string;
  description: string;
  price: string;
  sku: string;
  category: string;
}

interface CatalogDiscount {
  code: string;
  type: string;
  value: string;
  state: string;
  max_uses: number | null;
  /** The product whose link it is bound to. */
  product: string | null;
}

interface CatalogWidget {
  name: string;
  description: string | null;
  widget_type: string;
  linked: boolean;
  active: boolean;
  config: object;
  theme: object;
}

/** What an organization sells and how it speaks; see fixtures/payments/catalog.json. */
export interface ShopCatalog {
  domain: string;
  order_prefix: string;
  products: CatalogProduct[];
  discounts: CatalogDiscount[];
  widgets: CatalogWidget[];
  channels: string[];
  clients: string[];
  events: string[][];
  services: string[][];
  plans: string[][];
  causes: string[];
  preorders: string[][];
  descriptions: Record<string, (string | null)[]>;
  gift_amounts: string[];
  deposits: string[];
}

/** The shops, by the position of their organization. */
export const SHOPS: readonly ShopCatalog[] = catalog.shops;

export interface SeededProduct {
  id: string;
  name: string;
  description: string;
  price: string;
  createdAt: number;
}

export const LINK_KINDS = [
  "product",
  "campaign",
  "invoice",
  "deposit",
  "event",
  "service",
  "plan",
  "donation",
  "gift",
  "preorder",
] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

export interface SeededLink {
  row: PaymentLinkRow;
  kind: LinkKind;
  currency: Currency;
  /** How much it draws, beside the others. */
  weight: number;
  /** When it was switched off, if it was. */
  closedAt: number | null;
}

export interface SeededDiscount {
  row: DiscountCodeRow;
  /** `open`, `used_up`, `expired`, `bound` to a link, or `inactive` since `closedAt`. */
  state: string;
  closedAt: number | null;
}

/** An organization while it is seeded. */
export interface Shop {
  organization: OrganizationRow;
  catalog: ShopCatalog;
  products: SeededProduct[];
  links: SeededLink[];
  discounts: SeededDiscount[];
}
