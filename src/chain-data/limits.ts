/** The maximum number of symbols in a lookup, without duplicates. */
export const MAX_SYMBOLS = 10;
/** The maximum number of chains in a request, without duplicates. */
export const MAX_CHAINS = 55;
/** The maximum number of cached answers; the oldest are evicted first. */
export const MAX_CACHE_ENTRIES = 5_000;
/** The maximum number of pages to read from a provider. */
export const MAX_UPSTREAM_PAGES = 200;
