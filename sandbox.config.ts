import type { SandglassConfig } from "sandglass";

/**
 * What this checkout's sandbox does differently from the defaults: nothing. Every field is optional; the
 * editor knows them all, and docs/guide/configuration.md explains them.
 */
export default {
  port: 4400,
} satisfies SandglassConfig;
