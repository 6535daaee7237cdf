import "./runtime/require-node.ts";

/** The public exports of `sandglass`. */
export type { Answer } from "./client/http.ts";
export type { PlatformRequest, RemoteSandbox, SessionOptions, WorldOptions } from "./client/sandbox.ts";
export { type Duration, defineConfig, type Rule, type SandglassConfig } from "./config/config.ts";
export { SandboxError } from "./errors/errors.ts";
export { keepOnFailure, type NamedTest } from "./library/keep-on-failure.ts";
export { type CreateSandboxOptions, createSandbox } from "./library/library.ts";
export { verifySignature } from "./payments/webhooks/signature.ts";
export {
  defineScenario,
  type ParamSpec,
  type Scenario,
  type ScenarioContext,
} from "./scenarios/define.ts";
