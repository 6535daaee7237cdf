import { readFileSync } from "node:fs";
import { invalidConfig, type SandboxError } from "../errors/errors.ts";
import { reasonOf } from "../errors/file-error.ts";

/** A hint that shows how to create the files for `https`. */
export const MAKE_CERTIFICATES = "mkcert creates them: mkcert localhost 127.0.0.1 ::1";

/** Reads a file that `https` refers to. @throws SandboxError `invalid_config` with the field and the file */
export function readHttpsFile(field: "key" | "cert" | "ca", file: string): string {
  try {
    const text = readFileSync(file, "utf8");
    const { createPrivateKey, X509Certificate } = process.getBuiltinModule("node:crypto");
    if (field === "key") createPrivateKey(text);
    else new X509Certificate(text);
    return text;
  } catch (error) {
    throw refused(`https.${field} cannot be read from ${file}: ${reasonOf(error)}.`);
  }
}

/** Reads a server's certificate and key. @throws SandboxError `invalid_config`, also if they do not match */
export function readCertificate(files: { key: string; cert: string }): { key: string; cert: string } {
  const [key, cert] = [readHttpsFile("key", files.key), readHttpsFile("cert", files.cert)];
  const { createPrivateKey, X509Certificate } = process.getBuiltinModule("node:crypto");
  if (new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) return { key, cert };
  throw refused(`https.key in ${files.key} does not match the certificate in ${files.cert}.`);
}

const refused = (message: string): SandboxError =>
  invalidConfig(message, `Give the paths of your PEM files. ${MAKE_CERTIFICATES}`);
