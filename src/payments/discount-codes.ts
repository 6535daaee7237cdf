import { iso, isoOrNull } from "../world/duration.ts";
import type { Audit } from "./audit.ts";
import type { Caller, PaymentsContext } from "./context.ts";
import { invalidField, notFound, PlatformError } from "./errors.ts";
import { listPage, type PageQuery } from "./listing.ts";
import { asFlag, asInstant, asIs, type Columns, updateFields } from "./patch.ts";
import type { PaymentLinks } from "./payment-links.ts";
import type { DiscountCodeCreate, DiscountCodeUpdate } from "./schemas/catalog.ts";

export interface DiscountCodeRow {
  id: string;
  org: string;
  code: string;
  discount_type: "percentage" | "fixed";
  discount_value: string;
  max_uses: number | null;
  current_uses: number;
  expires_at: number | null;
  payment_link_id: string | null;
  active: number;
  created_at: number;
  updated_at: number;
}

/** What a code does to an amount, or why it does nothing. Amounts in the token's smallest unit. */
export interface DiscountResult {
  valid: boolean;
  discount_amount: string;
  final_amount: string;
  reason: "not_found" | "inactive" | "expired" | "used_up" | "other_payment_link" | null;
}

export type DiscountCodes = ReturnType<typeof createDiscountCodes>;

const WRITABLE: Columns<DiscountCodeUpdate> = {
  code: asIs,
  discount_type: asIs,
  discount_value: (value) => String(value),
  max_uses: asIs,
  expires_at: asInstant,
  payment_link_id: asIs,
  active: asFlag,
};

export function createDiscountCodes({ world }: PaymentsContext, links: PaymentLinks, audit: Audit) {
  const { store, ids, clock } = world;
  const byId = store.sql<DiscountCodeRow>("select * from discount_codes where id = ? and org = ?");
  const byCode = store.sql<DiscountCodeRow>("select * from discount_codes where org = ? and code = ?");
  const insert = store.sql(
    `insert into discount_codes (id, org, code, discount_type, discount_value, max_uses, current_uses, expires_at, payment_link_id, active, created_at, updated_at)
     values (?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?)`,
  );
  const remove = store.sql("delete from discount_codes where id = ?");
  const use = store.sql(
    "update discount_codes set current_uses = current_uses + 1, updated_at = ? where org = ? and code = ?",
  );

  function find(org: string, id: string): DiscountCodeRow {
    const row = byId.get(id, org);
    if (!row) throw notFound("discount code", id);
    return row;
  }

  function checkInput(
    org: string,
    input: DiscountCodeUpdate,
    type: DiscountCodeRow["discount_type"],
    own?: string,
  ): void {
    if (input.discount_value !== undefined) checkValue(type, input.discount_value);
    links.checkReference(org, input.payment_link_id);
    const holder = input.code === undefined ? undefined : byCode.get(org, input.code);
    if (holder && holder.id !== own)
      throw new PlatformError(
        "duplicate_resource",
        `A discount code '${input.code}' already exists.`,
        "code",
      );
  }

  /** Applies a code; the result says why when it does not apply. */
  function evaluate(org: string, code: string, amount: string, linkId: string | null): DiscountResult {
    const row = byCode.get(org, code);
    const reason = !row
      ? "not_found"
      : row.active === 0
        ? "inactive"
        : row.expires_at !== null && row.expires_at <= clock.now()
          ? "expired"
          : row.max_uses !== null && row.current_uses >= row.max_uses
            ? "used_up"
            : row.payment_link_id !== null && row.payment_link_id !== linkId
              ? "other_payment_link"
              : null;
    if (!row || reason !== null) return { valid: false, discount_amount: "0", final_amount: amount, reason };
    const discount = discountOn(BigInt(amount), row.discount_type, row.discount_value);
    return {
      valid: true,
      discount_amount: String(discount),
      final_amount: String(BigInt(amount) - discount),
      reason: null,
    };
  }

  return {
    evaluate,
    get: (org: string, id: string) => discountResource(find(org, id)),
    countUse: (org: string, code: string): void => void use.run(clock.now(), org, code),

    create(caller: Caller, input: DiscountCodeCreate) {
      return store.transaction(() => {
        checkInput(caller.org, input, input.discount_type);
        const id = ids.next("disc_");
        const now = clock.now();
        insert.run(
          id,
          caller.org,
          input.code,
          input.discount_type,
          String(input.discount_value),
          input.max_uses ?? null,
          input.expires_at == null ? null : asInstant(input.expires_at),
          input.payment_link_id ?? null,
          asFlag(input.active ?? true),
          now,
          now,
        );
        audit.record(caller, "discount_code.created", id, 201);
        return discountResource(find(caller.org, id));
      });
    },

    update(caller: Caller, id: string, input: DiscountCodeUpdate) {
      return store.transaction(() => {
        const row = find(caller.org, id);
        const type = input.discount_type ?? row.discount_type;
        const value =
          input.discount_value ??
          (row.discount_type === "percentage" ? Number(row.discount_value) : row.discount_value);
        checkInput(
          caller.org,
          input.discount_type === undefined ? input : { ...input, discount_value: value },
          type,
          id,
        );
        updateFields(store, "discount_codes", id, input, WRITABLE, clock.now());
        audit.record(caller, "discount_code.updated", id, 200);
        return discountResource(find(caller.org, id));
      });
    },

    delete(caller: Caller, id: string) {
      return store.transaction(() => {
        find(caller.org, id);
        remove.run(id);
        audit.record(caller, "discount_code.deleted", id, 200);
        return { object: "discount_code" as const, id, deleted: true as const };
      });
    },

    list(org: string, query: PageQuery & { active?: boolean }) {
      const { rows, total } = listPage<DiscountCodeRow>(
        store,
        "discount_codes",
        [["org = ?", org], query.active === undefined ? undefined : ["active = ?", asFlag(query.active)]],
        query,
      );
      return { data: rows.map(discountResource), total };
    },
  };
}

function checkValue(type: "percentage" | "fixed", value: string | number): void {
  const fits =
    type === "percentage"
      ? typeof value === "number" && value > 0 && value <= 100
      : typeof value === "string" && /^\d{1,78}$/.test(value);
  if (fits) return;
  const rule =
    type === "percentage"
      ? "a number above 0 and at most 100"
      : "a string of 1 to 78 digits, in the token's smallest unit";
  throw invalidField(
    "discount_value",
    `discount_value of a ${type} code must be ${rule}, not ${JSON.stringify(value)}.`,
  );
}

/** A percentage is taken to two decimals and rounded down; no discount exceeds the amount. Pure. */
export function discountOn(amount: bigint, type: "percentage" | "fixed", value: string): bigint {
  const discount =
    type === "fixed" ? BigInt(value) : (amount * BigInt(Math.round(Number(value) * 100))) / 10_000n;
  return discount > amount ? amount : discount;
}

function discountResource(row: DiscountCodeRow) {
  return {
    object: "discount_code" as const,
    id: row.id,
    code: row.code,
    discount_type: row.discount_type,
    discount_value: row.discount_type === "percentage" ? Number(row.discount_value) : row.discount_value,
    max_uses: row.max_uses,
    current_uses: row.current_uses,
    expires_at: isoOrNull(row.expires_at),
    payment_link_id: row.payment_link_id,
    active: row.active === 1,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}
