/** What the library's dependency injection calls on `Reflect` while it loads, and never again. */
const METADATA = ["getMetadata", "getOwnMetadata"] as const;

/**
 * Loads the library for certificates. It insists on a polyfill for decorator metadata, although it uses no metadata. The
 * stand-ins are removed again, because the user's own code may bring the real polyfill.
 */
export async function loadX509(): Promise<typeof import("@peculiar/x509")> {
  const reflect = Reflect as unknown as Record<string, unknown>;
  const missing = METADATA.filter((name) => reflect[name] === undefined);
  for (const name of missing) reflect[name] = () => undefined;
  try {
    return await import("@peculiar/x509");
  } finally {
    for (const name of missing) delete reflect[name];
  }
}
