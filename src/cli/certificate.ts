import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openAuthority } from "../certificates/authority.ts";
import { VOUCHED_FOR } from "../certificates/names.ts";
import { misuse } from "../errors/errors.ts";
import { fileError } from "../errors/file-error.ts";
import { makeFolder } from "../runtime/make-folder.ts";
import { refuseLinks, writePrivateFile } from "../runtime/private-files.ts";
import { shellArgument, shellWord } from "../runtime/shell.ts";
import { wallNow } from "../world/clock.ts";
import type { Invocation } from "./command.ts";
import { fields, paint, print, printJson } from "./output.ts";

interface Options {
  out?: string;
  name?: string[];
  json?: boolean;
}

/** `sandglass certificate`: how to trust this user's certificate authority; with --out, a certificate of it. */
export async function run({ options }: Invocation<Options>): Promise<undefined> {
  const { out, name: names = [], json } = options;
  if (out === undefined && names.length > 0)
    throw misuse(
      `--name ${names[0]} is for a certificate, and --out is missing.`,
      `Name a folder for it: npx sandglass certificate --out certs --name ${shellArgument(names[0]!)}`,
    );
  const { file, validUntil, issue } = await openAuthority(wallNow());
  const authority = { file, valid_until: validUntil };
  const issued = out === undefined ? undefined : writeFiles(out, await issue(names));
  if (json) printJson({ authority, ...issued });
  else for (const line of issued ? issuedLines(issued) : trustLines(file, validUntil)) print(line);
  return undefined;
}

function writeFiles(folder: string, { cert, key }: { cert: string; key: string }) {
  const files = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };
  try {
    for (const file of [files.cert, files.key]) refuseLinks(file);
    makeFolder(folder);
    writeFileSync(files.cert, cert);
    writePrivateFile(files.key, key);
    return files;
  } catch (error) {
    throw fileError("write to", folder, error, "Name another folder with --out.");
  }
}

const issuedLines = ({ cert, key }: { cert: string; key: string }): string[] =>
  fields([
    ["certificate", cert],
    ["key", key],
    ["trusted by", "Sandglass, and every program that trusts the authority; see: npx sandglass certificate"],
  ]);

/** A way to trust the authority, for each program that asks. */
function trustLines(file: string, validUntil: string): string[] {
  const path = shellWord(file);
  const row = (name: string, command: string): [string, string] => [name, command];
  return [
    ...fields([
      row("authority", file),
      row("valid until", validUntil.slice(0, 10)),
      row("vouches for", VOUCHED_FOR),
    ]),
    "",
    "Sandglass's commands, connect() and webhooks trust it already. For everything else:",
    "",
    ...fields(
      [
        row("Node", `export NODE_EXTRA_CA_CERTS=${path}`),
        row("curl", `curl --cacert ${path} https://127.0.0.1:4400/_sandbox/status`),
        row("Python", `export SSL_CERT_FILE=${path} REQUESTS_CA_BUNDLE=${path}`),
        row(
          "macOS",
          `security add-trusted-cert -r trustRoot -k ~/Library/Keychains/login.keychain-db ${path}`,
        ),
        row("Windows", `certutil -user -addstore Root ${path}`),
        row(
          "Debian, Ubuntu",
          `sudo cp ${path} /usr/local/share/ca-certificates/sandglass.crt && sudo update-ca-certificates`,
        ),
        row("Chromium on Linux", `certutil -d sql:$HOME/.pki/nssdb -A -t C,, -n sandglass -i ${path}`),
        row("Firefox", "Settings → Privacy & Security → View Certificates → Authorities → Import"),
      ],
      "  ",
    ),
    "",
    paint.dim(
      "Node adds the file to what it trusts. Python then trusts nothing else: unset the variables to go back.",
    ),
  ];
}
