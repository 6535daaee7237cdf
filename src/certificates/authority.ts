import { createPrivateKey, randomBytes, type webcrypto, X509Certificate } from "node:crypto";
import {
  chmodSync,
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { isIP } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { misuse, SandboxError } from "../errors/errors.ts";
import {
  authorityFile,
  authorityFolder,
  FOLDER_VARIABLE,
  readAuthority,
} from "../runtime/authority-files.ts";
import { makePrivateFolder } from "../runtime/private-files.ts";
import { isVouchedFor, NAME_CONSTRAINTS, permittedNames, VOUCHED_FOR } from "./names.ts";
import { loadX509 } from "./x509.ts";

const DAY = 24 * 60 * 60 * 1_000;
const AUTHORITY_DAYS = 730;
/** An authority with less left is replaced, as what it issues ends with it. */
const LEAST_DAYS = 30;
/** The most that browsers accept of a server's certificate. */
const LEAF_DAYS = 397;
/** A certificate begins a little earlier: the clocks of machines and containers differ. */
const EARLIER = 5 * 60 * 1_000;

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** What every certificate for a server has beside the names that are asked for. */
const LOCAL_NAMES = ["localhost", "127.0.0.1", "::1"];

/** A certificate with its key, in PEM. */
export interface Issued {
  cert: string;
  key: string;
}

/** This user's certificate authority. */
export interface Authority {
  /** The file that others have to trust. */
  file: string;
  /** Real time at which it ends, ISO 8601. */
  validUntil: string;
  /**
   * Issues a certificate for servers on this machine, and for these names and addresses.
   * @throws SandboxError `bad_request` for a name that the authority cannot vouch for
   */
  issue(names: readonly string[]): Promise<Issued>;
}

/**
 * Opens this user's certificate authority. Creates one the first time, and again shortly before it expires.
 * @param now real time, in milliseconds: certificates know nothing of a world's clock
 * @throws SandboxError `invalid_state` where its folder cannot be used
 */
export async function openAuthority(now: number): Promise<Authority> {
  store(makeOwnFolder);
  let own = readOwn(now);
  if (!own) {
    const made = await makeAuthority(now);
    own = store(() => storeOwn(made, now));
  }
  const authority = own;
  store(() => {
    if (readAuthority() !== authority.cert) writeFileSync(authorityFile(), authority.cert);
    // Others read it, and only this user writes it, whatever it was before.
    chmodSync(authorityFile(), 0o644);
  });
  const { validTo } = new X509Certificate(authority.cert);
  const end = Date.parse(validTo);
  return {
    file: authorityFile(),
    validUntil: new Date(end).toISOString(),
    async issue(asked) {
      const names = asked.map((name) => name.toLowerCase());
      const wrong = names.find((name) => !isVouchedFor(name));
      if (wrong !== undefined)
        throw misuse(
          `The certificate authority cannot vouch for '${wrong.slice(0, 100)}', only for ${VOUCHED_FOR}.`,
          "Use such a name, or leave TLS to a proxy that has a certificate for yours.",
        );
      return issueLeaf(
        own,
        [...new Set([...LOCAL_NAMES, ...names])],
        now,
        Math.min(now + LEAF_DAYS * DAY, end),
      );
    },
  };
}

/** The names of what is in an authority's folder while nothing else is. */
const OWN_NAME = /^(?:authority\.pem|ca\.pem|\.[0-9a-f]{12}|cache|state)$/;

/** The authority's key is in a file of its own, for this user alone; beside it is what others read. */
const ownFile = (): string => join(authorityFolder(), "authority.pem");

/** @throws SandboxError `invalid_state` for one that is damaged */
function readOwn(now: number): Issued | undefined {
  if (!existsSync(ownFile())) return undefined;
  try {
    const text = readFileSync(ownFile(), "utf8");
    const [cert, key] = text.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----\n?/g) ?? [];
    if (cert === undefined || key === undefined) throw new Error("a certificate or a key is missing");
    const certificate = new X509Certificate(cert);
    if (!certificate.checkPrivateKey(createPrivateKey(key)))
      throw new Error("the key is of another certificate");
    return Date.parse(certificate.validTo) < now + LEAST_DAYS * DAY ? undefined : { cert, key };
  } catch (error) {
    throw new SandboxError(
      "invalid_state",
      `The certificate authority in ${ownFile()} cannot be used: ${(error as Error).message}.`,
      "Remove the file, and Sandglass makes a new authority. What trusted the old one has to trust the new one.",
    );
  }
}

/** Makes the folder. One with other files stays as wide as it is, unless other users could replace the key in it. */
function makeOwnFolder(): void {
  makePrivateFolder(authorityFolder(), OWN_NAME);
  const { mode } = statSync(authorityFolder());
  if ((mode & 0o022) !== 0 && process.platform !== "win32")
    throw new Error(`other users can write to it (mode ${(mode & 0o777).toString(8)})`);
}

/** Stores a new authority, unless another process was faster: then that one counts. */
function storeOwn(made: Issued, now: number): Issued {
  const temporary = join(authorityFolder(), `.${randomBytes(6).toString("hex")}`);
  try {
    writeFileSync(temporary, made.cert + made.key, { mode: 0o600 });
    try {
      linkSync(temporary, ownFile());
    } catch {
      // There is one, or the file system has no links.
      if (readOwn(now) === undefined) renameSync(temporary, ownFile());
    }
    return readOwn(now)!;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** @throws SandboxError `invalid_state` */
function store<Stored>(write: () => Stored): Stored {
  try {
    return write();
  } catch (error) {
    throw new SandboxError(
      "invalid_state",
      `Cannot store a certificate authority in ${authorityFolder()}: ${(error as Error).message}.`,
      `Name a folder of your own in ${FOLDER_VARIABLE}.`,
    );
  }
}

async function makeAuthority(now: number): Promise<Issued> {
  const x509 = await loadX509();
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: [{ O: ["Sandglass"] }, { CN: [`Sandglass on ${hostname()}`.slice(0, 64)] }],
    notBefore: new Date(now - EARLIER),
    notAfter: new Date(now + AUTHORITY_DAYS * DAY),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      new x509.Extension(NAME_CONSTRAINTS, true, permittedNames()),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: `${certificate.toString("pem")}\n`, key: await keyPem(keys.privateKey) };
}

async function issueLeaf(own: Issued, names: string[], now: number, end: number): Promise<Issued> {
  const x509 = await loadX509();
  const issuer = new x509.X509Certificate(own.cert);
  const signingKey = await crypto.subtle.importKey(
    "pkcs8",
    x509.PemConverter.decode(own.key)[0]!,
    ALGORITHM,
    false,
    ["sign"],
  );
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: [{ O: ["Sandglass"] }, { CN: ["Sandglass development server"] }],
    issuer: issuer.subjectName,
    notBefore: new Date(now - EARLIER),
    notAfter: new Date(end),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? ("dns" as const) : ("ip" as const), value })),
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  // The authority's own certificate goes along, so that a client which does not trust it can show who issued this one.
  return { cert: `${certificate.toString("pem")}\n${own.cert}`, key: await keyPem(keys.privateKey) };
}

const serialNumber = (): string => `00${randomBytes(15).toString("hex")}`;

async function keyPem(key: webcrypto.CryptoKey): Promise<string> {
  const bytes = Buffer.from(await crypto.subtle.exportKey("pkcs8", key)).toString("base64");
  return `-----BEGIN PRIVATE KEY-----\n${bytes.replace(/.{64}(?=.)/g, "$&\n")}\n-----END PRIVATE KEY-----\n`;
}
