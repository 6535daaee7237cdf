import { number } from "../format.ts";

/** Digits after the point that are shown. */
const SHOWN = 6;
const MOST_DECIMALS = 255;

/** A balance in whole tokens: `2500000` with 6 decimals is `2.5`. Without decimals it is what it is. */
export function amountText(value: string, decimals: string | number | null | undefined): string {
  if (!/^\d+$/.test(value)) return value;
  const places = Number(decimals ?? 0);
  if (!Number.isInteger(places) || places < 0 || places > MOST_DECIMALS) return value;
  const digits = value.padStart(places + 1, "0");
  const whole = digits.slice(0, digits.length - places);
  const part = digits.slice(digits.length - places, digits.length - places + SHOWN).replace(/0+$/, "");
  if (part === "" && /^0+$/.test(whole) && !/^0+$/.test(value)) return `< 0.${"0".repeat(SHOWN - 1)}1`;
  return `${BigInt(whole).toLocaleString("en-US")}${part && `.${part}`}`;
}

/** Dollars: two digits, more where it is small. */
export function dollars(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "";
  if (value === 0) return "$0";
  if (value < 0.000001) return "< $0.000001";
  if (value < 1) return `$${value.toLocaleString("en-US", { maximumSignificantDigits: 4 })}`;
  if (value >= 1e15) return `$${value.toExponential(2)}`;
  return `$${value.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

/** What a holding is worth at its rate; nothing where there is none. */
export function worth(value: string, decimals: string | null, rate: string | null): string {
  if (rate === null || decimals === null) return "";
  return dollars((Number(value) / 10 ** Number(decimals)) * Number(rate));
}

/** `+1.34 %`. */
export function change(percent: number | null | undefined): string {
  if (percent === null || percent === undefined) return "";
  return `${percent > 0 ? "+" : ""}${number(Number(percent.toFixed(2)))} %`;
}
