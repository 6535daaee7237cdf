import { href } from "../router.ts";
import type { ParamSpec, ParamValue, Run, Scenario } from "./api.ts";

/** How a parameter is filled in. */
type ParamField = "text" | "lines" | "number" | "switch" | "choice";

/** What is filled in, by the parameter's name: always a text. */
export type Filled = Record<string, string>;

export function fieldOf({ default: value, choices }: ParamSpec): ParamField {
  if (choices) return "choice";
  if (typeof value === "boolean") return "switch";
  if (typeof value === "number") return "number";
  return value.includes("\n") ? "lines" : "text";
}

/** What a form begins with. @param values texts that were asked for, in place of the defaults */
export function filledOf(params: Scenario["params"], values: Filled = {}): Filled {
  return Object.fromEntries(
    Object.entries(params).map(([name, spec]) => {
      const text = Object.hasOwn(values, name) ? values[name]! : String(spec.default);
      return [name, readParam(spec, text).problem === undefined ? text : String(spec.default)];
    }),
  );
}

/** What a text means for a parameter, or why it means nothing. */
export function readParam(
  spec: ParamSpec,
  text: string,
): { value: ParamValue; problem?: undefined } | { value?: undefined; problem: string } {
  if (spec.choices) {
    const value = spec.choices.find((choice) => String(choice) === text);
    return value === undefined ? { problem: `One of ${spec.choices.join(", ")}.` } : { value };
  }
  if (typeof spec.default === "string") return { value: text };
  if (typeof spec.default === "boolean")
    return text === "true" || text === "false" ? { value: text === "true" } : { problem: "true or false." };
  const value = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(value) ? { value } : { problem: `A number, such as ${spec.default}.` };
}

/** All values of a form; undefined as long as one of them means nothing. */
export function readAll(params: Scenario["params"], filled: Filled): Run["params"] | undefined {
  const values: Run["params"] = {};
  for (const [name, spec] of Object.entries(params)) {
    const { value } = readParam(spec, filled[name] ?? "");
    if (value === undefined) return undefined;
    values[name] = value;
  }
  return values;
}

const PARAM = "param.";
const SUBSCRIBER = "subscriber";

/** What a form is opened with, as its address says it: `?param.failures=3&subscriber=http://…`. */
export function readAsked(query: URLSearchParams): { values: Filled; subscriber: string } {
  const values: Filled = {};
  for (const [name, value] of query) if (name.startsWith(PARAM)) values[name.slice(PARAM.length)] = value;
  return { values, subscriber: query.get(SUBSCRIBER) ?? "" };
}

/** The address of a form that is filled with what a run was made with; an empty text counts, too. */
export function formHref(scenario: string, params: Run["params"], subscriber: string | null): string {
  const query = new URLSearchParams(
    Object.entries(params).map(([name, value]) => [PARAM + name, String(value)]),
  );
  if (subscriber !== null) query.set(SUBSCRIBER, subscriber);
  const text = query.toString();
  return href(["scenarios", scenario]) + (text && `?${text}`);
}

/** @returns what is wrong with a subscriber's address, if anything is; none at all is fine */
export function subscriberProblem(text: string): string | undefined {
  if (text === "") return undefined;
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return undefined;
  return "An http or https URL, such as http://127.0.0.1:3000/webhooks.";
}
