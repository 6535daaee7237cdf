import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { readIfThere } from "../../../runtime/read-if-there.ts";
import { isOwnHost, plainHost } from "../hosts.ts";

/** Answers a server's DNS queries, none of which leaves the machine. */
export interface NameServer {
  /** The addresses of the name servers that the server queries. */
  addresses: readonly string[];
  /** Returns the name to which an address was assigned, and any other host unchanged. */
  nameOf(host: string): string;
  /** The response to a query; undefined for anything that is not a query. */
  answer(question: Buffer): Promise<Buffer | undefined>;
}

/** The type of records with an IPv4 address. */
const A = 1;
const HEADER_BYTES = 12;
const FOUND = 0;
const NO_SUCH_NAME = 3;
/** How long a client may cache an address, in seconds. */
const TTL = 60;

/**
 * Assigns each outside name its own address, from a range that is reserved for benchmarks and that no host uses. The
 * preload assigns addresses from the other half of that range. Names in private networks resolve to their real
 * addresses.
 */
export function createNameServer(): NameServer {
  const { addresses, domains } = readResolver();
  const names: string[] = [];

  function numberOf(name: string): number {
    const known = names.indexOf(name);
    return known < 0 ? names.push(name) - 1 : known;
  }

  /** @returns undefined if there is no such name */
  async function addressesOf(name: string): Promise<readonly string[] | undefined> {
    // The system tries a name with its search domains before the name itself.
    if (domains.some((domain) => name.endsWith(`.${domain}`))) return undefined;
    if (isOwnHost(name))
      return lookup(name, { family: 4, all: true }).then(
        (found) => found.map(({ address }) => address),
        () => undefined,
      );
    const number = numberOf(name);
    return [`198.19.${number >> 8}.${number & 255}`];
  }

  return {
    addresses,
    nameOf(host) {
      const [, high, low] = /^198\.19\.(\d+)\.(\d+)$/.exec(host) ?? [];
      return (high !== undefined && names[Number(high) * 256 + Number(low)]) || host;
    },
    async answer(question) {
      const asked = nameIn(question);
      if (!asked) return undefined;
      const { name, type, end } = asked;
      const found = await addressesOf(name);
      const records = type === A ? (found ?? []).map(recordOf) : [];
      const header = Buffer.alloc(HEADER_BYTES);
      question.copy(header, 0, 0, 2);
      // A response, with recursion desired and available.
      header.writeUInt16BE(0x8180 + (found ? FOUND : NO_SUCH_NAME), 2);
      header.writeUInt16BE(1, 4);
      header.writeUInt16BE(records.length, 6);
      return Buffer.concat([header, question.subarray(HEADER_BYTES, end), ...records]);
    },
  };
}

/** The name and type that a message asks for, and where its question ends. */
function nameIn(message: Buffer): { name: string; type: number; end: number } | undefined {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = message[at]; length; length = message[at]) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const end = at + 5;
  if (labels.length === 0 || message.length < end) return undefined;
  return { name: plainHost(labels.join(".")), type: message.readUInt16BE(at + 1), end };
}

/** A record with an address for the name in the question. */
function recordOf(address: string): Buffer {
  const record = Buffer.alloc(16);
  record.writeUInt16BE(0xc000 + HEADER_BYTES, 0);
  record.writeUInt16BE(A, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(TTL, 6);
  record.writeUInt16BE(4, 10);
  record.set(address.split(".").map(Number), 12);
  return record;
}

/** This machine's name servers and search domains. */
function readResolver(): { addresses: string[]; domains: string[] } {
  // Without this file, the system queries this machine itself.
  const lines = readIfThere("/etc/resolv.conf").split("\n");
  const valuesOf = (option: RegExp) =>
    lines.flatMap((line) => {
      const [name = "", ...values] = line.trim().split(/\s+/);
      return option.test(name) ? values : [];
    });
  const addresses = valuesOf(/^nameserver$/).filter((one) => isIP(one) === 4);
  return {
    addresses: addresses.length > 0 ? addresses : ["127.0.0.1"],
    domains: valuesOf(/^(?:search|domain)$/)
      .map(plainHost)
      .filter((one) => one !== ""),
  };
}
