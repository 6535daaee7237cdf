import { shownValue } from "../../errors/shown.ts";
import { encodeBody } from "../../runtime/content-encoding.ts";
import { NO_ANSWER, type Sending, type SendRequest, type SendResult } from "../../webhooks/exchange.ts";
import { judge } from "../../webhooks/failures.ts";
import { wallNow, wallTimer } from "../../world/clock.ts";
import type { SubjectState } from "./subject-state.ts";
import type { Surroundings } from "./surroundings.ts";

/** A subscriber in this process: a function from a request to a response. */
export type Handler = (request: Request) => Response | Promise<Response>;

/** A function's address. Nothing listens there, and nothing is sent to it. */
export const FUNCTION_URL = "http://subscriber.localhost/webhooks";

/** A subscriber under test. */
export interface Subject extends Surroundings {
  /** The subscriber's webhook URL. A function's URL has no listener. */
  url: string;
  /** The function to call instead of sending a request. */
  handler: Handler | undefined;
  /**
   * How long the subscriber's state must stay unchanged for its work to count as done, in real milliseconds; 0 if
   * `idle` is set.
   */
  quiet: number;
  /** Resolves when the subscriber reports that it has nothing more to do. @throws SandboxError `unreachable` */
  idle?: (() => Promise<void>) | undefined;
  state: SubjectState;
  close(): void | Promise<void>;
}

/** Calls a function as the dispatcher calls a server. */
export function sendToHandler(handler: Handler, request: SendRequest): Sending {
  const began = wallNow();
  const expired = Promise.withResolvers<SendResult>();
  const expire = () => expired.resolve({ ...NO_ANSWER, error: "timeout" });
  const cancels = new Set<() => void>();
  const hurry = (ms: number) => void cancels.add(wallTimer(ms, expire));
  hurry(request.timeout());
  const result = Promise.race([answerOf(handler, request), expired.promise]).then((answer) => {
    for (const cancel of cancels) cancel();
    return { ...answer, durationMs: wallNow() - began };
  });
  return { result, hurry };
}

async function answerOf(handler: Handler, request: SendRequest): Promise<SendResult> {
  try {
    const response: Partial<Response> | undefined = await handler(
      new Request(request.origin + request.path, {
        method: request.method ?? "POST",
        headers: request.headers,
        body: encodeBody(request.body, request.headers),
      }),
    );
    if (typeof response?.status !== "number")
      return failed(`returned ${shownValue(response)}, not a Response`);
    const { status, headers = new Headers() } = response;
    const body = Buffer.from((await response.arrayBuffer?.()) ?? new ArrayBuffer());
    return {
      ...NO_ANSWER,
      ...judge(status, headers.get("location") ?? undefined),
      responseCode: status,
      responseHeaders: Object.fromEntries(headers),
      responseBody: body,
      responseSize: body.length,
    };
  } catch (error) {
    return failed(`threw ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The response for a function that threw: a 500, as in every framework. */
const failed = (detail: string): SendResult => ({
  ...NO_ANSWER,
  ...{ error: "status", detail, responseCode: 500, responseHeaders: {} },
  ...{ responseBody: Buffer.alloc(0), responseSize: 0 },
});
