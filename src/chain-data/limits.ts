/** Symbols in a lookup, without duplicates. */
export const MAX_SYMBOLS = 10;
/** Chains in a request, without duplicates. */
export const MAX_CHAINS = 55;
/** The most answers that are cached; the oldest are removed first. */
export const MAX_CACHE_ENTRIES = 5_000;
/** The most pages that a walk takes from a provider. */
export const MAX_UPSTREAM_PAGES = 200;
