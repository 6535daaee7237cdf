import { invalidField } from "./errors.ts";
import type { DiscountType } from "./words.ts";

/**
 * The value as the row stores it: `discount_value` is a number for a percentage and a digit string otherwise, `value`
 * is always a string.
 * @throws PlatformError invalid_field_value if the value does not fit the type, or both fields are present and differ
 */
export function readValue(
  type: DiscountType,
  { discount_value: value, value: text }: { discount_value?: string | number | undefined; value?: string },
): string | undefined {
  const fromText = text !== undefined && type === "percentage" && PERCENTAGE.test(text) ? Number(text) : text;
  if (fromText !== undefined) checkValue("value", type, fromText, text);
  if (value !== undefined) checkValue("discount_value", type, value);
  if (fromText !== undefined && value !== undefined && fromText !== value)
    throw invalidField(
      "value",
      "value is another name for discount_value: send only one of them, or the same value in both.",
    );
  const found = fromText ?? value;
  return found === undefined ? undefined : String(found);
}

const PERCENTAGE = /^\d{1,3}(?:\.\d{1,6})?$/;

function checkValue(
  field: "discount_value" | "value",
  type: DiscountType,
  value: string | number,
  sent: string | number = value,
): void {
  const fits =
    type === "percentage"
      ? typeof value === "number" && value > 0 && value <= 100
      : typeof value === "string" && /^\d{1,78}$/.test(value);
  if (fits) return;
  const rule =
    type === "fixed"
      ? "a string of 1 to 78 digits, in the token's smallest unit"
      : field === "value"
        ? 'a string with a number above 0 and at most 100, such as "12.5"'
        : "a number above 0 and at most 100";
  throw invalidField(field, `${field} of a ${type} code must be ${rule}, not ${JSON.stringify(sent)}.`);
}

/** The value of the field's older name: a number for percentages. */
export function shownValue({
  discount_type: type,
  discount_value: value,
}: {
  discount_type: DiscountType;
  discount_value: string;
}): string | number {
  return type === "percentage" ? Number(value) : value;
}

/**
 * Calculates a discount. Percentages are truncated to two decimals; discounts are rounded down and never exceed the
 * amount.
 */
export function discountOn(amount: bigint, type: DiscountType, value: string): bigint {
  const discount = type === "fixed" ? BigInt(value) : (amount * hundredths(value)) / 10_000n;
  return discount > amount ? amount : discount;
}

/** Parses the digits as text, because 1.15 * 100 is slightly less than 115 in floating point. */
function hundredths(percentage: string): bigint {
  // JavaScript writes numbers below a millionth with an exponent.
  const [, whole = "0", decimals = ""] = /^(\d+)(?:\.(\d+))?$/.exec(percentage) ?? [];
  return BigInt(whole + decimals.slice(0, 2).padEnd(2, "0"));
}
