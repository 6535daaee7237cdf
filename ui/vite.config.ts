import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** The page, built into the package: `vite build ui`, with `--watch` while working on it. */
export default defineConfig({
  root: path("."),
  base: "./",
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    outDir: path("../dist/ui"),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // The hosted checkout has the same font, and finds it by a name that stays.
      output: {
        assetFileNames: ({ names: [name] }) =>
          name?.endsWith(".woff2") ? "assets/inter.woff2" : "assets/[name]-[hash][extname]",
      },
    },
  },
});
