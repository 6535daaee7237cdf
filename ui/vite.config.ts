import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/**
 * Builds the page for the package with `vite build ui`. During development, `vite ui` serves it with data from the
 * sandbox at SANDGLASS_URL.
 */
export default defineConfig(({ command }) => ({
  root: path("."),
  base: "./",
  logLevel: command === "build" ? "warn" : "info",
  cacheDir: path("../node_modules/.cache/vite"),
  server: {
    fs: { allow: [path("..")] },
    proxy: {
      "^/(?:_sandbox|data|game|platform)(?:/|$)": {
        target: process.env.SANDGLASS_URL ?? "http://127.0.0.1:4400",
        ws: true,
      },
    },
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    outDir: path("../dist/ui"),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      checks: { bundlerTimings: false },
      // The hosted checkout uses the same font, so the name of its file must not change.
      output: {
        assetFileNames: ({ names: [name] }) =>
          name?.endsWith(".woff2") ? "assets/inter.woff2" : "assets/[name]-[hash][extname]",
      },
    },
  },
}));
