import type { CheckOptions } from "../check/check.ts";
import { resolveConfig } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import { SandboxError } from "../errors/errors.ts";
import { readHttpUrl } from "../runtime/http-url.ts";
import type { checkReachable } from "../webhooks/endpoint-url.ts";
import { parseDuration, parseInstant, SECOND } from "../world/duration.ts";

/** The options of `check`, as commander gives them. */
export interface CheckFlags {
  secret?: string;
  event?: string;
  only?: string;
  skip?: string;
  state?: string;
  /** The earlier name of `state`. */
  stateUrl?: string;
  timeout?: string;
  headerPrefix?: string;
  seed?: string;
  at?: string;
  config?: string;
  junit?: string;
  json?: boolean;
  list?: boolean;
}

const SECRET = "SANDGLASS_WEBHOOK_SECRET";

/**
 * What to try, from the command line and the configuration.
 * @param now the machine's time, milliseconds
 * @param checkUrl refuses addresses; a person at the command line may name any
 * @throws SandboxError `bad_request`, naming the option and what it takes; `invalid_config`
 */
export async function readCheckOptions(
  url: string | undefined,
  flags: CheckFlags,
  now: number,
  checkUrl: typeof checkReachable = () => {},
): Promise<CheckOptions> {
  const [{ EARLIEST, EVENT_TYPES }, { BASELINE, HAZARDS }] = await Promise.all([
    import("../check/material.ts"),
    import("../check/hazards/index.ts"),
  ]);
  const names = HAZARDS.map(({ name }) => name);
  const receiver = readReceiver(url, "check");
  const { config, file } = await loadConfig({
    cwd: process.cwd(),
    ...(flags.config === undefined ? {} : { file: flags.config }),
  });
  const { webhooks } = resolveConfig(config, now, file).payments;
  const secret = readSecret(flags.secret, webhooks.secret, "check");
  const state = flags.state ?? flags.stateUrl;
  const stateUrl = state === undefined ? undefined : readHttpUrl(state, "--state");
  checkUrl("url", receiver, webhooks);
  if (stateUrl !== undefined) checkUrl("state", stateUrl, webhooks);
  const only = readNames("--only", flags.only, names);
  const skip = readNames("--skip", flags.skip, names);
  if (skip?.includes(BASELINE))
    throw misuse(`--skip cannot leave out ${BASELINE}.`, "All others are compared with it.");
  const event = flags.event ?? EVENT_TYPES[0];
  const type = EVENT_TYPES.find((one) => one === event);
  if (type === undefined)
    throw misuse(`--event must be an event type, not '${event}'.`, `One of ${EVENT_TYPES.join(", ")}.`);
  const at = flags.at === undefined ? Math.floor(now / SECOND) * SECOND : parseInstant(flags.at);
  if (at < EARLIEST)
    throw misuse(
      `--at must be later than the first hours of 1970, not '${flags.at}'.`,
      "For example --at 2026-06-01T12:00:00Z",
    );
  if (flags.seed === "")
    throw misuse("--seed must be a text that is not empty.", "For example --seed monday");
  const timeout = flags.timeout === undefined ? webhooks.timeout : parseDuration(flags.timeout);
  if (timeout === 0) throw misuse("--timeout must be longer than 0.", "For example --timeout 5s");
  return {
    url: receiver,
    secret,
    event: type,
    only,
    skip,
    stateUrl,
    timeout,
    headerPrefix: readPrefix(flags.headerPrefix) ?? webhooks.headerPrefix,
    deliveryId: webhooks.deliveryId,
    // Another run has other ids, so that a receiver which keeps what it handled takes its events for new ones.
    seed: flags.seed ?? `check-${now.toString(36)}`,
    at,
  };
}

/** The address of a subscriber. @throws SandboxError `bad_request` */
export function readReceiver(text: string | undefined, command: "check" | "explore"): string {
  if (text === undefined)
    throw misuse(
      `${command} needs the address at which your server takes webhooks.`,
      `For example: npx sandglass ${command} http://127.0.0.1:3000/webhooks --secret whsec_…${command === "explore" ? " --state http://127.0.0.1:3000/state --reset http://127.0.0.1:3000/reset" : ""}`,
    );
  const url = new URL(readHttpUrl(text, "The subscriber's address"));
  if (url.username !== "" || url.password !== "")
    throw misuse(
      "The subscriber's address must not carry a user name or password.",
      "The platform refuses such URLs, too; the signature is what tells it from others.",
    );
  url.hash = "";
  return url.href;
}

/**
 * The secret that the subscriber verifies with: the option's, the environment's or the configuration's.
 * @throws SandboxError `bad_request`
 */
export function readSecret(
  option: string | undefined,
  configured: string | undefined,
  command: "check" | "explore",
): string {
  const secret = option ?? process.env[SECRET] ?? configured ?? "";
  if (secret !== "") return secret;
  throw misuse(
    option === undefined
      ? `${command} needs the secret that your server verifies with.`
      : "--secret is empty.",
    `Give both sides the same: start your server with ${SECRET}=whsec_test in its environment, and pass --secret whsec_test, set the same variable here, or configure webhooks.secret.`,
  );
}

function readNames(
  option: string,
  text: string | undefined,
  allowed: readonly string[],
): string[] | undefined {
  if (text === undefined) return undefined;
  const names = text.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
  const unknown = names.find((name) => !allowed.includes(name));
  if (unknown !== undefined)
    throw misuse(
      `${option}: there is no hazard '${unknown}'.`,
      "They are listed by: npx sandglass check --list",
    );
  if (names.length === 0)
    throw misuse(`${option} names no hazard.`, "They are listed by: npx sandglass check --list");
  return names;
}

/** The prefix of the webhook headers. @throws SandboxError `bad_request` */
export function readPrefix(text: string | undefined): string | undefined {
  if (text === undefined || /^[A-Za-z][A-Za-z0-9-]{0,40}$/.test(text)) return text;
  throw misuse(
    `--header-prefix must be letters, digits and hyphens, not '${text}'.`,
    "For example --header-prefix X-Platform-",
  );
}

/** What an option or an argument was given that it does not take. */
export const misuse = (message: string, hint: string) => new SandboxError("bad_request", message, hint);
