import { shownValue } from "../../errors/shown.ts";
import type { Sending, SendRequest, SendResult } from "../../webhooks/exchange.ts";
import { judge } from "../../webhooks/failures.ts";
import { wallNow, wallTimer } from "../../world/clock.ts";
import type { Statements } from "../statements/statements.ts";
import type { StoryApi } from "./api.ts";
import type { OwnedServer } from "./instances.ts";
import type { Json } from "./state.ts";
import type { Tables } from "./tables.ts";

/** A subscriber in this process: a function from a request to a response. */
export type Handler = (request: Request) => Response | Promise<Response>;

/** The address of a function: nothing listens there, and nothing is sent there. */
export const FUNCTION_URL = "http://subscriber.localhost/webhooks";

/** A subscriber, and how it is taken back to empty and asked for its state. */
export interface Subject {
  /** Where it takes webhooks; a function has an address that nothing listens on. */
  url: string;
  /** Called in place of a request, for a function. */
  handler: Handler | undefined;
  /** Real milliseconds that its state must stay as it is; without it what is usual for a server or a function. */
  quiet?: number;
  /** Where its state is read, and how it is reset, for reports; null for functions, and for tables that explore puts back. */
  stateUrl: string | null;
  resetBy: string | null;
  /** Whether its state is the tables of a database, with the columns that a database has. */
  readsTables?: boolean;
  /** Its process, where the exploration has started it. */
  server?: OwnedServer | undefined;
  /** Whether its story begins at the machine's time: what a verifier compares with its clock then has that time, too. */
  atNow?: boolean;
  /** The platform's API, where it is served for it. */
  api?: StoryApi | undefined;
  /** The statements that it makes at its database, where they are seen. */
  statements?: Statements | undefined;
  /** The tables that its state is. */
  tables?: (() => Promise<Tables>) | undefined;
  /** Checks that a server that was given a copy of its database uses it. @throws SandboxError `invalid_state` */
  checkCopy?: () => Promise<void>;
  /** Resolves when it has nothing more to do, where it can say so. @throws SandboxError `unreachable` */
  idle?: (() => Promise<void>) | undefined;
  /** Lets each reset restart it from now on, as it remembers more than is put back. @returns false if each does already */
  forget?: () => boolean;
  /** @throws SandboxError `unreachable` */
  reset(): Promise<void>;
  /** @throws SandboxError `unreachable`, `invalid_state` */
  state(): Promise<Json>;
  /** Puts tables back, and leaves them alone until they are used again. */
  release?(): Promise<void>;
  close(): void | Promise<void>;
}

const NO_ANSWER = { responseCode: null, responseHeaders: null, responseBody: null, responseSize: null };

/** Whether it calls the platform's API. What it is answered depends on the moment: then every run is played as a whole. */
export const callsApi = ({ api }: Subject): boolean => api !== undefined && api.calls > 0;

/** Calls a function as the dispatcher calls a server. */
export function sendToHandler(handler: Handler, request: SendRequest): Sending {
  const began = wallNow();
  const expired = Promise.withResolvers<SendResult>();
  const expire = () =>
    expired.resolve({ ...NO_ANSWER, error: "timeout", detail: null, durationMs: wallNow() - began });
  const cancels = new Set<() => void>();
  const hurry = (ms: number) => void cancels.add(wallTimer(ms, expire));
  hurry(request.timeout());
  const result = Promise.race([answerOf(handler, request), expired.promise]).finally(() => {
    for (const cancel of cancels) cancel();
  });
  return { result, hurry };
}

async function answerOf(handler: Handler, request: SendRequest): Promise<SendResult> {
  const began = wallNow();
  try {
    const response: Partial<Response> | undefined = await handler(
      new Request(request.origin + request.path, {
        method: request.method ?? "POST",
        headers: request.headers,
        body: request.body,
      }),
    );
    if (typeof response?.status !== "number")
      return failed(`returned ${shownValue(response)}, not a Response`, wallNow() - began);
    const { status, headers = new Headers() } = response;
    const body = Buffer.from((await response.arrayBuffer?.()) ?? new ArrayBuffer());
    return {
      ...judge(status, headers.get("location") ?? undefined),
      responseCode: status,
      responseHeaders: Object.fromEntries(headers),
      responseBody: body,
      responseSize: body.length,
      durationMs: wallNow() - began,
    };
  } catch (error) {
    return failed(`threw ${error instanceof Error ? error.message : String(error)}`, wallNow() - began);
  }
}

/** The answer of a function that failed: as every framework does, 500. */
const failed = (detail: string, durationMs: number): SendResult => ({
  error: "status",
  detail,
  responseCode: 500,
  responseHeaders: {},
  responseBody: Buffer.alloc(0),
  responseSize: 0,
  durationMs,
});
