import { defineConfig } from "./src/index.ts";

/**
 * What this checkout's sandbox does differently from the defaults: nothing. Every field is optional; the
 * editor knows them all, and docs/guide.md explains them. In a project of your own, import from "sandglass".
 */
export default defineConfig({
  port: 4400,
});
