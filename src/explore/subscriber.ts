import { exec } from "node:child_process";
import { createSender } from "../check/send.ts";
import { SandboxError } from "../errors/errors.ts";
import type { SendRequest, SendResult } from "../payments/webhooks/exchange.ts";
import { judge } from "../payments/webhooks/failures.ts";
import { wallNow } from "../world/clock.ts";
import { SECOND } from "../world/duration.ts";
import type { Json } from "./state.ts";

/** A subscriber in this process: a function from a request to a response. */
export type Handler = (request: Request) => Response | Promise<Response>;

/** A subscriber, and how it is taken back to empty and asked for its state. */
export interface Subject {
  /** Where it takes webhooks; a function has an address that nothing listens on. */
  url: string;
  /** Called in place of a request, for a function. */
  handler: Handler | undefined;
  reset(): Promise<void>;
  state(): Promise<Json>;
}

/** Calls a function as the dispatcher calls a server. Never rejects. */
export async function callHandler(handler: Handler, request: SendRequest): Promise<SendResult> {
  const started = wallNow();
  try {
    const response = await handler(
      new Request(request.origin + request.path, {
        method: request.method ?? "POST",
        headers: request.headers,
        body: request.body,
      }),
    );
    const body = Buffer.from(await response.arrayBuffer());
    const headers = Object.fromEntries(response.headers);
    return {
      ...judge(response.status, headers.location),
      responseCode: response.status,
      responseHeaders: headers,
      responseBody: body,
      responseSize: body.length,
      durationMs: wallNow() - started,
    };
  } catch (error) {
    return {
      error: "connection_reset",
      detail: `threw ${error instanceof Error ? error.message : String(error)}`,
      responseCode: null,
      responseHeaders: null,
      responseBody: null,
      responseSize: null,
      durationMs: wallNow() - started,
    };
  }
}

/** Real milliseconds that a reset and a state may take. */
const ANSWERS_WITHIN_MS = 10 * SECOND;

/**
 * Resets a subscriber by a POST to a URL, or by a shell command.
 * @throws SandboxError `unreachable` if it does not succeed
 */
export function resetBy(text: string): () => Promise<void> {
  return /^https?:\/\//i.test(text) ? resetByUrl(text) : resetByCommand(text);
}

function resetByUrl(url: string): () => Promise<void> {
  const sender = createSender(url, ANSWERS_WITHIN_MS);
  return async () => {
    const { error, detail } = await sender.send({
      what: "reset",
      method: "POST",
      headers: { accept: "*/*" },
      body: "",
    });
    if (error !== null)
      throw new SandboxError(
        "unreachable",
        `The reset URL ${url} ${detail}.`,
        "It has to answer a POST with 2xx once the subscriber's state is empty.",
      );
  };
}

function resetByCommand(command: string): () => Promise<void> {
  return () =>
    new Promise((resolve, reject) => {
      exec(command, { timeout: ANSWERS_WITHIN_MS }, (error, _stdout, stderr) => {
        if (!error) return resolve();
        const how = error.killed
          ? `did not end within ${ANSWERS_WITHIN_MS / SECOND} s`
          : `ended with code ${error.code}`;
        reject(
          new SandboxError(
            "unreachable",
            `The reset command ${how}: ${command}`,
            stderr.trim().split("\n").at(-1) ||
              "It has to end with code 0 once the subscriber's state is empty.",
          ),
        );
      });
    });
}

/**
 * Reads a subscriber's state from a URL.
 * @throws SandboxError `unreachable`; `bad_request` for what is not JSON
 */
export function stateFrom(url: string): () => Promise<Json> {
  const sender = createSender(url, ANSWERS_WITHIN_MS);
  return async () => {
    const { error, detail, text } = await sender.read(url);
    if (error !== null)
      throw new SandboxError(
        "unreachable",
        `The state URL ${url} ${detail}.`,
        "It has to answer a GET with 2xx and the subscriber's state as JSON.",
      );
    try {
      return JSON.parse(text);
    } catch {
      throw new SandboxError(
        "bad_request",
        `The state URL ${url} does not answer with JSON.`,
        "It has to answer with the subscriber's state as JSON, for example every order with its status.",
      );
    }
  };
}
