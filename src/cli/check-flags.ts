import { basename } from "node:path";
import { resolveConfig } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import { misuse } from "../errors/errors.ts";
import { readHttpUrl } from "../runtime/http-url.ts";
import type { CheckOptions } from "../trial/check/check.ts";
import type { checkReachable } from "../webhooks/endpoint-url.ts";
import { parseInstant } from "../world/duration.ts";

/** The options of `check`, as commander gives them. */
export interface CheckFlags {
  secret?: string;
  sender?: string;
  events?: string;
  oldSecret?: string;
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
  const { readOptions } = await import("../trial/check/options.ts");
  const receiver = readReceiver(url, "check");
  const { config, file } = await loadConfig({
    cwd: process.cwd(),
    ...(flags.config === undefined ? {} : { file: flags.config }),
  });
  const settings = resolveConfig(config, now, file);
  const { webhooks } = settings.payments;
  const secret = readSecret(flags.secret, webhooks.secret, "check", file);
  const stateUrl = flags.state ?? flags.stateUrl;
  const state = stateUrl === undefined ? undefined : readHttpUrl(stateUrl, "--state");
  checkUrl("url", receiver, webhooks);
  if (state !== undefined) checkUrl("state", state, webhooks);
  const { timeout, sender, events, event, oldSecret, seed } = flags;
  return readOptions(
    {
      ...{ url: receiver, ...secret, state, timeout, sender, events, event, oldSecret, seed },
      ...{ only: namesIn(flags.only), skip: namesIn(flags.skip) },
      at: flags.at === undefined ? undefined : parseInstant(flags.at),
    },
    now,
    flagOf,
    {
      headerPrefix: readPrefix(flags.headerPrefix, sender) ?? webhooks.headerPrefix,
      deliveryId: webhooks.deliveryId,
      timeout: webhooks.timeout,
      senders: settings.senders,
    },
  );
}

/** `oldSecret` as `--old-secret`. */
const flagOf = (option: string): string =>
  `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

const namesIn = (text: string | undefined): string[] | undefined =>
  text?.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));

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
 * The secret that the subscriber verifies with: the option's, the environment's or the configuration's; and which of them gave it.
 * @throws SandboxError `bad_request`
 */
export function readSecret(
  option: string | undefined,
  configured: string | undefined,
  command: "check" | "explore",
  file = "the configuration",
): { secret: string; secretFrom: string } {
  const { [SECRET]: exported } = process.env;
  const [secret = "", secretFrom] =
    option !== undefined
      ? [option, "that of --secret"]
      : exported !== undefined
        ? [exported, `that of ${SECRET} in the environment of this command`]
        : [configured, `webhooks.secret of ${basename(file)}`];
  if (secret !== "") return { secret, secretFrom };
  throw misuse(
    option === undefined
      ? `${command} needs the secret that your server verifies with.`
      : "--secret is empty.",
    `Give both sides the same: start your server with ${SECRET}=whsec_test in its environment, and pass --secret whsec_test, set the same variable here, or configure webhooks.secret.`,
  );
}

/** The prefix of the platform's headers. @param sender that is named in place of it @throws SandboxError `bad_request` */
export function readPrefix(text: string | undefined, sender?: string): string | undefined {
  if (text !== undefined && sender !== undefined)
    throw misuse(
      "--header-prefix is for the platform: a sender's file has the names of its headers.",
      "Leave out one of --header-prefix and --sender.",
    );
  if (text === undefined || /^[A-Za-z][A-Za-z0-9-]{0,40}$/.test(text)) return text;
  throw misuse(
    `--header-prefix must be letters, digits and hyphens, not '${text}'.`,
    "For example --header-prefix X-Platform-",
  );
}
