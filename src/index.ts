import "./runtime/require-node.ts";

/** The public exports of `sandglass`. */
export { check } from "./entries/check.ts";
export { type CreateSandboxOptions, createSandbox } from "./entries/create-sandbox.ts";
export { defineConfig, defineSender } from "./entries/define.ts";
export { explore } from "./entries/explore.ts";
export { keepOnFailure, type NamedTest } from "./entries/keep-on-failure.ts";
export { readWebhook, type WebhookHeaders } from "./entries/read-webhook.ts";
export { keepTables, readState } from "./entries/state.ts";
export { type ErrorCode, type PlatformErrorCode, SandboxError } from "./errors/errors.ts";
export type { ActivityType } from "./game/rows.ts";
export type {
  CheckExchange,
  CheckHazard,
  CheckLeftOut,
  CheckOptions,
  CheckResult,
  CheckVerdict,
} from "./library/check.ts";
export type {
  ExploreDelivery,
  ExploreEvent,
  ExploreFailure,
  ExploreInvariant,
  ExploreLevel,
  ExploreOptions,
  ExploreRequest,
  ExploreResponse,
  ExploreResult,
  ExploreSignal,
  ExploreSubscriber,
} from "./library/explore.ts";
export type * from "./library/index.ts";
export { verifySignature } from "./payments/webhooks/signature.ts";
export {
  defineScenario,
  type ParamSpec,
  type ParamSpecs,
  type ParamsOf,
  type ParamValue,
  type Scenario,
  type ScenarioContext,
} from "./scenarios/define.ts";
