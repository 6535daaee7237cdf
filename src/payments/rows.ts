import type { Static, TSchema } from "typebox";
import type { ApiKey, AuditEvent, Organization } from "./schemas/account.ts";
import type { DiscountCode, Product, Widget } from "./schemas/catalog.ts";
import type { CheckoutSession } from "./schemas/checkout-sessions.ts";
import type { Customer } from "./schemas/customers.ts";
import type { PaymentLink } from "./schemas/payment-links.ts";
import type { Transaction } from "./schemas/transactions.ts";

/**
 * Rows of the payments tables (see tables.ts). They are used only inside the area; present.ts converts them to
 * resources. Columns that a resource shows are declared only in its schema.
 */

/**
 * The type of the column for a resource's field: milliseconds for instants, 0 or 1 for flags, JSON text for objects.
 */
type Column<Name, Shown> = Shown extends null
  ? null
  : Name extends `${string}_at`
    ? number
    : Shown extends boolean
      ? number
      : Shown extends object
        ? string
        : Shown;

/** @typeParam Made fields that are computed from other columns */
type Shown<Schema extends TSchema, Made extends keyof Static<Schema> = never> = {
  [Name in Exclude<keyof Static<Schema>, "object" | Made>]: Column<Name, Static<Schema>[Name]>;
} & { org: string };

export type OrganizationRow = Omit<Shown<typeof Organization>, "org"> & {
  owner_email: string;
  position: number;
};

export type ApiKeyRow = Shown<typeof ApiKey, "permissions" | "status"> & { hash: string };

export type AuditRow = Shown<typeof AuditEvent>;

export type ProductRow = Shown<typeof Product, "is_active">;

export type DiscountCodeRow = Shown<
  typeof DiscountCode,
  "type" | "value" | "is_active" | "discount_value"
> & {
  discount_value: string;
};

export type WidgetRow = Shown<typeof Widget, "url" | "is_active">;

export type PaymentLinkRow = Shown<typeof PaymentLink, "url" | "is_active"> & { name_folded: string };

export type SessionRow = Shown<typeof CheckoutSession, "url"> & {
  /** The widget whose page opened the session. */
  widget_id: string | null;
  /** 1 for rows from the seeded history, 0 for others. */
  seeded: number;
};

export type TransactionRow = Shown<typeof Transaction>;

export type CustomerRow = Shown<typeof Customer, "total_paid" | "total_paid_usd" | "paid_by_token"> & {
  /** Name, e-mail address and wallet in lower case, for search. */
  folded: string;
  /** The total of completed payments in US cents, for sorting. */
  paid_cents: number;
};
