import type { SandglassConfig } from "../library/config.ts";
import type { Expect, Sandbox } from "../library/index.ts";

/**
 * A parameter's value.
 * @example
 * const value: ParamValue = 3;
 */
export type ParamValue = string | number | boolean;

/**
 * A parameter, whose type is that of its default.
 * @example
 * const failures: ParamSpec<number> = { default: 2, description: "Failed attempts before one succeeds" };
 */
export interface ParamSpec<Value extends ParamValue = ParamValue> {
  default: Value;
  description?: string;
  /** The allowed values; by default, any value of the parameter's type. */
  choices?: readonly Value[];
}

/**
 * A scenario's parameters by name.
 * @example
 * const params: ParamSpecs = { failures: { default: 2 } };
 */
export type ParamSpecs = Record<string, ParamSpec>;

/**
 * A run's values for a scenario's parameters.
 * @example
 * type Values = ParamsOf<{ failures: { default: number } }>; // { readonly failures: number }
 */
export type ParamsOf<Specs extends ParamSpecs> = {
  readonly [Name in keyof Specs]: Specs[Name] extends { choices: readonly (infer Choice)[] }
    ? Choice
    : Widened<Specs[Name]["default"]>;
};
type Widened<Value> = Value extends string ? string : Value extends number ? number : boolean;

/**
 * The argument passed to `run`.
 * @example
 * const run = async ({ sandbox, step }: ScenarioContext) => {
 *   await step("The customer pays", () => sandbox.payments.pay("coffee"));
 * };
 */
export interface ScenarioContext<Specs extends ParamSpecs = ParamSpecs> {
  /** The run's own world, with a paused clock and the full API of the library. */
  sandbox: Sandbox;
  /**
   * Runs a step of the scenario. The report shows the step's result and a summary of its effects.
   * @returns the work's result
   * @throws the work's error, or SandboxError `invalid_state` for a step inside another
   */
  step<Result>(title: string, work: () => Result | Promise<Result>): Promise<Result>;
  /** Assertions with the matchers of Jest and Vitest. */
  expect: Expect;
  params: ParamsOf<Specs>;
  /** Adds a line to the report. */
  log(text: string): void;
  /** The URL passed to `--subscriber`, which replaces every built-in inbox; null without `--subscriber`. */
  subscriber: string | null;
}

/**
 * A story that can be run from the command line, over HTTP or on the page.
 * @example
 * const scenario: Scenario = { name: "one-payment", title: "One payment", run: ({ sandbox }) => use(sandbox) };
 */
export interface Scenario<Specs extends ParamSpecs = ParamSpecs> {
  /** The name by which the scenario is run: lower-case letters, digits and hyphens. */
  name: string;
  title: string;
  description?: string;
  params?: Specs;
  /** The fixtures of its world; by default, those of the default seed. */
  seed?: string;
  /** The virtual start time, in ISO 8601 format. */
  startAt?: string;
  /** Settings for its world that override the configuration. */
  config?: Pick<SandglassConfig, "payments" | "webhooks" | "chainData" | "game" | "senders">;
  run(context: ScenarioContext<Specs>): void | Promise<void>;
}

/**
 * Gives the editor a scenario's type, and returns the scenario unchanged. Use it for the default export of a file in
 * `scenarios/`.
 * @example
 * export default defineScenario({
 *   name: "one-payment",
 *   title: "One payment",
 *   async run({ sandbox, expect }) {
 *     const { transaction } = await sandbox.payments.pay("coffee");
 *     expect(transaction.status).toBe("completed");
 *   },
 * });
 */
export function defineScenario<const Specs extends ParamSpecs = Record<never, never>>(
  scenario: Scenario<Specs>,
): Scenario<Specs> {
  return scenario;
}
