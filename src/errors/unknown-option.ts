import { didYouMean } from "./closest.ts";
import { misuse } from "./errors.ts";

/**
 * Rejects options that a library call does not support.
 * @param call the name of the call
 * @param example an example of its supported options
 * @throws SandboxError `bad_request`, with the closest option
 */
export function refuseUnknownOptions(
  call: string,
  options: unknown,
  known: Readonly<Record<string, true>>,
  example: string,
): void {
  if (typeof options !== "object" || options === null)
    throw misuse(`${call} needs options.`, `For example: ${call}(${example})`);
  const wrong = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  if (wrong === undefined) return;
  const names = Object.keys(known);
  const hint = didYouMean(wrong, names, `Its options: ${names.join(", ")}.`);
  throw misuse(`${call} has no option ${wrong}.`, hint);
}
