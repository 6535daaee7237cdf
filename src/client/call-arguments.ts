import { SandboxError } from "../errors/errors.ts";
import { shownValue } from "../errors/shown.ts";

/** What a call of the library needs of an argument before anything is sent: the rest is checked where it arrives. */
interface Argument {
  /** Completes "takes …". */
  what: string;
  fits: (value: unknown) => boolean;
  optional?: boolean;
  /** The fields that it may have, where the library reads them itself. */
  fields?: readonly string[];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const text = (what: string): Argument => ({
  what,
  fits: (value) => typeof value === "string" && value !== "",
});
const path: Argument = {
  what: "a path that begins with /",
  fits: (value) => typeof value === "string" && value.startsWith("/"),
};
const options = (...fields: string[]): Argument => ({
  what: "its options as an object",
  fits: isRecord,
  optional: true,
  ...(fields.length > 0 && { fields }),
});
const payable = text("a payment link or a checkout session");
const link = text("a payment link");
const session = text("the id of a checkout session");
const endpoint = text("the id of a webhook endpoint");
const area = text("the name of an area");
const method = text("an HTTP method");

/** By the name of the call; a call without an entry sends what it gets. */
const ARGUMENTS: Readonly<Record<string, readonly Argument[]>> = {
  "platform.call": [method, path],
  "platform.request": [method, path, options("body", "key", "headers")],
  "data.get": [path],
  "data.setProvider": [text("the name of a provider")],
  "data.setHoldings": [text("an address")],
  "game.token": [options()],
  "game.call": [text("the name of an operation")],
  "payments.pay": [payable, options()],
  "payments.link": [link],
  "payments.openSession": [link, options()],
  "payments.session": [session],
  "payments.expire": [session],
  "payments.transaction": [text("the id of a transaction")],
  "webhooks.timeline": [endpoint],
  "webhooks.deliveries": [endpoint],
  "webhooks.retry": [endpoint, text("the id of a delivery")],
  "webhooks.retryFailed": [options("endpoint", "since")],
  "webhooks.resend": [text("the id of a delivery or an event"), options("endpoint")],
  "webhooks.test": [endpoint],
  "webhooks.delete": [endpoint],
  "webhooks.fail": [endpoint],
  "webhooks.work": [endpoint],
  "webhooks.enable": [endpoint],
  "webhooks.disable": [endpoint],
  "faults.set": [area],
  "faults.clear": [area],
  inbox: [text("the name of an inbox")],
  events: [options("types", "after")],
  restore: [
    {
      what: "a snapshot or its name",
      fits: (value) => (isRecord(value) ? typeof value.name === "string" : typeof value === "string"),
    },
  ],
  open: [options()],
};

/** Calls that return at once; all others return promises. */
const AT_ONCE = new Set(["inbox"]);

/** The same surface, whose calls refuse arguments that cannot be sent. */
export function withCheckedArguments<Surface extends object>(surface: Surface, prefix = ""): Surface {
  const checked = Object.entries(surface).map(([key, value]) => {
    const name = prefix + key;
    if (typeof value === "function" && ARGUMENTS[name]) return [key, withCheck(name, value as Call)];
    return [key, isRecord(value) && prefix === "" ? withCheckedArguments(value, `${name}.`) : value];
  });
  return { ...surface, ...Object.fromEntries(checked) };
}

type Call = (...values: unknown[]) => unknown;

function withCheck(name: string, call: Call): Call {
  if (AT_ONCE.has(name))
    return (...values) => {
      checkArguments(name, values);
      return call(...values);
    };
  return async (...values) => {
    checkArguments(name, values);
    return await call(...values);
  };
}

/** @throws SandboxError `bad_request` */
function checkArguments(name: string, values: readonly unknown[]): void {
  for (const [index, { what, fits, optional = false, fields }] of ARGUMENTS[name]!.entries()) {
    const value = values[index];
    if (optional && value === undefined) continue;
    if (!fits(value))
      throw new SandboxError(
        "bad_request",
        `${name}() takes ${what}, not ${shownValue(value)}.`,
        `Pass ${what} as its ${index === 0 ? "first" : index === 1 ? "second" : "third"} argument.`,
      );
    const unknown = fields && Object.keys(value as object).find((field) => !fields.includes(field));
    if (unknown !== undefined)
      throw new SandboxError(
        "bad_request",
        `${name}() has no option '${unknown.slice(0, 60)}'.`,
        `It takes: ${fields!.join(", ")}.`,
      );
  }
}
