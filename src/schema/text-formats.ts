import { readInstant } from "../world/duration.ts";

/** A string format in requests, queries and files. */
export interface TextFormat {
  /** Completes a sentence that starts with "must be". */
  expected: string;
  fits(text: string): boolean;
}

/** The largest amount that a smart contract can store. */
const UINT256_MAX = 2n ** 256n - 1n;

const isWholeNumber = (max: bigint) => (text: string) =>
  /^(?:0|[1-9]\d*)$/.test(text) && text.length <= 78 && BigInt(text) <= max;

/** The string formats in the areas' resources, by their names in schemas. */
export const TEXT_FORMATS = {
  address: {
    expected: "0x followed by 40 hexadecimal characters",
    fits: (text) => /^0x[0-9a-fA-F]{40}$/.test(text),
  },
  amount: {
    expected:
      'digits only, 1 to 78 of them without leading zeros, in the token\'s smallest unit (for example "2500000")',
    fits: (text) => /^(?:0|[1-9][0-9]{0,77})$/.test(text),
  },
  uint256: {
    expected: "a whole number from 0 to 2^256 - 1, in digits without leading zeros",
    fits: isWholeNumber(UINT256_MAX),
  },
  uint8: {
    expected: "a whole number from 0 to 255, in digits without leading zeros",
    fits: isWholeNumber(255n),
  },
  instant: {
    expected: "an ISO 8601 point in time (for example 2026-01-15T09:30:00Z)",
    fits: (text) => readInstant(text) !== undefined,
  },
  "http-url": { expected: "an absolute http or https URL without spaces", fits: isHttpUrl },
  email: {
    expected: "an e-mail address",
    fits: (text) => /^[^\s@]{1,64}@[^\s@]{1,250}\.[^\s@.]{2,}$/.test(text),
  },
} as const satisfies Record<string, TextFormat>;

/** Whether a string is an absolute http or https URL without white space or control characters. */
export function isHttpUrl(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to reject
  if (/[\s\u0000-\u001f\u007f]/.test(text) || !/^https?:\/\/[^/]/i.test(text)) return false;
  return URL.canParse(text);
}
