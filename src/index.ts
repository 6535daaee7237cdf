import "./runtime/require-node.ts";

export { defineConfig } from "./config/config.ts";
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
export {
  type ExploreDelivery,
  type ExploreEvent,
  type ExploreFailure,
  type ExploreInvariant,
  type ExploreLevel,
  type ExploreOptions,
  type ExploreRequest,
  type ExploreResponse,
  type ExploreResult,
  type ExploreSignal,
  type ExploreSubscriber,
  explore,
} from "./library/explore.ts";
export type * from "./library/index.ts";
export { keepOnFailure, type NamedTest } from "./library/keep-on-failure.ts";
export { type CreateSandboxOptions, createSandbox } from "./library/library.ts";
export { keepTables, readState } from "./library/state.ts";
export { readWebhook, type WebhookHeaders } from "./payments/webhooks/read-webhook.ts";
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
export { defineSender } from "./senders/define.ts";
/** The public exports of `sandglass`. */
export { check } from "./trial/check/library.ts";
