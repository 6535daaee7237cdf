import { type ErrorCode, type Hint, type PlatformErrorCode, SandboxError } from "../errors/errors.ts";
import { notSandglass } from "./transport.ts";

/** The error for an answer that is not a success: what the sandbox refused, or that something else answered. */
export function refusalOf(url: string, status: number, answer: unknown): SandboxError {
  const error = isObject(answer) ? answer.error : undefined;
  if (!isObject(error)) return notSandglass(url);
  const { code, message, hint } = error;
  if (typeof code !== "string" || typeof message !== "string") return notSandglass(url);
  return new SandboxError(
    code as ErrorCode | PlatformErrorCode,
    message,
    typeof hint === "string" ? hint : platformHint(code, url),
    status,
  );
}

/** What a text says as JSON; undefined for what is no JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** The platform's own errors say what is wrong and leave the way out to its documentation. */
function platformHint(code: string, url: string): Hint {
  const reference = {
    command: `What the call takes is in ${url}/platform/reference.`,
    // The sandbox of a test or a scenario is gone when a person reads this.
    library: "What the call takes is in the platform's document: npx sandglass openapi platform",
    http: `What the call takes is in ${url}/platform/reference.`,
  };
  if (!code.startsWith("key_") && code !== "insufficient_permissions") return reference;
  return {
    command: "Print the keys that work here: npx sandglass status",
    library: "The keys that work here are in sandbox.keys.",
    http: `The keys that work here are in ${url}/_sandbox/status.`,
  };
}
