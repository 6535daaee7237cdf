/** The public exports of `sandglass`. */
export { type Duration, defineConfig, type SandglassConfig } from "./config.ts";
export { SandboxError } from "./errors.ts";
export { verifySignature } from "./payments/webhooks/signature.ts";
