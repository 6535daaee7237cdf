import { createPrivateKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { connect, createServer } from "node:tls";
import { expect, onTestFinished, test, vi } from "vitest";
import { openAuthority } from "../../src/certificates/authority.ts";
import { isVouchedFor } from "../../src/certificates/names.ts";
import { loadX509 } from "../../src/certificates/x509.ts";
import { readAuthority, trustedContext } from "../../src/runtime/authority-files.ts";
import { ownAuthority } from "../support/authority.ts";

const NOW = Date.now();
const OTHER_KEY = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({
  format: "pem",
  type: "pkcs8",
}) as string;
const DAY = 24 * 60 * 60 * 1_000;

test("its key is for this user alone, and its certificate for all", async () => {
  const folder = ownAuthority();
  const { file } = await openAuthority(NOW);
  expect(file).toBe(join(folder, "ca.pem"));
  expect(readdirSync(folder).sort()).toEqual(["authority.pem", "ca.pem"]);
  if (process.platform !== "win32") {
    expect(statSync(join(folder, "authority.pem")).mode & 0o777).toBe(0o600);
    expect(statSync(file).mode & 0o777).toBe(0o644);
  }
  expect(readFileSync(file, "utf8")).not.toContain("PRIVATE KEY");
});

test("it stays the same until shortly before it expires", async () => {
  ownAuthority();
  const certificates = await Promise.all(
    [1, 2, 3].map(async () => {
      await openAuthority(NOW);
      return readAuthority();
    }),
  );
  const [first] = certificates;
  expect(new Set([...certificates, readAuthority()]).size).toBe(1);
  const { ca, validFromDate, validToDate } = new X509Certificate(first!);
  expect(ca).toBe(true);
  expect(validFromDate.getTime()).toBeLessThanOrEqual(NOW);
  expect(validToDate.getTime() - NOW).toBeLessThanOrEqual(730 * DAY);
  await openAuthority(NOW + 600 * DAY);
  expect(readAuthority()).toBe(first);
  await openAuthority(NOW + 710 * DAY);
  expect(readAuthority()).not.toBe(first);
});

test("a certificate is for this machine and the names that were asked for, and ends with the authority", async () => {
  ownAuthority();
  const authority = await openAuthority(NOW);
  const { cert, key } = await authority.issue(["shop.localhost", "192.168.1.5", "fd00::1"]);
  const leaf = new X509Certificate(cert);
  expect(leaf.subjectAltName).toBe(
    "DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, DNS:shop.localhost, IP Address:192.168.1.5, IP Address:FD00:0:0:0:0:0:0:1",
  );
  expect(leaf.checkPrivateKey(createPrivateKey(key))).toBe(true);
  expect(leaf.checkIssued(new X509Certificate(readAuthority()!))).toBe(true);
  expect(leaf.ca).toBe(false);
  expect(leaf.validToDate.getTime() - NOW).toBeLessThanOrEqual(397 * DAY);
  const late = await openAuthority(NOW + 600 * DAY);
  const last = new X509Certificate((await late.issue([])).cert);
  expect(last.validToDate.toISOString()).toBe(late.validUntil);
});

test.each([
  "example.com",
  "localhost.example.com",
  "8.8.8.8",
  "172.32.0.1",
  "2001:db8::1",
  "notlocalhost",
  "",
])("it cannot vouch for %j", async (name) => {
  ownAuthority();
  expect(isVouchedFor(name)).toBe(false);
  const authority = await openAuthority(NOW);
  await expect(authority.issue([name])).rejects.toMatchObject({ code: "bad_request" });
});

test.each([
  "localhost",
  "a.b.localhost",
  "shop.test",
  "10.1.2.3",
  "172.31.0.1",
  "127.9.9.9",
  "::1",
  "fe80::1",
])("it can vouch for %s", (name) => expect(isVouchedFor(name)).toBe(true));

/** How a TLS connection to this server ends for a client that trusts the authority. */
async function connectTo(server: { cert: string; key: string }, servername: string): Promise<string> {
  const listening = createServer(server, (socket) => socket.end());
  await new Promise<void>((resolve) => void listening.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void listening.close());
  listening.on("tlsClientError", () => undefined);
  const { port } = listening.address() as AddressInfo;
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, servername, ...trustedContext() }, () => {
      resolve("trusted");
      socket.destroy();
    });
    socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.message));
  });
}

