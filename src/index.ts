import "./runtime/require-node.ts";

/** The public exports of `sandglass`. */
export type { ChainDataConfig } from "./config/chain-data.ts";
export type { GameConfig } from "./config/game.ts";
export { type Duration, defineConfig, type Rule, type SandglassConfig } from "./config.ts";
export { type ErrorCode, type PlatformErrorCode, SandboxError } from "./errors.ts";
export type { SignatureMode } from "./game/context.ts";
export type { ActivityType } from "./game/rows.ts";
export type { RuleAction, ValueCondition } from "./game/rules/rule.ts";
export type * from "./library/index.ts";
export { type CreateSandboxOptions, createSandbox } from "./library.ts";
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
