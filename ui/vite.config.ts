import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/**
 * The page, built into the package: `vite build ui`. `vite ui` serves it while you work on it, with the data of the sandbox at
 * SANDGLASS_URL.
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
      // The hosted checkout has the same font, and finds it by a name that stays.
      output: {
        assetFileNames: ({ names: [name] }) =>
          name?.endsWith(".woff2") ? "assets/inter.woff2" : "assets/[name]-[hash][extname]",
      },
    },
  },
}));
