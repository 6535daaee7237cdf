import type { Audit } from "./audit.ts";
import type { Caller, PaymentsContext } from "./context.ts";
import { equal, listPage, type PageQuery } from "./listing.ts";
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
  const { store } = world;
  const records = createRecords<ProductRow>(world, audit, {
    kind: "product",
    prefix: "prod_",
    writable: columnsOf(ProductUpdate, "is_active"),
    names: { is_active: "active" },
  });
  const { find } = records;

  return {
    get: (org: string, id: string) => productResource(find(org, id)),

    create: (caller: Caller, input: ProductCreate) =>
      store.transaction(() => productResource(records.add(caller, input, { active: true, metadata: {} }))),

    update: (caller: Caller, id: string, input: ProductUpdate) =>
      productResource(records.update(caller, id, input)),

    /** Makes a payment link that sells the product, under its own name and description by default. */
    createLink(caller: Caller, id: string, input: ProductLinkCreate) {
      const row = find(caller.org, id);
      return links.create(caller, { name: row.name, description: row.description, ...input, product_id: id });
    },

    /** Payment links of the product keep their terms. */
    delete: records.delete,

    list(org: string, query: PageQuery & { active?: boolean }) {
      return listPage(store, "products", equal({ org, active: query.active }), query, productResource);
    },
  };
}
