import { DAY, MINUTE, SECOND } from "../world/duration.ts";

/** Symbols in a lookup, without duplicates. */
export const MAX_SYMBOLS = 10;
/** Chains in a request, without duplicates. */
export const MAX_CHAINS = 55;
/** Rows in a page of the listing, unless the configuration says otherwise. */
export const PAGE_SIZE = 50;
/** How long a cached answer is fresh, in virtual milliseconds. */
export const CACHE_TTL = DAY;
/** The same for an answer without rows. */
export const EMPTY_CACHE_TTL = 5 * MINUTE;
/** The most answers that are kept; those stored first go first. */
export const MAX_CACHE_ENTRIES = 5_000;
/** How long a provider may take, real milliseconds. */
export const PROVIDER_TIMEOUT = 10 * SECOND;
/** The most pages that a walk takes from a provider. */
export const MAX_UPSTREAM_PAGES = 200;
