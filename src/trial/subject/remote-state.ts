import { invalidState, misuse, type SandboxError, unreachable } from "../../errors/errors.ts";
import { withoutPasswords } from "../../runtime/redact.ts";
import { clip } from "../../timeline/text.ts";
import type { Sending, SendRequest, SendResult } from "../../webhooks/exchange.ts";
import { unanswered } from "../../webhooks/failures.ts";
import { STATE_BYTES } from "./command.ts";
import type { Json } from "./state.ts";

/** Calls the functions one after another, even if some of them fail. @throws the first error */
export async function endAll(ends: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const end of ends)
    try {
      await end();
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0) throw failures[0];
}

/** What a URL must return, and for which method. */
const CALLS = {
  state: { method: "GET", has: "The URL must respond to a GET with 2xx and the subscriber's state as JSON." },
  reset: {
    method: "POST",
    has: "The URL must respond to a POST with 2xx once the subscriber's state is empty.",
  },
  idle: {
    method: "GET",
    has: "The URL must respond to a GET with 2xx once your server has nothing more to do, and with 503 before that.",
  },
} as const;

/** What a URL returned, with the problem and a hint if the status was not 2xx. */
export interface UrlAnswer extends Omit<SendResult, "error"> {
  error: SandboxError | null;
}

export async function callUrl(
  send: (request: SendRequest) => Sending,
  { what, address, timeout }: { what: keyof typeof CALLS; address: string; timeout: number },
): Promise<UrlAnswer> {
  const { origin, pathname, search } = new URL(address);
  const { method, has } = CALLS[what];
  const answer = await send({
    ...{ lane: origin, origin, path: pathname + search, method, bodyLimit: STATE_BYTES },
    headers: { accept: "application/json, */*" },
    body: method === "POST" ? "" : null,
    timeout: () => timeout,
  }).result;
  const { error, detail, responseCode } = answer;
  if (error === null) return { ...answer, error };
  const problem = detail ?? unanswered(responseCode, timeout);
  const check = responseCode === null ? "Check whether your server is running at this address. " : "";
  return {
    ...answer,
    error: unreachable(`The ${what} URL ${withoutPasswords(address)} ${problem}.`, check + has),
  };
}

/** The text returned by a state URL. @throws SandboxError */
export function textOf(address: string, { error, responseBody, responseSize }: UrlAnswer): string {
  if (error) throw error;
  if (responseSize! > responseBody!.length)
    throw invalidState(
      `The state URL ${withoutPasswords(address)} returns ${responseSize} bytes; the limit is ${STATE_BYTES}.`,
      "Return only the part of the state that must not depend on the order of deliveries.",
    );
  return responseBody!.toString("utf8");
}

/** The prefix of a `--state` that is an inbox of messages from the server. */
const INBOX = "inbox:";
export const isInbox = (state: string): boolean => state.startsWith(INBOX);

/** The `--state` of a server that only makes calls. */
export const EFFECTS_ALONE = "effects";

/** The name of a state's inbox. @throws SandboxError `bad_request` for an invalid name */
export function inboxIn(state: string): string {
  const name = state.slice(INBOX.length);
  if (/^[A-Za-z0-9._-]{1,100}$/.test(name)) return name;
  throw misuse(
    `'${clip(name, 80)}' is not a valid inbox name.`,
    "Use 1 to 100 letters, digits, dots, hyphens and underscores.",
  );
}

export const withoutInbox = (state: string): SandboxError =>
  misuse(
    `${state} is an inbox of the trial's sandbox, but this trial does not serve inboxes.`,
    "Let Sandglass start your server with --start, and send to $SANDGLASS_URL/_sandbox/inbox/<name>; or set subject.apiPort in the configuration, and send to that port.",
  );

/** @param from the source of the text */
export function stateOf(text: string, from: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    const where = isUrl(from) ? `URL ${withoutPasswords(from)} does not return` : "command does not print";
    throw invalidState(
      `The state ${where} JSON, but ${JSON.stringify(clip(text, 60))}.`,
      "The state must be JSON, for example every order with its status.",
    );
  }
}

export const isUrl = (text: string): boolean => /^https?:\/\//i.test(text);
