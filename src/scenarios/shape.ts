import { resolveConfig } from "../config/config.ts";
import { SandboxError } from "../errors/errors.ts";
import { isObject } from "../runtime/is-object.ts";
import { clip } from "../timeline/text.ts";
import { parseInstant } from "../world/duration.ts";
import type { ParamSpec, Scenario } from "./define.ts";

const KNOWN = new Set(["name", "title", "description", "params", "seed", "startAt", "config", "run"]);
const CONFIG_SECTIONS = new Set(["payments", "webhooks", "chainData", "game", "senders"]);
const NAME = /^[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?$/;
const PARAM_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,40}$/;

/** The metadata in a scenario file, with defaults for missing fields. */
export type ScenarioInfo = Required<Pick<Scenario, "name" | "title" | "description" | "params">> &
  Pick<Scenario, "seed" | "startAt" | "config">;

/**
 * Validates a scenario file's exports.
 * @throws SandboxError `invalid_scenario` with the file, the field and the expected value
 */
export function checkScenario(file: string, exported: unknown): ScenarioInfo & Pick<Scenario, "run"> {
  const wrong = (reason: string, hint = "npx sandglass init writes an example.") =>
    new SandboxError("invalid_scenario", `${file}: ${reason}.`, hint);
  if (!isObject(exported))
    throw wrong(
      `its default export is ${shown(exported)}, not a scenario`,
      "Write: export default defineScenario({ name, title, run }).",
    );
  const unknown = Object.keys(exported).find((key) => !KNOWN.has(key));
  if (unknown !== undefined)
    throw wrong(`a scenario has no field '${unknown}'`, `Valid fields: ${[...KNOWN].join(", ")}.`);
  const { name, title, description = "", params = {}, seed, startAt, config, run } = exported;
  if (typeof name !== "string" || !NAME.test(name))
    throw wrong(
      `name is ${shown(name)}`,
      "Use 1 to 60 lower-case letters, digits and hyphens, such as retry-and-recover.",
    );
  if (typeof title !== "string" || title.trim() === "")
    throw wrong(`title is ${shown(title)}`, "Use a string that sums up the story in one line.");
  if (typeof description !== "string") throw wrong(`description is ${shown(description)}, not a string`);
  if (typeof run !== "function")
    throw wrong(
      `run is ${shown(run)}`,
      "Write it as a function: async run({ sandbox, step, expect }) { … }.",
    );
  if (!isObject(params)) throw wrong(`params is ${shown(params)}, not an object of parameters`);
  for (const [key, spec] of Object.entries(params)) {
    const reason = wrongParam(key, spec);
    if (reason !== undefined)
      throw wrong(reason, 'For example: params: { attempts: { default: 3, description: "…" } }.');
  }
  if (seed !== undefined && (typeof seed !== "string" || seed === ""))
    throw wrong(`seed is ${shown(seed)}, not a string`);
  if (startAt !== undefined) {
    try {
      parseInstant(startAt as string);
    } catch {
      throw wrong(`startAt is ${shown(startAt)}`, "Use ISO 8601, such as 2026-01-15T09:00:00Z.");
    }
  }
  if (config !== undefined) checkConfig(file, config, wrong);
  return { ...exported, description, params, run } as ReturnType<typeof checkScenario>;
}

function checkConfig(file: string, config: unknown, wrong: (reason: string, hint?: string) => Error): void {
  if (!isObject(config)) throw wrong(`config is ${shown(config)}, not an object`);
  const outside = Object.keys(config).find((key) => !CONFIG_SECTIONS.has(key));
  if (outside !== undefined)
    throw wrong(
      `config.${outside} cannot differ for one scenario`,
      `Sections that can be set: ${[...CONFIG_SECTIONS].join(", ")}.`,
    );
  try {
    resolveConfig(config, 0, `${file}: config`);
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    throw new SandboxError("invalid_scenario", error.message, error.hint);
  }
}

function wrongParam(name: string, spec: unknown): string | undefined {
  if (!PARAM_NAME.test(name))
    return `the name of the parameter '${name.slice(0, 60)}' must start with a letter and contain only letters, digits, - and _`;
  if (!isObject(spec) || !["string", "number", "boolean"].includes(typeof spec.default))
    return `params.${name} needs a default: a string, a number, true or false`;
  const { choices } = spec as unknown as ParamSpec;
  if (choices === undefined) return undefined;
  const fit = Array.isArray(choices) && choices.every((choice) => typeof choice === typeof spec.default);
  if (!fit) return `params.${name}.choices must be a list of values of the default's type`;
  const values: readonly unknown[] = choices;
  return values.includes(spec.default) ? undefined : `params.${name}.default is not one of its choices`;
}

function shown(value: unknown): string {
  if (value === undefined) return "missing";
  if (typeof value === "function") return "a function";
  const text = JSON.stringify(value) ?? String(value);
  return clip(text, 60);
}
