import querystring from "node:querystring";
import { type ErrorCode, type Hint, type PlatformErrorCode, SandboxError } from "../errors/errors.ts";
import { unlessThrown } from "../runtime/unless-thrown.ts";
import { notSandglass, type SentAnswer } from "./transport.ts";

/** The path of the platform's API below the sandbox's URL. */
export const PLATFORM_PATH = "/platform/api/v1";

/** The error for an unsuccessful response: the sandbox's own error, or one about a response from another program. */
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
 * Replaces the name of the field in a sandbox error with the name that the interface uses. Other errors are returned
 * unchanged.
 * @param words the interface's names for the operation's fields
 * @param join builds the name of a nested field from its path
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
  // Messages about a value rather than a field, such as "There is no organization x.", stay unchanged.
  const message = error.message.replace(
    /^((?:Missing required|Unknown) field: )?([\w.[\]]+)/,
    (text, head = "", name) => (name === error.param ? head + named : text),
  );
  return SandboxError.reworded(error, message, named);
}

/** Parses JSON. Returns undefined if it is invalid. */
export const readJson = (text: string): unknown => unlessThrown(() => JSON.parse(text));

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** An unsuccessful platform call: the error, and also the platform's response. */
interface PlatformCall {
  /** The path below the sandbox's URL. */
  path: string;
  headers: SentAnswer["headers"];
}

interface PlatformRefusal extends Partial<PlatformCall> {
  code: string;
  message: string;
  url: string;
}

/** Errors from the platform describe the problem but not the solution, so this adds a hint. */
function platformHint({ code, message, url, path = "", headers = {} }: PlatformRefusal): Hint {
  if (headers["x-sandbox-fault"] !== undefined)
    return {
      command: "Clear the fault: npx sandglass faults platform --clear",
      library: 'Clear the fault with faults.clear("platform").',
      http: "Clear the fault with DELETE /_sandbox/faults/platform.",
    };
  if (code === "rate_limit_exceeded")
    return {
      command: "Advance the clock: npx sandglass advance 1m. Or start with --rate-limit off.",
      library: 'Advance the clock with clock.advance("1m"), or configure payments: { rateLimit: "off" }.',
      http: 'Advance the clock with POST /_sandbox/clock/advance {"by": "1m"}, or start with --rate-limit off.',
    };
  if (code.startsWith("key_") || code === "insufficient_permissions")
    return {
      command: "Show the valid keys: npx sandglass status",
      library: "The valid keys are in sandbox.keys.",
      http: `The valid keys are in ${url}/_sandbox/status.`,
    };
  const list = code === "resource_not_found" ? listOfMissing(path, message) : undefined;
  const reference = `The call's parameters are in ${url}/platform/reference.`;
  return {
    command: reference,
    library:
      list === undefined
        ? // A test's or scenario's sandbox no longer exists when the user reads this.
          "See the call's parameters in the platform's OpenAPI document: npx sandglass openapi platform"
        : `platform.call("GET", "${list}") lists what exists.`,
    http: reference,
  };
}

/**
 * The path of the list to look in for an item that was not found; undefined if it cannot be derived from the call's
 * path.
 */
function listOfMissing(path: string, message: string): string | undefined {
  const [resource = ""] = path.slice(`${PLATFORM_PATH}/`.length).split("?");
  const segments = resource.split("/");
  // Node's `unescape` accepts malformed percent-encoding as well.
  const missing = segments.findIndex((segment) => message.includes(`'${querystring.unescape(segment)}'`));
  return missing > 0 ? `/${segments.slice(0, missing).join("/")}` : undefined;
}
