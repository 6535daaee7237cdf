import type { AddressToken } from "./schemas.ts";

/**
 * The order of a listing: value as a number, largest first, then type, name, id and address. No two rows of a
 * listing are equal in all of them, so a walk through the pages returns each once. See docs/fidelity.md, "Chain data: requests".
 */
export function compareRows(a: AddressToken, b: AddressToken): number {
  return (
    compareDigits(b.value, a.value) ||
    compareText(a.token.type, b.token.type) ||
    compareText(a.token.name ?? "", b.token.name ?? "") ||
    compareIds(a.token_id ?? "", b.token_id ?? "") ||
    compareText(a.token.address.toLowerCase(), b.token.address.toLowerCase())
  );
}

/** Numbers of any length, written in decimal digits. */
function compareDigits(a: string, b: string): number {
  const [left, right] = [a.replace(/^0+/, ""), b.replace(/^0+/, "")];
  return left.length - right.length || compareText(left, right);
}

function compareIds(a: string, b: string): number {
  return /^\d+$/.test(a) && /^\d+$/.test(b) ? compareDigits(a, b) || compareText(a, b) : compareText(a, b);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
