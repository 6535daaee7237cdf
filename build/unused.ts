import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

/** What packages load for uses that Sandglass has none of. */
const UNUSED: readonly { by: RegExp; names: readonly string[] }[] = [
  // Versioned routes and plugins, the validators and serializers that http/validation.ts replaces, logs, calls without
  // a server, TLS and HTTP/2.
  {
    by: /\/node_modules\/(fastify|find-my-way)\//,
    names: [
      "semver",
      "@fastify/ajv-compiler",
      "@fastify/fast-json-stringify-compiler",
      "pino",
      "light-my-request",
      "node:https",
      "node:http2",
    ],
  },
  // Commands that are programs of their own.
  { by: /\/node_modules\/commander\//, names: ["node:child_process"] },
];
const EMPTY = "\0unused:";
const UNDICI = fileURLToPath(new URL("undici.mjs", import.meta.url));

/** Leaves those parts out of the bundle, and what is unused of undici: two thirds of Fastify's code, and most of undici's. */
export function leaveOutUnused(): Plugin {
  return {
    name: "leave-out-unused",
    enforce: "pre",
    resolveId(id, importer = "") {
      if (id === "undici") return UNDICI;
      const from = importer.replaceAll("\\", "/");
      const unused = UNUSED.some(
        ({ by, names }) => by.test(from) && names.some((name) => id === name || id.startsWith(`${name}/`)),
      );
      return unused ? EMPTY + id : undefined;
    },
    load: (id) => (id.startsWith(EMPTY) ? "export default {};" : undefined),
  };
}
