import type { Static, TSchema } from "typebox";
import type { ApiKey, AuditEvent, Organization } from "./schemas/account.ts";
import type { DiscountCode, Product, Widget } from "./schemas/catalog.ts";
import type { CheckoutSession } from "./schemas/checkout-sessions.ts";
import type { Customer } from "./schemas/customers.ts";
import type { PaymentLink } from "./schemas/payment-links.ts";
import type { Transaction } from "./schemas/transactions.ts";

/**
 * Rows of the payments tables (see tables.ts). They never leave the area, which converts them to resources (present.ts). A column
 * that a resource shows is declared only in its schema.
 */

/** The form of a column for a resource's field: an instant in milliseconds, a flag as 0 or 1, an object as JSON text. */
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
  /** The widget on whose page it was opened. */
  widget_id: string | null;
  /** 1 for rows of the seeded history, 0 for later ones. */
  seeded: number;
};

export type TransactionRow = Shown<typeof Transaction>;

export type CustomerRow = Shown<typeof Customer, "total_paid" | "total_paid_usd" | "paid_by_token"> & {
  /** Name, e-mail address and wallet in lower case, for searches. */
  folded: string;
  /** The worth of completed payments in cents of a dollar, for sorting. */
  paid_cents: number;
};
