import { isIP, isIPv6 } from "node:net";

/**
 * The names that the authority can vouch for. Its own certificate has them as constraints, so a stolen key cannot
 * impersonate a server on the internet.
 */

/** Names, each with all below it, that never belong to a server of the internet. */
const DOMAINS = ["localhost", "test", "internal", "local", "lan", "home.arpa", "sandglass"] as const;
/** Addresses of this machine and of private networks: address and mask. */
const NETWORKS = [
  ["127.0.0.0", "255.0.0.0"],
  ["10.0.0.0", "255.0.0.0"],
  ["172.16.0.0", "255.240.0.0"],
  ["192.168.0.0", "255.255.0.0"],
  ["169.254.0.0", "255.255.0.0"],
  // Networks between those of a provider's customers; VPNs of teams use it, too.
  ["100.64.0.0", "255.192.0.0"],
  ["::1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["fc00::", "fe00::"],
  ["fe80::", "ffc0::"],
] as const;

/** The same in words, for messages. */
export const VOUCHED_FOR = `addresses of this machine and of private networks, and names that are or end with ${DOMAINS.join(", ")}`;

/** Whether the authority can vouch for a name or an address. */
export function isVouchedFor(name: string): boolean {
  if (isIP(name) === 0) return DOMAINS.some((domain) => name === domain || name.endsWith(`.${domain}`));
  const bytes = addressBytes(name);
  return NETWORKS.some(([address, mask]) => {
    const [network, bits] = [addressBytes(address), addressBytes(mask)];
    return network.length === bytes.length && bytes.every((byte, at) => (byte & bits[at]!) === network[at]);
  });
}

/** The extension "name constraints" of RFC 5280, section 4.2.1.10. */
export const NAME_CONSTRAINTS = "2.5.29.30";

/** Its value: the permitted names and networks, in DER. */
export function permittedNames(): Uint8Array<ArrayBuffer> {
  const names = DOMAINS.map((domain) => der(0x82, Buffer.from(domain, "ascii")));
  const networks = NETWORKS.map(([address, mask]) =>
    der(0x87, Buffer.from([...addressBytes(address), ...addressBytes(mask)])),
  );
  const subtrees = [...names, ...networks].map((name) => der(0x30, name));
  return Uint8Array.from(der(0x30, der(0xa0, Buffer.concat(subtrees))));
}

/** A tag, the length of what follows, and that; lengths of up to two bytes are all that is needed. */
function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function addressBytes(address: string): number[] {
  if (!isIPv6(address)) return address.split(".").map(Number);
  // A URL writes every IPv6 address in hexadecimal groups.
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const groups = (text = "") => (text === "" ? [] : text.split(":"));
  const zeros = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  return [...groups(head), ...Array<string>(zeros).fill("0"), ...groups(tail)].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
