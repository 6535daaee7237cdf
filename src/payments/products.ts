import type { Audit } from "./audit.ts";
import type { Caller, PaymentsContext } from "./context.ts";
import { columnsOf } from "./patch.ts";
import type { PaymentLinks } from "./payment-links.ts";
import { presenter } from "./present.ts";
import { createRecords } from "./records.ts";
import type { ProductRow } from "./rows.ts";
import { Product, type ProductCreate, ProductUpdate } from "./schemas/catalog.ts";
import type { ProductLinkCreate } from "./schemas/payment-links.ts";

const productResource = presenter(Product, (row: ProductRow) => ({ is_active: row.active === 1 }));

export type Products = ReturnType<typeof createProducts>;

export function createProducts({ world }: PaymentsContext, links: PaymentLinks, audit: Audit) {
  const records = createRecords(world, audit, {
    kind: "product",
    prefix: "prod_",
    writable: columnsOf(ProductUpdate, "is_active"),
    names: { is_active: "active" },
    filters: ["active"],
    show: productResource,
  });

  return {
    /** Payment links of a deleted or changed product keep their terms. */
    ...records,

    create: (caller: Caller, input: ProductCreate) =>
      records.add(caller, input, { active: true, metadata: {} }),

    /** Makes a payment link that sells the product, under its own name and description by default. */
    createLink(caller: Caller, id: string, input: ProductLinkCreate) {
      const { name, description } = records.find(caller.org, id);
      return links.create(caller, { name, description, ...input, product_id: id });
    },
  };
}
