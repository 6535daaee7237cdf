import { shownValue } from "../../errors/shown.ts";
import { encodeBody } from "../../runtime/content-encoding.ts";
import { NO_ANSWER, type Sending, type SendRequest, type SendResult } from "../../webhooks/exchange.ts";
import { judge } from "../../webhooks/failures.ts";
import { wallNow, wallTimer } from "../../world/clock.ts";
import type { Tables } from "../database/tables.ts";
import type { Outside } from "../outside/outside.ts";
import type { Statements } from "../statements/statements.ts";
import type { StoryApi } from "./api.ts";
import type { OwnedServer } from "./instances.ts";
import type { Json } from "./state.ts";

/** A subscriber in this process: a function from a request to a response. */
export type Handler = (request: Request) => Response | Promise<Response>;

/** The address of a function. Nothing listens there, and nothing is sent there. */
export const FUNCTION_URL = "http://subscriber.localhost/webhooks";

/** A subscriber, with functions that reset it and read its state. */
export interface Subject {
  /** The subscriber's URL for webhooks. A function has a URL on which nothing listens. */
  url: string;
  /** The function to call instead of sending a request. */
  handler: Handler | undefined;
  /** Real milliseconds that its state must stay unchanged; by default, the usual time of a server or a function. */
  quiet?: number;
  /** The sources of its state and its reset, for reports; null for functions, and for tables that explore restores. */
  stateUrl: string | null;
  resetBy: string | null;
  /** Whether its state is the tables of a database, with all columns. */
  readsTables?: boolean;
  /** The subscriber's process, if the exploration started it. */
  server?: OwnedServer | undefined;
  /** Whether its story begins at the machine's time, because a verifier compares times with its own clock. */
  atNow?: boolean;
  api?: StoryApi | undefined;
  /** What answers its calls of other services, if the exploration started it. */
  outside?: Outside | undefined;
  /** The statements that it makes at its database, if they are observed. */
  statements?: Statements | undefined;
  tables?: (() => Promise<Tables>) | undefined;
  /** Checks that a server that was given a copy of its database uses the copy. @throws SandboxError `invalid_state` */
  checkCopy?: () => Promise<void>;
  /** Resolves when the subscriber reports that it has nothing more to do. @throws SandboxError `unreachable` */
  idle?: (() => Promise<void>) | undefined;
  /**
   * From now on, restarts it at each reset, because it may remember more than the tables.
   * @returns a function that takes this back; undefined if it is already restarted, or cannot be
   */
  forget?: () => (() => void) | undefined;
  /** @throws SandboxError `unreachable` */
  reset(): Promise<void>;
  /** @throws SandboxError `unreachable`, `invalid_state` */
  state(): Promise<Json>;
  /** Restores tables, and leaves them alone until they are used again. */
  release?(): Promise<void>;
  close(): void | Promise<void>;
}

/** Whether the subscriber calls the API. The answers depend on the moment, so every run is then played as a whole. */
export const callsApi = ({ api }: Subject): boolean => api !== undefined && api.calls > 0;

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

/** The answer for a function that threw: 500, as in every framework. */
const failed = (detail: string): SendResult => ({
  ...NO_ANSWER,
  ...{ error: "status", detail, responseCode: 500, responseHeaders: {} },
  ...{ responseBody: Buffer.alloc(0), responseSize: 0 },
});
