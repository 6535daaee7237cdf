import type { Static } from "typebox";
import type { Caller } from "../http/caller.ts";
import { iso, SECOND } from "../world/duration.ts";
import type { Audit } from "./audit.ts";
import type { PaymentsContext } from "./context.ts";
import { duplicate, notFound } from "./errors.ts";
import type { Organizations } from "./organizations.ts";
import { presenter } from "./present.ts";
import { createRecords, type Resource } from "./records.ts";
import type { PaymentLinkRow } from "./rows.ts";
import {
  PAYMENT_LINKS,
  type PaymentLink,
  type PaymentLinkUpdate,
  QUICK_PAY_SECONDS,
  type QuickPay,
} from "./schemas/payment-links.ts";

/**
 * An organization's payment links. A deleted link can no longer be opened, but its sessions and transactions are kept.
 * `search` matches a literal substring of the name or short code, ignoring case.
 */
export interface PaymentLinks extends Resource<typeof PAYMENT_LINKS> {
  resource(row: PaymentLinkRow): Static<typeof PaymentLink>;
  /** @throws PlatformError resource_not_found, with the body field that contains the id in `param` */
  find(org: string, id: string, param?: string): PaymentLinkRow;
  /** @throws PlatformError resource_not_found if a body refers to a link that does not exist */
  checkReference(org: string, id: string | null | undefined): void;
  /** Finds a link of any organization, for the public pages. */
  findPublic(id: string): PaymentLinkRow | undefined;
  /** Like `findPublic`, but finds the link by its short code. */
  findByCode(code: string): PaymentLinkRow | undefined;
  /** The short codes of active links, newest first. */
  shortCodes(): string[];
  /**
   * Token, chain, recipient and amount default to the product's, then to the organization's.
   * @throws PlatformError duplicate_resource if the short code is already in use; resource_not_found if the product
   * does not exist
   */
  create: Resource<typeof PAYMENT_LINKS>["create"];
  /** Creates an active, unused link with another link's terms, except for `overrides`. */
  duplicate(caller: Caller, id: string, overrides: PaymentLinkUpdate): Static<typeof PaymentLink>;
  /** Creates a link that expires automatically and needs only a recipient. */
  createQuick(caller: Caller, input: QuickPay): Static<typeof PaymentLink>;
}

export function createPaymentLinks(
  { world, origin }: PaymentsContext,
  organizations: Organizations,
  audit: Audit,
): PaymentLinks {
  const { store, clock } = world;
  const resource = presenter(PAYMENT_LINKS.item, (row: PaymentLinkRow) => ({
    url: `${origin()}/platform/pay/${row.short_code}`,
    is_active: row.active === 1,
  }));
  const records = createRecords(world, audit, {
    kind: "payment_link",
    prefix: "pl_",
    schemas: PAYMENT_LINKS,
    names: { is_active: "active" },
    show: resource,
    search: (text) => ["instr(name_folded || char(10) || lower(short_code), ?) > 0", text.toLowerCase()],
    codes: "short_code",
  });
  const { find } = records;
  const byIdAlone = store.sql<PaymentLinkRow>("select * from payment_links where id = ?");
  const activeCodes = store.sql<{ short_code: string }>(
    "select short_code from payment_links where active = 1 order by created_at desc, id",
  );
  const byCode = store.sql<PaymentLinkRow>("select * from payment_links where short_code = ?");
  const refold = store.sql("update payment_links set name_folded = ? where id = ?");
  const product = store.sql<{ amount: string | null; token_address: string | null; chain_id: number | null }>(
    "select amount, token_address, chain_id from products where id = ? and org = ?",
  );

  function checkCode(code: string | undefined, own?: string): void {
    const holder = code === undefined ? undefined : byCode.get(code);
    if (holder && holder.id !== own)
      throw duplicate("short_code", `A payment link with the short code '${code}' already exists.`);
  }

  function findProduct(org: string, id: string) {
    const row = product.get(id, org);
    if (!row) throw notFound("product", id, "product_id");
    return row;
  }

  return {
    ...records,
    resource,
    checkReference(org, id) {
      if (id != null) find(org, id, "payment_link_id");
    },
    findPublic: (id) => byIdAlone.get(id),
    shortCodes: () => activeCodes.all().map((row) => row.short_code),
    findByCode: (code) => byCode.get(code),

    create(caller, input) {
      checkCode(input.short_code);
      const own = organizations.get(caller.org);
      const item = input.product_id == null ? undefined : findProduct(caller.org, input.product_id);
      const terms = {
        ...input,
        amount: input.amount ?? item?.amount ?? null,
        token_address: input.token_address ?? item?.token_address ?? own.default_token_address,
        chain_id: input.chain_id ?? item?.chain_id ?? own.default_chain_id,
      };
      const defaults = { recipient_address: own.default_recipient_address, active: true };
      const more = { name_folded: input.name.toLowerCase(), current_uses: 0 };
      return records.add(caller, terms, defaults, more);
    },

    duplicate(caller, id, overrides) {
      const { active: _, is_active: __, short_code: ___, ...terms } = records.get(caller.org, id);
      return this.create(caller, { ...terms, ...overrides });
    },

    createQuick(caller, { expires_in: seconds = QUICK_PAY_SECONDS, ...input }) {
      return this.create(caller, {
        ...input,
        name: input.name ?? "Quick pay",
        expires_at: iso(clock.now() + seconds * SECOND),
      });
    },

    update: (caller, id, input) =>
      records.update(caller, id, input, () => {
        checkCode(input.short_code, id);
        if (input.product_id != null) findProduct(caller.org, input.product_id);
        if (input.name !== undefined) refold.run(input.name.toLowerCase(), id);
        return undefined;
      }),
  };
}