test("its certificate itself refuses other names: not even its key makes a server of the internet", async () => {
  const folder = ownAuthority();
  const authority = await openAuthority(NOW);
  expect(await connectTo(await authority.issue([]), "localhost")).toBe("trusted");

  const x509 = await loadX509();
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const [, stolen] = readFileSync(join(folder, "authority.pem"), "utf8").split(/(?=-----BEGIN PRIVATE)/);
  const pkcs8 = x509.PemConverter.decode(stolen!)[0]!;
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const forged = await x509.X509CertificateGenerator.create({
    subject: "CN=example.com",
    issuer: new x509.X509Certificate(readAuthority()!).subject,
    notBefore: new Date(NOW - DAY),
    notAfter: new Date(NOW + DAY),
    publicKey: keys.publicKey,
    signingKey: await crypto.subtle.importKey("pkcs8", pkcs8, algorithm, false, ["sign"]),
    signingAlgorithm: algorithm,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: "dns", value: "example.com" }])],
  });
  const key = createPrivateKey({
    key: Buffer.from(await crypto.subtle.exportKey("pkcs8", keys.privateKey)),
    format: "der",
    type: "pkcs8",
  });
  const pem = key.export({ format: "pem", type: "pkcs8" }).toString();
  expect(await connectTo({ cert: forged.toString("pem"), key: pem }, "example.com")).toMatch(
    /permitted subtree violation/,
  );
});

test("the certificate is made again after it was removed", async () => {
  const folder = ownAuthority();
  await openAuthority(NOW);
  const certificate = readAuthority();
  rmSync(join(folder, "ca.pem"));
  await openAuthority(NOW);
  expect(readAuthority()).toBe(certificate);
});

test("a folder that cannot be written is named, with the way out", async () => {
  const folder = ownAuthority();
  writeFileSync(join(folder, "file"), "");
  vi.stubEnv("SANDGLASS_CA_DIR", join(folder, "file", "below"));
  await expect(openAuthority(NOW)).rejects.toMatchObject({
    code: "invalid_state",
    hint: expect.stringContaining("SANDGLASS_CA_DIR"),
  });
});

test.each<[what: string, damage: (text: string) => string, reason: RegExp]>([
  ["cut in two", (text) => text.slice(0, 300), /a certificate or a key is missing/],
  [
    "of other bytes",
    (text) => text.replace(/(CERTIFICATE-----\n).{24}/, `$1${"A".repeat(24)}`),
    /authority\.pem cannot be used: \S/,
  ],
  [
    "with another's key",
    (text) => text.replace(/-----BEGIN PRIVATE.*/s, OTHER_KEY),
    /the key is of another certificate/,
  ],
])("one that is damaged is named, with the way out: %s", async (_what, damage, reason) => {
  const folder = ownAuthority();
  await openAuthority(NOW);
  const file = join(folder, "authority.pem");
  const damaged = damage(readFileSync(file, "utf8"));
  writeFileSync(file, damaged);
  await expect(openAuthority(NOW)).rejects.toMatchObject({
    code: "invalid_state",
    message: expect.stringMatching(reason),
    hint: expect.stringContaining("Remove the file"),
  });
  expect(readFileSync(file, "utf8"), "it is not replaced").toBe(damaged);
  rmSync(file);
  await openAuthority(NOW);
});

test.skipIf(process.platform === "win32")(
  "a folder that other users can use is narrowed; one that they can write to, with their files, is refused",
  async () => {
    const folder = ownAuthority();
    await openAuthority(NOW);
    for (const [path, mode] of [
      ["authority.pem", 0o644],
      ["ca.pem", 0o666],
      [".", 0o777],
    ] as const)
      chmodSync(join(folder, path), mode);
    await openAuthority(NOW);
    const modeOf = (name: string) => (statSync(join(folder, name)).mode & 0o777).toString(8);
    expect([".", "authority.pem", "ca.pem"].map(modeOf)).toEqual(["700", "600", "644"]);

    writeFileSync(join(folder, "notes.txt"), "");
    chmodSync(folder, 0o755);
    await openAuthority(NOW);
    expect([".", "authority.pem"].map(modeOf)).toEqual(["755", "600"]);
    chmodSync(folder, 0o777);
    await expect(openAuthority(NOW)).rejects.toMatchObject({
      message: expect.stringMatching(/: other users can write to it \(mode 777\)\.$/),
      hint: expect.stringContaining("SANDGLASS_CA_DIR"),
    });
  },
);

test("loading the library leaves nothing on Reflect", async () => {
  await loadX509();
  expect("getMetadata" in Reflect).toBe(false);
});
