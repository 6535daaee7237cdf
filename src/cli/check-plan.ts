import { isAddress, readHttpUrl } from "../runtime/http-url.ts";
import type { CheckOptions } from "../trial/check/check.ts";
import { parseInstant } from "../world/duration.ts";
import { namesIn, type SubjectFacts, type SubjectFlags } from "./subject.ts";

/** The options of `check`, as commander gives them. */
export interface CheckFlags extends SubjectFlags {
  event?: string;
  only?: string;
  yes?: boolean;
  seed?: string;
  at?: string;
  junit?: string;
  html?: string;
  json?: boolean;
  list?: boolean;
}

/**
 * The plan of a check.
 * @param now the machine's time, milliseconds
 * @throws SandboxError `bad_request`, naming the option and what it takes
 */
export async function checkPlan(
  facts: SubjectFacts,
  { only, event, seed, at, ...flags }: CheckFlags,
  now: number,
): Promise<CheckOptions> {
  const { readOptions } = await import("../trial/check/options.ts");
  const { settings, url, secret, secretFrom, sender, events, oldSecret, skip, timeout, tables } = facts;
  const { webhooks } = settings.payments;
  const { state } = facts;
  const plan = await readOptions(
    {
      ...{ url, secret, secretFrom, sender, events, oldSecret, event, seed },
      ...{ only: namesIn(only), skip: flags.skip === undefined && skip.length === 0 ? undefined : skip },
      state: state !== undefined && isAddress(state) ? readHttpUrl(state, "--state") : state,
      timeout,
      at: at === undefined ? undefined : parseInstant(at),
    },
    now,
    flagOf,
    {
      headerPrefix: webhooks.headerPrefix,
      deliveryId: webhooks.deliveryId,
      timeout: webhooks.timeout,
      senders: settings.senders,
    },
  );
  return { ...plan, tables };
}

/** `oldSecret` as `--old-secret`. */
const flagOf = (option: string): string =>
  `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
