import { lookup } from "node:dns/promises";
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { isOwnHost, plainHost } from "../hosts.ts";

/** Answers a server's questions to its name servers, none of which leaves the machine. */
export interface NameServer {
  /** The addresses at which the server asks. */
  addresses: readonly string[];
  /** The name for which an address was given; any other host as it is. */
  nameOf(host: string): string;
  /** The answer to a question; undefined for something else than a question. */
  answer(question: Buffer): Promise<Buffer | undefined>;
}

/** The types of records. */
const A = 1;
const HEADER_BYTES = 12;
const FOUND = 0;
const NO_SUCH_NAME = 3;
/** For how many seconds a client may remember an address. */
const TTL = 60;

/**
 * Each name outside gets an address of its own, of the range for benchmarks, which no host has. The preload gives those of the other half
 * of that range. Names of private networks get their real addresses.
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
    // The system adds its domains to a name before it asks for the name itself.
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
      // A response, with recursion.
      header.writeUInt16BE(0x8180 + (found ? FOUND : NO_SUCH_NAME), 2);
      header.writeUInt16BE(1, 4);
      header.writeUInt16BE(records.length, 6);
      return Buffer.concat([header, question.subarray(HEADER_BYTES, end), ...records]);
    },
  };
}

/** The name and the type for which a message asks, and where its question ends. */
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

/** A record with an address, for the name that the question has. */
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

/** The name servers of this machine, and the domains that it adds to names. */
function readResolver(): { addresses: string[]; domains: string[] } {
  let text = "";
  try {
    text = readFileSync("/etc/resolv.conf", "utf8");
  } catch {
    // Without it, the system asks this machine.
  }
  const valuesOf = (option: RegExp) =>
    text.split("\n").flatMap((line) => {
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
