import type { FastifyReply, FastifyRequest } from "fastify";
import { notFound } from "../errors/errors.ts";
import { acceptBodies } from "../http/body.ts";
import { isPreflight } from "../http/cors.ts";
import { addRoutes } from "../http/route-table.ts";
import { refuseUnknownPaths } from "../http/server.ts";
import { type App, registerScope } from "../http/types.ts";
import { idOf, nameOf } from "../operations/common.ts";
import { OPERATIONS } from "../operations/index.ts";
import type { Operation } from "../operations/operation.ts";
import { LiveQuery } from "../operations/records.ts";
import { contentEncoding, decodeBody, isContentEncoding } from "../runtime/content-encoding.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Worlds } from "../sandbox/worlds.ts";
import type { Scenarios } from "../scenarios/scenarios.ts";
import type { Rehearsals } from "../trial/rehearsals/rehearsals.ts";
import { wallSleep } from "../world/clock.ts";
import { BOUND } from "./bound.ts";
import { streamEvents } from "./event-stream.ts";
import { fileRoutes, snapshotUploadRoute } from "./files.ts";
import { call, callOf, type Does } from "./http.ts";
import { readLiveQuery, streamJournal } from "./live.ts";
import { lastEventId } from "./position.ts";
import { type Share, shareRoutes } from "./share.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The sandbox of the requested world. */
    sandbox: Sandbox;
    /** The server that received the request. */
    serving: Serving;
  }
}

/** Everything that all worlds of a server share. */
export interface Serving {
  worlds: Worlds;
  /** The scenarios, loaded on first use. */
  scenarios: () => Promise<Scenarios>;
  /** Stories and findings that can be replayed against a server without resetting it, loaded on first use. */
  rehearsals: () => Promise<Rehearsals>;
  /** The folder in which Sandglass was started. */
  folder: string;
  /** Origins other than Sandglass's own whose pages may call the control API. */
  allowedOrigins: readonly string[];
  /** The token of a shared sandbox, or undefined. */
  share: Share | undefined;
}

export interface ControlOptions {
  /** Rejects a request that may not control the sandbox. */
  guard: (request: FastifyRequest) => void | Promise<void>;
  /** Finds the requested world's sandbox. */
  open: (request: FastifyRequest) => Sandbox;
  serving: (request: FastifyRequest) => Serving;
  /** The operations to serve; by default, all of them. */
  operations?: readonly Operation[];
  does?: Does;
}

/** The control API, under `/_sandbox`. Errors are handled by the app on which it is registered. */
export async function controlRoutes(
  app: App,
  { guard, open, serving, operations = OPERATIONS, does = BOUND }: ControlOptions,
): Promise<void> {
  app.decorateRequest("sandbox");
  app.decorateRequest("serving");
  app.addHook("onRequest", async (request, reply) => {
    request.serving = serving(request);
    if (answerOrigin(request, reply, request.serving.allowedOrigins)) return reply;
    await guard(request);
    request.sandbox = open(request);
  });
  refuseUnknownPaths(app, "no control call", "GET /_sandbox/openapi.json lists the calls.");
  addRoutes(app, [
    ...operations.map((one) => callOf(one, does)),
    ...streamRoutes,
    ...fileRoutes,
    ...shareRoutes,
  ]);
  await registerScope(app, snapshotUploadRoute);
  await registerScope(app, inboxDeliveryRoute);
  app.all("/inbox/:name/*", refuseBelowInbox);
}

const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
/**
 * How many seconds a browser may cache a preflight response. The time is short, so removing an origin takes effect
 * soon.
 */
const REMEMBERED_SECONDS = "600";

/**
 * Allows pages of the allowed origins to read the control API's responses. It deliberately omits the header that would
 * allow cookies: a page must know a shared sandbox's token itself.
 * @returns whether the request was a preflight, to which it has now responded
 */
