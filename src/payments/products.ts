import { inserter } from "../world/save.ts";
import type { Audit } from "./audit.ts";
import type { Caller, PaymentsContext } from "./context.ts";
import { equal, listPage, type PageQuery } from "./listing.ts";
import { asFlag, asIs, asJson, type Columns, resolveAliases, updateFields } from "./patch.ts";
import type { PaymentLinks } from "./payment-links.ts";
import { presenter } from "./present.ts";
import { createRecords } from "./records.ts";
import { Product, type ProductCreate, type ProductUpdate } from "./schemas/catalog.ts";
import type { ProductLinkCreate } from "./schemas/payment-links.ts";

export interface ProductRow {
  id: string;
  org: string;
  name: string;
  description: string | null;
  amount: string | null;
  token_address: string | null;
  chain_id: number | null;
  image_url: string | null;
  active: number;
  metadata: string;
  created_at: number;
  updated_at: number;
}

const WRITABLE: Columns<ProductUpdate, ProductRow, "id" | "org" | "created_at" | "updated_at", "is_active"> =
  {
    name: asIs,
    description: asIs,
    amount: asIs,
    token_address: asIs,
    chain_id: asIs,
    image_url: asIs,
    active: asFlag,
    metadata: asJson,
  };

const NAMES = { is_active: "active" } as const;

const productResource = presenter(Product, (row: ProductRow) => ({ is_active: row.active === 1 }));

export type Products = ReturnType<typeof createProducts>;

export function createProducts({ world }: PaymentsContext, links: PaymentLinks, audit: Audit) {
  const { store, ids, clock } = world;
  const records = createRecords<ProductRow>(world, audit, "product");
  const { find } = records;
  const insert = inserter<ProductRow>(store, "products");

  return {
    get: (org: string, id: string) => productResource(find(org, id)),

    create(caller: Caller, input: ProductCreate) {
      return store.transaction(() => {
        const id = ids.next("prod_");
        const now = clock.now();
        insert({
          id,
          org: caller.org,
          name: input.name,
          description: input.description ?? null,
          amount: input.amount ?? null,
          token_address: input.token_address ?? null,
          chain_id: input.chain_id ?? null,
          image_url: input.image_url ?? null,
          active: asFlag(resolveAliases(input, NAMES).active ?? true),
          metadata: JSON.stringify(input.metadata ?? {}),
          created_at: now,
          updated_at: now,
        });
        audit.record(caller, "product.created", id, 201);
        return productResource(find(caller.org, id));
      });
    },

    update: (caller: Caller, id: string, input: ProductUpdate) =>
      productResource(
        records.update(caller, id, () => {
          updateFields(store, "products", id, resolveAliases(input, NAMES), WRITABLE, clock.now());
        }),
      ),

    /** Makes a payment link that sells the product, under its own name and description by default. */
    createLink(caller: Caller, id: string, input: ProductLinkCreate) {
      const row = find(caller.org, id);
      return links.create(caller, { name: row.name, description: row.description, ...input, product_id: id });
    },

    /** Payment links made from it keep their terms. */
    delete: records.delete,

    list(org: string, query: PageQuery & { active?: boolean }) {
      return listPage(store, "products", equal({ org, active: query.active }), query, productResource);
    },
  };
}
