import { checkerOf, FORMATS } from "../../http/validation.ts";
import { invalidField } from "../errors.ts";
import type { SessionRow } from "../rows.ts";
import { CheckoutSessionUpdate } from "../schemas/checkout-sessions.ts";
import { platformViolation } from "../violations.ts";
import { FAILURE_REASONS } from "../words.ts";
import { parseAmount } from "./amount.ts";
import { describeToken } from "./tokens.ts";

/** The fields of `form_data.shipping_address` that the hosted checkout asks for. */
export const SHIPPING_FIELDS = [
  { name: "line1", label: "Street", autocomplete: "shipping address-line1" },
  { name: "city", label: "City", autocomplete: "shipping address-level2" },
  { name: "state", label: "State", autocomplete: "shipping address-level1" },
  { name: "zip", label: "ZIP code", autocomplete: "shipping postal-code" },
] as const;

export type Fields = Record<string, string>;

const MAX_ADDRESS_LENGTH = 200;

const checkSession = checkerOf(CheckoutSessionUpdate, "body");

/**
 * Reads session fields from a payment link's query: client_reference_id, metadata[key] and the customer fields, with the
 * API's limits. Empty fields are ignored because some templates leave them empty; if a field is repeated, the first value
 * counts.
 * @throws PlatformError invalid_field_value
 */
export function readLinkQuery(query: Record<string, string | string[]>) {
  const entries = Object.entries(query).map(([name, value]) => [name, [value].flat()[0]!] as const);
  const metadata = entries.flatMap(([name, value]) => {
    const key = /^metadata\[([^\]]*)\]$/.exec(name)?.[1];
    return key === undefined ? [] : [[key, value] as const];
  });
  const text = Object.fromEntries(entries.filter(([, value]) => value !== ""));
  const fields = {
    client_reference_id: text.client_reference_id ?? null,
    metadata: Object.fromEntries(metadata),
    customer_email: text.customer_email ?? null,
    customer_name: text.customer_name ?? null,
  };
  const { error } = checkSession(fields);
  if (error) throw platformViolation(error.violation);
  return fields;
}

/** Reads the string fields from a form or a JSON body. */
export function readTexts(body: unknown): Fields {
  return Object.fromEntries(
    Object.entries(body ?? {}).filter((field): field is [string, string] => typeof field[1] === "string"),
  );
}

/** Reads the payer's fields and the chosen outcome. */
export function readForm(fields: Fields, session: SessionRow) {
  const filled = (name: string): string | undefined => fields[name]?.trim() || undefined;
  const email = filled("customer_email");
  if (email !== undefined && !FORMATS.email!(email))
    throw invalidField("customer_email", "Enter a valid e-mail address.");
  const name = filled("customer_name");
  if (name !== undefined && name.length > 200)
    throw invalidField("customer_name", "The name must have at most 200 characters.");
  const address: Fields = {};
  for (const field of SHIPPING_FIELDS) {
    const part = filled(field.name);
    if (part === undefined) continue;
    if (part.length > MAX_ADDRESS_LENGTH)
      throw invalidField(field.name, `${field.label} must have at most ${MAX_ADDRESS_LENGTH} characters.`);
    address[field.name] = part;
  }
  const { decimals } = describeToken(session.chain_id, session.token_address);
  const typed = session.amount === null ? filled("amount") : undefined;
  const amount = typed === undefined ? undefined : parseAmount(typed, decimals);
  if (typed !== undefined && (amount === undefined || !FORMATS.amount!(amount)))
    throw invalidField("amount", `Enter an amount such as 12.5, with at most ${decimals} decimals.`);
  const outcome = fields.outcome ?? "completed";
  const failure = FAILURE_REASONS.find((reason) => reason === outcome);
  if (failure === undefined && outcome !== "completed")
    throw invalidField(
      "outcome",
      `outcome must be completed, expired or one of ${FAILURE_REASONS.join(", ")}.`,
    );
  return {
    outcome: failure === undefined ? ("completed" as const) : ("failed" as const),
    failure_reason: failure,
    customer_email: email,
    customer_name: name,
    form_data: { shipping_address: address },
    discount_code: filled("discount_code"),
    amount,
  };
}
