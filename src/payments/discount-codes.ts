import type { Static } from "typebox";
import type { Caller } from "../http/caller.ts";
import { clip } from "../http/violation-text.ts";
import type { Audit } from "./audit.ts";
import type { PaymentsContext } from "./context.ts";
import { readValue, shownValue } from "./discount-value.ts";
import type { Discounts } from "./discounts.ts";
import { duplicate, invalidField, missingField, PlatformError } from "./errors.ts";
import { resolveAliases } from "./patch.ts";
import type { PaymentLinks } from "./payment-links.ts";
import { presenter } from "./present.ts";
import { createRecords, type Resource } from "./records.ts";
import type { DiscountCodeRow } from "./rows.ts";
import {
  CODE_PATTERN,
  DISCOUNT_CODES,
  type DiscountCode,
  type DiscountCodeBatch,
  type DiscountCodeBatchResult,
  type DiscountCodeCreate,
  type DiscountCodeUpdate,
  type DiscountValidate,
  type DiscountValidation,
  MAX_CODE_LENGTH,
} from "./schemas/catalog.ts";
import type { DiscountType } from "./words.ts";

const discountResource = presenter(DISCOUNT_CODES.item, (row: DiscountCodeRow) => ({
  type: row.discount_type,
  value: row.discount_value,
  discount_value: shownValue(row),
  is_active: row.active === 1,
}));

/**
 * The discount codes of an organization. `search` matches a literal substring of the code, ignoring the case of A to Z.
 * A change throws PlatformError duplicate_resource if the code is already in use, and invalid_field_value for a value
 * that does not fit the type.
 */
export interface DiscountCodes extends Resource<typeof DISCOUNT_CODES> {
  /**
   * Previews a code's effect on an amount. The amount defaults to the payment link's; if the payer chooses it, the effect
   * is unknown.
   */
  validate(org: string, input: DiscountValidate): Static<typeof DiscountValidation>;
  /** Creates many codes with the same terms. If some cannot be created, the others still are. */
  createBatch(caller: Caller, input: DiscountCodeBatch): Static<typeof DiscountCodeBatchResult>;
}

export function createDiscountCodes(
  { world }: PaymentsContext,
  discounts: Discounts,
  links: PaymentLinks,
  audit: Audit,
): DiscountCodes {
  const { store } = world;
  const records = createRecords(world, audit, {
    kind: "discount_code",
    prefix: "disc_",
    schemas: DISCOUNT_CODES,
    names: NAMES,
    computed: "value",
    search: (text) => ["instr(lower(code), lower(?)) > 0", text],
    show: discountResource,
  });
  const byCode = store.sql<DiscountCodeRow>("select * from discount_codes where org = ? and code = ?");

  function checkCode(org: string, code: string | undefined, own?: string): void {
    const holder = code === undefined ? undefined : byCode.get(org, code);
    if (holder && holder.id !== own) throw duplicate("code", `A discount code '${code}' already exists.`);
  }

  function readTerms(org: string, input: Omit<DiscountCodeCreate, "code">): NewTerms {
    const named = resolveAliases(input, NAMES);
    const type = named.discount_type;
    if (type === undefined) throw missingField("discount_type", " (or type)");
    if (named.discount_value === undefined && named.value === undefined)
      throw missingField("discount_value", " (or value)");
    links.checkReference(org, input.payment_link_id);
    return { ...named, discount_type: type, discount_value: readValue(type, named)! };
  }

  function write(caller: Caller, code: string, terms: NewTerms) {
    checkCode(caller.org, code);
    return records.add(caller, { ...terms, code }, { active: true }, { current_uses: 0 });
  }

  return {
    ...records,

    validate(org, { code, amount, payment_link_id: linkId }) {
      const asked = amount ?? (linkId == null ? undefined : links.get(org, linkId).amount) ?? undefined;
      const { valid, reason, ...effect } = discounts.evaluate(org, code, asked ?? UNDECIDED, linkId ?? null);
      return {
        object: "discount_validation",
        valid,
        discount_code: valid ? discountResource(byCode.get(org, code)!) : null,
        discount_amount: asked === undefined ? null : effect.discount_amount,
        final_amount: asked === undefined ? null : effect.final_amount,
        reason,
      };
    },

    create: (caller, input) => write(caller, input.code, readTerms(caller.org, input)),

    createBatch(caller, { codes, ...input }) {
      return store.transaction(() => {
        const terms = readTerms(caller.org, input);
        const created: Static<typeof DiscountCode>[] = [];
        const errors: { code: string; error: string }[] = [];
        for (const code of codes) {
          try {
            checkForm(code);
            created.push(write(caller, code, terms));
          } catch (error) {
            if (!(error instanceof PlatformError)) throw error;
            errors.push({ code, error: error.message });
          }
        }
        return { object: "batch_result", created, errors };
      });
    },

    update: (caller, id, input) =>
      records.update(caller, id, input, (row, named: DiscountCodeUpdate) => {
        const { value, discount_value: number, ...terms } = named;
        checkCode(caller.org, input.code, id);
        links.checkReference(caller.org, input.payment_link_id);
        // Which values are valid depends on the code's type. If the request changes only the type, the current value
        // must fit it.
        const current =
          terms.discount_type === undefined || value !== undefined ? undefined : shownValue(row);
        const text = readValue(terms.discount_type ?? row.discount_type, {
          ...(value === undefined ? {} : { value }),
          discount_value: number ?? current,
        });
        return text === undefined ? terms : { ...terms, discount_value: text };
      }),
  };
}

type NewTerms = Omit<DiscountCodeUpdate, "discount_type" | "discount_value"> & {
  discount_type: DiscountType;
  discount_value: string;
};

const NAMES = { type: "discount_type", is_active: "active" } as const;

/** Stands in for an amount that the payer has not chosen yet, and satisfies any minimum. */
const UNDECIDED = "9".repeat(78);

/** The schema's pattern for a single code. */
const CODE_FORM = new RegExp(CODE_PATTERN, "u");

function checkForm(code: string): void {
  if (code.length <= MAX_CODE_LENGTH && CODE_FORM.test(code)) return;
  throw invalidField(
    "codes",
    `A code must have 1 to ${MAX_CODE_LENGTH} characters and no spaces, not '${clip(code)}'.`,
  );
}
