import type { SandglassConfig } from "sandglass";

/** This checkout's sandbox uses the defaults. docs/guide/configuration.md explains every field. */
export default {
  port: 4400,
} satisfies SandglassConfig;
