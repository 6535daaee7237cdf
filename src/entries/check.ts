import { misuse } from "../errors/errors.ts";
import { shownValue } from "../errors/shown.ts";
import { refuseUnknownOptions } from "../errors/unknown-option.ts";
import type { CheckOptions, CheckResult } from "../library/check.ts";
import { readHttpUrl } from "../runtime/http-url.ts";
import { checkInPlace, isTables, stateSource } from "../trial/database/source.ts";
import { inMainContext } from "./in-main-context.ts";

const OPTIONS: Record<keyof CheckOptions, true> = {
  ...{ subscriber: true, secret: true, sender: true, events: true, event: true, oldSecret: true },
  known: true,
  version: true,
  ...{ state: true, inPlace: true, only: true, skip: true, timeout: true, seed: true },
};

const NEEDED = { subscriber: null };

/**
 * Sends a webhook handler forged, repeated, late and malformed events, and judges each response, like `sandglass check`.
 * @example
 * const { hazards } = await check({ subscriber: "http://127.0.0.1:3000/webhooks", sender: "stripe", secret: "whsec_test" });
 * expect(hazards.filter(({ verdict }) => verdict === "fail")).toEqual([]);
 * @throws SandboxError `bad_request` with the option; `not_found` for an unknown sender; `invalid_config` for an invalid
 *   sender file; `unreachable` if the subscriber does not respond
 */
export function check(options: CheckOptions): Promise<CheckResult> {
  return inMainContext("check", options, checkHere);
}

async function checkHere(options: CheckOptions): Promise<CheckResult> {
  refuseUnknownOptions("check", options, OPTIONS, '{ subscriber: "http://127.0.0.1:3000/webhooks" }');
  for (const [name, value] of Object.entries<unknown>({ ...NEEDED, ...options })) {
    const isList = name === "only" || name === "skip";
    if (
      value === undefined ||
      name === "timeout" ||
      name === "inPlace" ||
      (name === "known" && typeof value === "object") ||
      (isList ? Array.isArray(value) : typeof value === "string")
    )
      continue;
    throw misuse(
      `${name} must be ${isList ? "a list of names" : "a string"}, not ${shownValue(value)}.`,
      isList ? `For example: ${name}: ["duplicate"]` : "docs/check.md lists all options.",
    );
  }
  // Load this on first use, so that importing the package just for a sandbox stays fast.
  const [{ checkSubscriber }, { readOptions }, { wallNow }] = await Promise.all([
    import("../trial/check/check.ts"),
    import("../trial/check/options.ts"),
    import("../world/clock.ts"),
  ]);
  const { subscriber, inPlace, secret = "whsec_test", ...rest } = options;
  const state = options.state === undefined ? undefined : stateSource(options.state);
  if (state !== undefined && isTables(state)) checkInPlace(state, inPlace);
  const url = readHttpUrl(subscriber, "subscriber");
  const read = state === undefined || isTables(state) ? state : readHttpUrl(state, "state");
  return checkSubscriber(await readOptions({ ...rest, state: read, url, secret }, wallNow()));
}
