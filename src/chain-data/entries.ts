/** The journal entries that chain data writes. */
export const DATA_ENTRIES = [
  "upstream.answered",
  "upstream.empty",
  "upstream.failed",
  "cache.stored",
  "cache.served_stale",
  "cache.purged",
  "provider.changed",
  "holdings.set",
  "holdings.cleared",
] as const;
