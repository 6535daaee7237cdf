/**
 * Formats an amount in smallest units for display: groups thousands, never rounds, and drops trailing zeros after the
 * second decimal. `formatAmount("25000000", 6)` is `"25.00"`.
 */
export function formatAmount(amount: bigint | string, decimals: number): string {
  const units = BigInt(amount);
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, "0");
  const split = digits.length - decimals;
  const whole = digits.slice(0, split).replace(/\B(?=(\d{3})+$)/g, ",");
  const fraction = digits.slice(split);
  const decimalsShown = fraction.replace(/0+$/, "").padEnd(Math.min(2, decimals), "0");
  return `${units < 0n ? "-" : ""}${whole}${decimalsShown ? `.${decimalsShown}` : ""}`;
}

/**
 * Parses an amount that a person typed (`25`, `25.5`, `1,000.00`) into smallest units; undefined if it is not a number or
 * too precise. The inverse of {@link formatAmount}.
 */
export function parseAmount(text: string, decimals: number): string | undefined {
  const match = /^(\d+|\d{1,3}(?:,\d{3})+)?(?:\.(\d*))?$/.exec(text.trim());
  const whole = (match?.[1] ?? "").replaceAll(",", "");
  const fraction = (match?.[2] ?? "").replace(/0+$/, "");
  if (!match || whole + (match[2] ?? "") === "" || fraction.length > decimals) return undefined;
  return BigInt(whole + fraction.padEnd(decimals, "0")).toString();
}
