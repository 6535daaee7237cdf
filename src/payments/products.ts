import { iso } from "../world/duration.ts";
import { inserter } from "../world/save.ts";
import type { Audit } from "./audit.ts";
import type { Caller, PaymentsContext } from "./context.ts";
import { notFound } from "./errors.ts";
import { listPage, type PageQuery } from "./listing.ts";
import { asFlag, asIs, asJson, type Columns, resolveAliases, updateFields } from "./patch.ts";
import type { PaymentLinks } from "./payment-links.ts";
import type { ProductCreate, ProductUpdate } from "./schemas/catalog.ts";
import type { Metadata } from "./schemas/common.ts";
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

const WRITABLE: Columns<ProductUpdate> = {
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

export type Products = ReturnType<typeof createProducts>;

export function createProducts({ world }: PaymentsContext, links: PaymentLinks, audit: Audit) {
  const { store, ids, clock } = world;
  const byId = store.sql<ProductRow>("select * from products where id = ? and org = ?");
  const insert = inserter<ProductRow>(store, "products");
  const remove = store.sql("delete from products where id = ?");

  function find(org: string, id: string): ProductRow {
    const row = byId.get(id, org);
    if (!row) throw notFound("product", id);
    return row;
  }

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

    update(caller: Caller, id: string, input: ProductUpdate) {
      return store.transaction(() => {
        find(caller.org, id);
        updateFields(store, "products", id, resolveAliases(input, NAMES), WRITABLE, clock.now());
        audit.record(caller, "product.updated", id, 200);
        return productResource(find(caller.org, id));
      });
    },

    /** Makes a payment link that sells the product, under its own name and description by default. */
    createLink(caller: Caller, id: string, input: ProductLinkCreate) {
      const row = find(caller.org, id);
      return links.create(caller, { name: row.name, description: row.description, ...input, product_id: id });
    },

    /** Payment links made from it keep their terms. */
    delete(caller: Caller, id: string) {
      return store.transaction(() => {
        find(caller.org, id);
        remove.run(id);
        audit.record(caller, "product.deleted", id, 200);
        return { object: "product" as const, id, deleted: true as const };
      });
    },

    list(org: string, query: PageQuery & { active?: boolean }) {
      const { rows, total } = listPage<ProductRow>(
        store,
        "products",
        [["org = ?", org], query.active === undefined ? undefined : ["active = ?", asFlag(query.active)]],
        query,
      );
      return { data: rows.map(productResource), total };
    },
  };
}

function productResource(row: ProductRow) {
  return {
    object: "product" as const,
    id: row.id,
    name: row.name,
    description: row.description,
    amount: row.amount,
    token_address: row.token_address,
    chain_id: row.chain_id,
    image_url: row.image_url,
    active: row.active === 1,
    is_active: row.active === 1,
    metadata: JSON.parse(row.metadata) as Metadata,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}
