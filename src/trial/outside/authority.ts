import "reflect-metadata";
import { KeyObject, randomBytes, webcrypto } from "node:crypto";
import { isIP } from "node:net";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { wallNow } from "../../world/clock.ts";
import { DAY } from "../../world/duration.ts";

/** A certificate authority that exists for one trial. Its key never leaves this process's memory. */
export interface Authority {
  certificate: string;
  /** The key and certificate for a host name or address, in PEM. */
  issue(host: string): Promise<Issued>;
}

interface Issued {
  key: string;
  cert: string;
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const ISSUER = "CN=Sandglass trial";

const serialNumber = (): string => `01${randomBytes(15).toString("hex")}`;

export async function createAuthority(): Promise<Authority> {
  cryptoProvider.set(webcrypto as never);
  const keys = (await webcrypto.subtle.generateKey(ALGORITHM, true, [
    "sign",
    "verify",
  ])) as webcrypto.CryptoKeyPair;
  const now = wallNow();
  const common = {
    // Container clocks may differ slightly.
    ...{ notBefore: new Date(now - DAY), notAfter: new Date(now + 30 * DAY) },
    signingAlgorithm: ALGORITHM,
  };
  const authority = await X509CertificateGenerator.createSelfSigned({
    ...{ ...common, keys, name: ISSUER, serialNumber: serialNumber() },
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const key = KeyObject.from(keys.privateKey).export({ format: "pem", type: "pkcs8" }) as string;
  const issued = new Map<string, Promise<Issued>>();

  /** One key serves all hosts, because it never leaves this process. */
  async function make(host: string): Promise<Issued> {
    const type = isIP(host) === 0 ? "dns" : "ip";
    const certificate = await X509CertificateGenerator.create({
      ...{ ...common, serialNumber: serialNumber(), issuer: ISSUER },
      ...{ publicKey: keys.publicKey, signingKey: keys.privateKey },
      extensions: [
        new SubjectAlternativeNameExtension([{ type, value: host }], true),
        // Python 3.13 requires this extension.
        await AuthorityKeyIdentifierExtension.create(keys.publicKey),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      ],
    });
    return { key, cert: certificate.toString("pem") };
  }

  return {
    certificate: `${authority.toString("pem")}\n`,
    issue(host) {
      const pair = issued.get(host) ?? make(host);
      issued.set(host, pair);
      return pair;
    },
  };
}
