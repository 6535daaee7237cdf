import querystring from "node:querystring";
import { type ErrorCode, type Hint, type PlatformErrorCode, SandboxError } from "../errors/errors.ts";
import { notSandglass, type SentAnswer } from "./transport.ts";

/** Where the platform's API is, below the sandbox's address. */
export const PLATFORM_PATH = "/platform/api/v1";

/** The error for a failed answer: the sandbox's refusal, or the answer of another program. */
export function refusalOf(url: string, status: number, answer: unknown, call?: PlatformCall): SandboxError {
  const error = isObject(answer) ? answer.error : undefined;
  if (!isObject(error)) return notSandglass(url);
  const { code, message, hint, param } = error;
  if (typeof code !== "string" || typeof message !== "string") return notSandglass(url);
  return new SandboxError(
    code as ErrorCode | PlatformErrorCode,
    message,
    typeof hint === "string" ? hint : platformHint({ code, message, url, ...call }),
    status,
    typeof param === "string" ? param : undefined,
  );
}

/**
 * A refusal with the field at fault named as on a surface; other errors are returned unchanged.
 * @param words the surface's names by those of the operation
 * @param join names a part of a field by its path
 */
export function inOwnWords(
  error: unknown,
  words: Readonly<Record<string, string>>,
  join = (word: string, rest: string) => word + rest,
): unknown {
  if (!(error instanceof SandboxError) || error.param === undefined) return error;
  const [field = ""] = error.param.split(/[.[]/);
  const word = words[field];
  if (word === undefined) return error;
  const named = join(word, error.param.slice(field.length));
  // A sentence about the value, such as "There is no organization x.", stays as it is.
  const message = error.message.replace(
    /^((?:Missing required|Unknown) field: )?([\w.[\]]+)/,
    (text, head = "", name) => (name === error.param ? head + named : text),
  );
  return SandboxError.reworded(error, message, named);
}

/** The value of a JSON text; undefined for any other text. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** A refused call of the platform, with its answer beside the error. */
interface PlatformCall {
  /** Below the sandbox's address. */
  path: string;
  headers: SentAnswer["headers"];
}

interface PlatformRefusal extends Partial<PlatformCall> {
  code: string;
  message: string;
  url: string;
}

/** The platform's own errors say what is wrong, and leave the way out to its documentation. */
function platformHint({ code, message, url, path = "", headers = {} }: PlatformRefusal): Hint {
  if (headers["x-sandbox-fault"] !== undefined)
    return {
      command: "End the fault: npx sandglass faults platform --clear",
      library: 'End the fault with faults.clear("platform").',
      http: "End the fault with DELETE /_sandbox/faults/platform.",
    };
  if (code === "rate_limit_exceeded")
    return {
      command: "Advance the clock: npx sandglass advance 1m. Or start with --rate-limit off.",
      library: 'Advance the clock with clock.advance("1m"), or configure payments: { rateLimit: "off" }.',
      http: 'Advance the clock with POST /_sandbox/clock/advance {"by": "1m"}, or start with --rate-limit off.',
    };
  if (code.startsWith("key_") || code === "insufficient_permissions")
    return {
      command: "Print the valid keys: npx sandglass status",
      library: "The valid keys are in sandbox.keys.",
      http: `The valid keys are in ${url}/_sandbox/status.`,
    };
  const list = code === "resource_not_found" ? listOfMissing(path, message) : undefined;
  const reference = `The call's parameters are in ${url}/platform/reference.`;
  return {
    command: reference,
    library:
      list === undefined
        ? // The sandbox of a test or a scenario is gone when a person reads this.
          "The call's parameters are in the platform's document: npx sandglass openapi platform"
        : `platform.call("GET", "${list}") lists what exists.`,
    http: reference,
  };
}

/** The path of the list that could have the missing item; undefined if the call's path does not name it. */
function listOfMissing(path: string, message: string): string | undefined {
  const [resource = ""] = path.slice(`${PLATFORM_PATH}/`.length).split("?");
  const segments = resource.split("/");
  // Node's decoder, which accepts any path that a caller wrote.
  const missing = segments.findIndex((segment) => message.includes(`'${querystring.unescape(segment)}'`));
  return missing > 0 ? `/${segments.slice(0, missing).join("/")}` : undefined;
}
