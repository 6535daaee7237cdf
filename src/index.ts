/** The public exports of `sandglass`. */
export { type Duration, type SandglassConfig, defineConfig } from "./config.ts";
export { SandboxError } from "./errors.ts";
export { verifySignature } from "./payments/webhooks/signature.ts";
