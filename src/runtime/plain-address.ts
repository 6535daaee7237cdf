/** An address in its usual form: without a zone, and IPv4 addresses in IPv6 as IPv4. */
export function plainAddress(address: string): string {
  if (!address.includes(":")) return address;
  const plain = new URL(`http://[${address.replace(/%.*/, "")}]`).hostname.slice(1, -1);
  const [, ...words] = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(plain) ?? [];
  return words.length === 0
    ? plain
    : words.flatMap((word) => [Number.parseInt(word, 16) >> 8, Number.parseInt(word, 16) & 255]).join(".");
}
