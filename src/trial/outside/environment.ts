import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { rootCertificates } from "node:tls";
import { pathOf } from "../../runtime/package.ts";
import { readIfThere } from "../../runtime/read-if-there.ts";
import type { GatewayAddress } from "./gateway.ts";
import { isOwnHost, plainHost } from "./hosts.ts";
import { EVERYWHERE, OUTSIDE, requiring, VARIABLES } from "./variables.ts";

const PRELOAD = { source: "src/trial/outside/preload/preload.ts", built: "dist/outside-preload.cjs" };
/** Where Linux distributions store the trusted certificate authorities as one file. */
const SYSTEM_FILES = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
];
const LOOPBACK = ["localhost", "127.0.0.1", "::1", "[::1]"];
const URLS = /[a-z][a-z0-9+.-]*:\/\/[^\s,"']+/gi;

export interface EnvironmentOptions {
  /** Variables that the server always gets. */
  env: Readonly<Record<string, string | undefined>>;
  /** The only places whose connections the preload redirects to the gateway. */
  only: readonly string[];
  address: GatewayAddress;
  /** The certificate of this run's authority, in PEM. */
  certificate: string;
}

/**
 * Variables that route a server's connections to the gateway and make it trust this run's authority: in Node through the
 * preload, elsewhere through proxy variables.
 * @returns also a function that removes the files that they refer to
 */
export function environmentOf({ env, only, address, certificate }: EnvironmentOptions) {
  const { port, token } = address;
  const { PROXIES, DIRECT, ALL_AUTHORITIES, MORE_AUTHORITIES, PHP, COMPILED } = VARIABLES;
  // Only this user can read the folder.
  const folder = mkdtempSync(join(tmpdir(), "sandglass-"));
  const write = (name: string, text: string): string => {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  };
  const own = (names: readonly string[]): string[] => [
    ...new Set(names.flatMap((name) => (env[name] ? [readIfThere(env[name])] : []))),
  ];
  const more = write("authority.pem", [certificate, ...own(MORE_AUTHORITIES)].join("\n"));
  const system = SYSTEM_FILES.map(readIfThere).find(Boolean) ?? rootCertificates.join("\n");
  const all = write("authorities.pem", [certificate, system, ...own(ALL_AUTHORITIES)].join("\n"));
  write("sandglass.ini", `curl.cainfo=${all}\nopenssl.cafile=${all}\n`);
  const preload = pathOf(PRELOAD);
  const each = (names: readonly string[], value: string) =>
    Object.fromEntries(names.map((name) => [name, value]));
  const variables: Record<string, string> = {
    [OUTSIDE]: [port, token, only.join(","), preload].join(" "),
    NODE_OPTIONS: requiring(preload, env.NODE_OPTIONS),
    ...each(PROXIES, `http://sandglass:${token}@127.0.0.1:${port}`),
    ...each(DIRECT, [...LOOPBACK, ...ownHostsIn(env)].join(",")),
    ...each(ALL_AUTHORITIES, all),
    ...each(MORE_AUTHORITIES, more),
    // An empty part of the list means the default folder.
    [PHP]: `${env[PHP] ?? ""}${delimiter}${folder}`,
    // A trial restarts its server many times. Coverage is less precise for cached code.
    ...(only.includes(EVERYWHERE) &&
      !env[COMPILED] &&
      !env.NODE_V8_COVERAGE && { [COMPILED]: join(folder, "compiled") }),
  };
  return { variables, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The hosts on this machine and its private networks that addresses in variables point to. */
function ownHostsIn(env: Readonly<Record<string, string | undefined>>): string[] {
  const hosts = Object.values(env).flatMap((value = "") =>
    (value.match(URLS) ?? []).flatMap((text) => {
      const host = /^[^/]*\/\/(?:[^/]*@)?(\[[^\]]*\]|[^:/?#]*)/.exec(text)?.[1];
      return host ? [plainHost(host)] : [];
    }),
  );
  return [...new Set(hosts)].filter(
    (host) => isOwnHost(host) && (isIP(host) === 0 || !LOOPBACK.includes(host)),
  );
}