function answerOrigin(
  { headers, method }: FastifyRequest,
  reply: FastifyReply,
  allowedOrigins: readonly string[],
): boolean {
  if (allowedOrigins.length === 0) return false;
  reply.header("vary", "Origin");
  const { origin } = headers;
  if (origin === undefined || !allowedOrigins.includes(origin)) return false;
  reply.header("access-control-allow-origin", origin);
  if (!isPreflight(method, headers)) return false;
  reply
    .code(204)
    .headers({
      "access-control-allow-methods": METHODS,
      "access-control-allow-headers": headers["access-control-request-headers"] ?? "content-type",
      "access-control-max-age": REMEMBERED_SECONDS,
    })
    .send();
  return true;
}

/** The route that receives webhooks. Its scope does not parse bodies, so it accepts any body. */
function inboxDeliveryRoute(scope: App): void {
  scope.removeAllContentTypeParsers();
  acceptBodies(scope, "*", (bytes, { headers }) => inboxText(bytes, headers["content-encoding"]));
  addRoutes(scope, [
    call("POST /inbox/:name", {
      id: "postToInbox",
      tag: "Inbox",
      summary: "Receive a webhook in an inbox",
      params: nameOf("an inbox"),
      async run({ sandbox, params, headers, body }, reply) {
        const texts = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")]);
        const answer = sandbox.inboxes.receive(
          params.name,
          Object.fromEntries(texts),
          (body as string | undefined) ?? "",
        );
        if (answer.delay > 0) await wallSleep(answer.delay);
        return reply.code(answer.status).type("application/json; charset=utf-8").send(answer.body);
      },
    }),
  ]);
}

/** The maximum size of a compressed message after decompression. */
const MOST_MESSAGE_BYTES = 16 * 1024 * 1024;

/** A message's text as the sender signed it: decompressed, unless decompression fails. */
function inboxText(bytes: Buffer, header = ""): string {
  const encoding = contentEncoding({ "content-encoding": header });
  try {
    return String(isContentEncoding(encoding) ? decodeBody(bytes, encoding, MOST_MESSAGE_BYTES) : bytes);
  } catch {
    return String(bytes);
  }
}

/** Rejects any other path below an inbox, because a webhook may point there by mistake. */
async function refuseBelowInbox(): Promise<never> {
  throw notFound(
    "An inbox only has the paths /inbox/{name} and /inbox/{name}/behaviour.",
    "Names consist of letters, digits, dots, hyphens and underscores.",
  );
}

/** Routes whose responses stay open for as long as the connection does. */
const streamRoutes = [
  call("GET /live", {
    id: "live",
    tag: "Record",
    summary: "Follow the journal as it grows",
    description:
      "A WebSocket, or server-sent events when asked for with `Accept: text/event-stream`. `after` replays later entries; a reconnecting event source resumes from its Last-Event-ID. If a reset, a restore or an undo has replaced the journal since then, both continue with the entry for it: `world.reset`, `world.restored` or `world.undone`. If some of the requested entries were removed, a message of type `notice` says which. `clock=true` adds messages of type `clock`, and `calls=true` adds messages of type `calls` when APIs are called; neither are journal entries.",
    query: LiveQuery,
    run: ({ sandbox, headers, query }, reply) =>
      streamJournal(sandbox, headers, reply, readLiveQuery(sandbox, query)),
  }),
  call("GET /scenarios/runs/:id/events", {
    id: "followScenarioRun",
    tag: "Scenarios",
    summary: "Follow a run step by step from its start",
    description:
      "Server-sent events: `run.started`, `step.started`, `step.ended` with the step's summary, `log`, `run.ended`. The stream ends with the run.",
    params: idOf("a run"),
    async run({ serving, params, headers }, reply) {
      const run = (await serving.scenarios()).run(params.id);
      const after = lastEventId(headers)?.seq ?? 0;
      return streamEvents(reply, (stream) => {
        let sent = after;
        let isOver = false;
        const sendMore = () => {
          for (; stream.isReady() && sent < run.events.length; sent += 1)
            stream.send(run.events[sent]!, run.events[sent]!.seq);
          if (sent < run.events.length) stream.whenReady(sendMore);
          else if (isOver) stream.end();
        };
        void run.done.then(() => {
          isOver = true;
          sendMore();
        });
        sendMore();
        return run.follow(sendMore);
      });
    },
  }),
];
