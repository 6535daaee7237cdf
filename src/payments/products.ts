import type { Static } from "typebox";
import type { Caller } from "../http/caller.ts";
import type { Audit } from "./audit.ts";
import type { PaymentsContext } from "./context.ts";
import type { PaymentLinks } from "./payment-links.ts";
import { presenter } from "./present.ts";
import { createRecords, type Resource } from "./records.ts";
import type { ProductRow } from "./rows.ts";
import { PRODUCTS } from "./schemas/catalog.ts";
import type { PaymentLink, ProductLinkCreate } from "./schemas/payment-links.ts";

const productResource = presenter(PRODUCTS.item, (row: ProductRow) => ({ is_active: row.active === 1 }));

/** An organization's products. Changing or deleting a product does not affect its payment links. */
export interface Products extends Resource<typeof PRODUCTS> {
  /** Creates a payment link for the product. Its name and description default to the product's. */
  createLink(caller: Caller, id: string, input: ProductLinkCreate): Static<typeof PaymentLink>;
}

export function createProducts({ world }: PaymentsContext, links: PaymentLinks, audit: Audit): Products {
  const records = createRecords(world, audit, {
    kind: "product",
    prefix: "prod_",
    schemas: PRODUCTS,
    names: { is_active: "active" },
    show: productResource,
  });

  return {
    ...records,
    create: (caller, input) => records.add(caller, input, { active: true, metadata: {} }),
    createLink(caller, id, input) {
      const { name, description } = records.find(caller.org, id);
      return links.create(caller, { name, description, ...input, product_id: id });
    },
  };
}
