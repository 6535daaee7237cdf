import { misuse } from "../errors/errors.ts";
import { withoutPasswords } from "../runtime/redact.ts";
import { clip } from "../timeline/text.ts";
import type { ParamSpec, ParamSpecs, ParamValue } from "./define.ts";

/** The parameter types, as messages describe them. */
const KINDS = { string: "a string", number: "a number", boolean: "true or false" } as const;

const kindOf = (spec: ParamSpec) => typeof spec.default as keyof typeof KINDS;

/**
 * A run's parameter values: the given ones, or else the defaults. Strings are converted to the type of the default,
 * because a command line can only pass strings.
 * @throws SandboxError `bad_request` with the parameter, its value and the allowed values
 */
export function readParams(
  scenario: string,
  specs: ParamSpecs,
  values: Readonly<Record<string, unknown>>,
): Record<string, ParamValue> {
  const unknown = Object.keys(values).find((name) => !Object.hasOwn(specs, name));
  if (unknown !== undefined)
    throw misuse(
      `The scenario ${scenario} has no parameter '${clip(unknown, 60)}'.`,
      Object.keys(specs).length === 0
        ? "It takes none."
        : `Available parameters: ${Object.entries(specs).map(describe).join(", ")}.`,
    );
  return Object.fromEntries(
    Object.entries(specs).map(([name, spec]) => [
      name,
      Object.hasOwn(values, name) ? readParam(scenario, name, spec, values[name]) : spec.default,
    ]),
  );
}

/** Parameters as shown in reports, without passwords in URLs. */
export const shownParams = (params: Readonly<Record<string, ParamValue>>): Record<string, ParamValue> =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      typeof value === "string" ? withoutPasswords(value) : value,
    ]),
  );

function readParam(scenario: string, name: string, spec: ParamSpec, value: unknown): ParamValue {
  const read = typeof value === "string" ? fromText(spec, value) : value;
  const fits = typeof read === typeof spec.default && (typeof read !== "number" || Number.isFinite(read));
  if (fits && (spec.choices === undefined || spec.choices.includes(read as ParamValue)))
    return read as ParamValue;
  throw misuse(
    `The parameter ${name} of the scenario ${scenario} is ${clip(JSON.stringify(value) ?? "undefined", 60)}.`,
    `It must be ${spec.choices ? `one of ${spec.choices.join(", ")}` : KINDS[kindOf(spec)]}; the default is ${spec.default}.`,
  );
}

function fromText(spec: ParamSpec, text: string): ParamValue | undefined {
  if (typeof spec.default === "string") return text;
  if (typeof spec.default === "number") return text.trim() === "" ? undefined : Number(text);
  return text === "true" ? true : text === "false" ? false : undefined;
}

const describe = ([name, spec]: [string, ParamSpec]) => `${name} (${KINDS[kindOf(spec)]}, ${spec.default})`;
