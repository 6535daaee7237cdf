import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

/**
 * What Fastify and its router load for uses that Sandglass has none of: versioned routes and plugins (semver), the
 * validators and serializers that http/validation.ts replaces, logs, calls without a server, TLS and HTTP/2.
 */
const UNUSED = [
  "semver",
  "@fastify/ajv-compiler",
  "@fastify/fast-json-stringify-compiler",
  "pino",
  "light-my-request",
  "node:https",
  "node:http2",
];
const FASTIFY = /\/node_modules\/(fastify|find-my-way)\//;
const EMPTY = "\0unused:";
const UNDICI = fileURLToPath(new URL("undici.mjs", import.meta.url));

/** Leaves those parts out of the bundle, and what is unused of undici: two thirds of Fastify's code, and most of undici's. */
export function leaveOutUnused(): Plugin {
  return {
    name: "leave-out-unused",
    enforce: "pre",
    resolveId(id, importer = "") {
      if (id === "undici") return UNDICI;
      const unused = UNUSED.some((name) => id === name || id.startsWith(`${name}/`));
      return unused && FASTIFY.test(importer.replaceAll("\\", "/")) ? EMPTY + id : undefined;
    },
    load: (id) => (id.startsWith(EMPTY) ? "module.exports = {};" : undefined),
  };
}
