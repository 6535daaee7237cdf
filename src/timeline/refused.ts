/**
 * Why a handler probably refuses a correctly signed event, the likeliest cause first.
 * @param secretFrom the source of the secret, such as `--secret`
 * @param sender the named sender; undefined for the platform
 */
export function whyRefused(
  secretFrom = "the secret that you passed",
  sender?: string,
  more: readonly string[] = [],
): string {
  const causes = [
    sender === undefined
      ? "the handler is for another sender, such as Stripe (--sender stripe)"
      : `the handler is not for ${sender}`,
    "the body is parsed before your route gets it, as express.json() does: verify the raw bytes",
    `the secrets differ: your server needs ${secretFrom}`,
    ...(sender === undefined ? ["it reads a header of another name (webhooks.headerPrefix)"] : []),
    ...more,
  ];
  return `The likely causes, in this order: ${causes.map((cause, at) => `(${at + 1}) ${cause}`).join("; ")}.`;
}
