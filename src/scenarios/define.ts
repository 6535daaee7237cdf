import type { SandglassConfig } from "../library/config.ts";
import type { Expect, Sandbox } from "../library/index.ts";

/**
 * The value of a parameter.
 * @example
 * const value: ParamValue = 3;
 */
export type ParamValue = string | number | boolean;

/**
 * A parameter. The type of its default is its type.
 * @example
 * const failures: ParamSpec<number> = { default: 2, description: "Failed attempts before one succeeds" };
 */
export interface ParamSpec<Value extends ParamValue = ParamValue> {
  default: Value;
  description?: string;
  /** The allowed values; by default, any value of its type. */
  choices?: readonly Value[];
}

/**
 * The parameters of a scenario, by name.
 * @example
 * const params: ParamSpecs = { failures: { default: 2 } };
 */
export type ParamSpecs = Record<string, ParamSpec>;

/**
 * The values that a run gets for the parameters of a scenario.
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
 * The argument of `run`.
 * @example
 * const run = async ({ sandbox, step }: ScenarioContext) => {
 *   await step("The customer pays", () => sandbox.payments.pay("coffee"));
 * };
 */
export interface ScenarioContext<Specs extends ParamSpecs = ParamSpecs> {
  /** The run's own world with a paused clock: the same surface as the library's. */
  sandbox: Sandbox;
  /**
   * A step of the story: its title and its work. The report shows its result and the ledger of its effects.
   * @returns the result of the work
   * @throws the error of the work, and SandboxError `invalid_state` for a step within another
   */
  step<Result>(title: string, work: () => Result | Promise<Result>): Promise<Result>;
  /** Expectations: the matchers of Jest and Vitest. */
  expect: Expect;
  params: ParamsOf<Specs>;
  /** Adds a line to the report. */
  log(text: string): void;
  /** The server of `--subscriber`, which replaces every built-in inbox; null without one. */
  subscriber: string | null;
}

/**
 * A story that can be run: from the command line, over HTTP, from the page.
 * @example
 * const scenario: Scenario = { name: "one-payment", title: "One payment", run: ({ sandbox }) => use(sandbox) };
 */
export interface Scenario<Specs extends ParamSpecs = ParamSpecs> {
  /** The name to run it by: lower-case letters, digits and hyphens. */
  name: string;
  title: string;
  description?: string;
  params?: Specs;
  /** The fixtures of its world; by default, those of the default seed. */
  seed?: string;
  /** The virtual time at its beginning, ISO 8601. */
  startAt?: string;
  /** How its world differs from the configuration. */
  config?: Pick<SandglassConfig, "payments" | "webhooks" | "chainData" | "game" | "senders">;
  run(context: ScenarioContext<Specs>): void | Promise<void>;
}

/**
 * Types a scenario for the editor; returns it unchanged. It is the default export of a file under `scenarios/`.
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
