/** What the library's dependency injection looks for on `Reflect`, when it is loaded and never again. */
const METADATA = ["getMetadata", "getOwnMetadata"] as const;

/**
 * Loads the library for certificates. It asks for a polyfill of decorator metadata, of which it needs only that there is
 * none. The stand-ins are taken away again, as the user's own code may bring the polyfill.
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
