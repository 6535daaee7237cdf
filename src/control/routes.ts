import type { FastifyReply, FastifyRequest } from "fastify";
import { SandboxError } from "../errors.ts";
import { explainFrameworkError, sendSandboxError } from "../http/server.ts";
import type { App } from "../http/types.ts";
import { ValidationError } from "../http/validation.ts";
import { violationMessage } from "../http/violation-text.ts";
import { PlatformError } from "../payments/errors.ts";
import { CheckoutSession } from "../payments/schemas/checkout-sessions.ts";
import { Webhook } from "../payments/schemas/webhooks.ts";
import type { Sandbox } from "../sandbox.ts";
import { iso, parseInstant } from "../world/duration.ts";
import { guardControl } from "./guard.ts";
import { inboxRoutes } from "./inbox.ts";
import { readTypes, streamJournal } from "./live.ts";
import * as shapes from "./schemas.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The sandbox of the world that is controlled. */
    sandbox: Sandbox;
  }
}

export interface ControlOptions {
  /** Finds the sandbox of the world a request is for. */
  open: (request: FastifyRequest) => Sandbox;
  /** Host names beside loopback by which it may be called. */
  allowedHosts: readonly string[];
}

const tags = (name: string) => ({ tags: [name] });

/** The control API, below `/_sandbox`. Contract: "Control API". */
export async function controlRoutes(app: App, { open, allowedHosts }: ControlOptions): Promise<void> {
  app.decorateRequest("sandbox", null as never);
  app.addHook("onRequest", async (request) => {
    guardControl(request.raw, allowedHosts);
    request.sandbox = open(request);
  });
  app.setErrorHandler((error, _request, reply) => sendSandboxError(reply, translate(error)));
  app.setNotFoundHandler((request, reply) =>
    sendSandboxError(
      reply,
      new SandboxError(
        "not_found",
        `There is no control call ${request.method} ${request.url.split("?")[0]}.`,
        "GET /_sandbox/openapi.json lists the calls.",
      ),
    ),
  );
  worldRoutes(app);
  clockRoutes(app);
  paymentRoutes(app);
  webhookRoutes(app);
  faultRoutes(app);
  recordRoutes(app);
  await app.register(async (scope) => inboxRoutes(scope as unknown as App));
}

function worldRoutes(app: App): void {
  app.get(
    "/status",
    {
      schema: {
        operationId: "status",
        summary: "What is running, where, with which keys",
        ...tags("World"),
        response: { 200: shapes.StatusBody, ...shapes.controlErrors },
      },
    },
    async ({ sandbox }) => ({ ...sandbox.status(), counts: sandbox.counts() }),
  );
  app.post(
    "/reset",
    {
      schema: {
        operationId: "reset",
        summary: "Back to the seeded fixtures",
        ...tags("World"),
        body: shapes.Reset,
        response: { 200: shapes.StatusBody, ...shapes.controlErrors },
      },
    },
    async ({ sandbox, body }) => {
      await sandbox.reset(body.seed);
      return { ...sandbox.status(), counts: sandbox.counts() };
    },
  );
}

function clockRoutes(app: App): void {
  const answers = { response: { 200: shapes.ClockState, ...shapes.controlErrors } };
  app.get(
    "/clock",
    { schema: { operationId: "getClock", summary: "The virtual clock", ...tags("Clock"), ...answers } },
    async ({ sandbox }) => sandbox.world.clock.state(),
  );

  app.put(
    "/clock",
    {
      schema: {
        operationId: "setClock",
        summary: "Change mode, rate or time",
        description: "`now` may only be later; what falls due on the way is done, as in an advance.",
        ...tags("Clock"),
        body: shapes.ClockChange,
        ...answers,
      },
    },
    async ({ sandbox, body }) => {
      const { now, ...change } = body;
      return sandbox.setClock({ ...change, ...(now === undefined ? {} : { now: parseInstant(now) }) });
    },
  );

  app.post(
    "/clock/advance",
    {
      schema: {
        operationId: "advance",
        summary: "Move the clock and do all that falls due",
        description:
          "Takes one of `by`, `to` and `until`. Answers when the world is quiet at the target, with a ledger of what happened.",
        ...tags("Clock"),
        body: shapes.Advance,
        response: { 200: shapes.AdvanceAnswer, ...shapes.controlErrors },
      },
    },
    async ({ sandbox, body }) => {
      const { dryRun, ...request } = body;
      if (!dryRun) return sandbox.advance(request);
      const { from, to, timers } = sandbox.preview(request);
      const wouldFire = timers.map(({ due, kind, key, payload }) => ({
        due_at: iso(due),
        kind,
        key,
        payload,
      }));
      return { from, to, dry_run: true, would_fire: wouldFire };
    },
  );

  app.post(
    "/clock/pause",
    { schema: { operationId: "pauseClock", summary: "Stop the clock", ...tags("Clock"), ...answers } },
    async ({ sandbox }) => sandbox.setClock({ mode: "paused" }),
  );
  app.post(
    "/clock/resume",
    {
      schema: {
        operationId: "resumeClock",
        summary: "Let the clock run again, at its rate",
        ...tags("Clock"),
        ...answers,
      },
    },
    async ({ sandbox }) => {
      const { mode, rate } = sandbox.world.clock.state();
      return mode === "paused"
        ? sandbox.setClock({ mode: rate === 1 ? "live" : "scaled" })
        : sandbox.world.clock.state();
    },
  );
}

function paymentRoutes(app: App): void {
  app.post(
    "/payments",
    {
      schema: {
        operationId: "pay",
        summary: "Trigger a payment",
        description:
          "Of a payment link (a session is opened) or of a session. Answers once the first deliveries were made, at most `settleTimeout` later.",
        ...tags("Payments"),
        body: shapes.Pay,
        response: { 200: shapes.PayResult, ...shapes.controlErrors },
      },
    },
    async ({ sandbox, body }) => sandbox.pay(body),
  );
  app.post(
    "/sessions/:id/expire",
    {
      schema: {
        operationId: "expireSession",
        summary: "Expire a checkout session now",
        ...tags("Payments"),
        params: shapes.IdParams,
        response: { 200: CheckoutSession, ...shapes.controlErrors },
      },
    },
    async ({ sandbox, params }) => sandbox.expireSession(params.id),
  );
}

function webhookRoutes(app: App): void {
  const one = { ...tags("Webhooks"), params: shapes.IdParams };
  app.get(
    "/webhooks",
    {
      schema: {
        operationId: "listWebhooksWithSecrets",
        summary: "Every endpoint, with its secret",
        ...tags("Webhooks"),
        response: { 200: shapes.dataOf(shapes.Anything, "Webhooks"), ...shapes.controlErrors },
      },
    },
    async ({ sandbox }) => ({ data: sandbox.payments.endpoints.listAll() }),
  );
  app.post(
    "/webhooks/:id/enable",
    {
      schema: {
        operationId: "enableWebhook",
        summary: "Enable a disabled endpoint, as its owner does in the dashboard",
        ...one,
        response: { 200: Webhook, ...shapes.controlErrors },
      },
    },
    async (request) => request.sandbox.enableWebhook(request.params.id, request.url),
  );
  app.post(
    "/webhooks/:id/disable",
    {
      schema: {
        operationId: "disableWebhook",
        summary: "Disable an endpoint, as its owner does in the dashboard",
        ...one,
        response: { 200: Webhook, ...shapes.controlErrors },
      },
    },
    async (request) => request.sandbox.disableWebhook(request.params.id, request.url),
  );
  app.get(
    "/webhooks/:id/timeline",
    {
      schema: {
        operationId: "webhookTimeline",
        summary: "Attempts, planned retries, the counter, what is ahead",
        ...one,
        querystring: shapes.TimelineQuery,
        response: { 200: shapes.Timeline, ...shapes.controlErrors },
      },
    },
    async ({ sandbox, params, query }) => sandbox.timeline(params.id, query.limit),
  );
}

function faultRoutes(app: App): void {
  const answers = { response: { 200: shapes.FaultState, ...shapes.controlErrors } };
  const none = (target: string) => ({ target, spec: null, asked: 0, hit: 0 });

  app.get(
    "/webhooks/:id/fault",
    {
      schema: {
        operationId: "getWebhookFault",
        summary: "The fault set on a subscriber",
        ...tags("Faults"),
        params: shapes.IdParams,
        ...answers,
      },
    },
    async ({ sandbox, params }) => sandbox.webhookFault(params.id) ?? none(`webhook:${params.id}`),
  );
  app.put(
    "/webhooks/:id/fault",
    {
      schema: {
        operationId: "setWebhookFault",
        summary: "Make a subscriber fail",
        description:
          "Simulated on the sandbox's side: the real subscriber is not called unless `passThrough` is true.",
        ...tags("Faults"),
        params: shapes.IdParams,
        body: shapes.SubscriberFaultBody,
        ...answers,
      },
    },
    async ({ sandbox, params, body }) => {
      if (body.kind === undefined && body.sequence === undefined && body.status === undefined) {
        throw new SandboxError(
          "bad_request",
          "A fault needs kind, status or sequence.",
          'For example {"kind": "status", "status": 503} or {"sequence": [500, 500, 200]}.',
        );
      }
      sandbox.setWebhookFault(params.id, body);
      return sandbox.webhookFault(params.id)!;
    },
  );
  app.delete(
    "/webhooks/:id/fault",
    {
      schema: {
        operationId: "clearWebhookFault",
        summary: "Let a subscriber work again",
        ...tags("Faults"),
        params: shapes.IdParams,
        ...answers,
      },
    },
    async ({ sandbox, params }) => {
      sandbox.clearWebhookFault(params.id);
      return none(`webhook:${params.id}`);
    },
  );

  app.put(
    "/faults/:area",
    {
      schema: {
        operationId: "setApiFault",
        summary: "Make an area's API fail or lag",
        ...tags("Faults"),
        params: shapes.AreaParams,
        body: shapes.ApiFaultBody,
        ...answers,
      },
    },
    async ({ sandbox, params, body }) => {
      if (body.status === undefined && body.latency === undefined) {
        throw new SandboxError(
          "bad_request",
          "An API fault needs status or latency.",
          'For example {"status": 500} or {"latency": 2000, "match": "GET /payment-links*"}.',
        );
      }
      sandbox.setApiFault(params.area, body);
      return sandbox.world.faults.get(`api:${params.area}`)!;
    },
  );
  app.delete(
    "/faults/:area",
    {
      schema: {
        operationId: "clearApiFault",
        summary: "Let an area's API work again",
        ...tags("Faults"),
        params: shapes.AreaParams,
        ...answers,
      },
    },
    async ({ sandbox, params }) => {
      sandbox.clearApiFault(params.area);
      return none(`api:${params.area}`);
    },
  );
}

function recordRoutes(app: App): void {
  app.get(
    "/mail",
    {
      schema: {
        operationId: "listMail",
        summary: "E-mails sent",
        ...tags("Record"),
        response: { 200: shapes.dataOf(shapes.Mail, "MailList"), ...shapes.controlErrors },
      },
    },
    async ({ sandbox }) => ({ data: sandbox.payments.mail.list() }),
  );
  app.get(
    "/events",
    {
      schema: {
        operationId: "listJournal",
        summary: "Everything that happened, in order",
        ...tags("Record"),
        querystring: shapes.EventsQuery,
        response: { 200: shapes.dataOf(shapes.JournalEntry, "Journal"), ...shapes.controlErrors },
      },
    },
    async ({ sandbox, query }) => ({
      data: sandbox.journal.list({ after: query.after, types: readTypes(query.types), limit: query.limit }),
    }),
  );
  app.get(
    "/live",
    {
      schema: {
        operationId: "live",
        summary: "The journal as it grows",
        description:
          "A WebSocket, or server-sent events when asked for with `Accept: text/event-stream`. `after` replays what came since; a reconnecting event source is caught up by its Last-Event-ID.",
        ...tags("Record"),
        querystring: shapes.LiveQuery,
      },
    },
    async (request, reply) => {
      const { after, types } = request.query;
      return streamJournal(request.sandbox, request, reply, { after, types: readTypes(types) });
    },
  );
  app.get(
    "/requests",
    {
      schema: {
        operationId: "listRequests",
        summary: "API calls received, with a curl line",
        ...tags("Record"),
        querystring: shapes.PageQuery,
        response: { 200: shapes.dataOf(shapes.RequestSummary, "Requests"), ...shapes.controlErrors },
      },
    },
    async ({ sandbox, query }) => ({ data: sandbox.requests.list(query) }),
  );
  app.get(
    "/requests/:id",
    {
      schema: {
        operationId: "getRequest",
        summary: "One API call, secrets left out",
        ...tags("Record"),
        params: shapes.IdParams,
        response: { 200: shapes.RequestDetail, ...shapes.controlErrors },
      },
    },
    async ({ sandbox, params }) => {
      const found = sandbox.requests.get(Number(params.id));
      if (!found)
        throw new SandboxError(
          "not_found",
          `There is no request ${params.id} any more.`,
          "GET /_sandbox/requests lists the latest ones.",
        );
      return found;
    },
  );
}

/** Whatever went wrong, in Sandglass's own form. */
function translate(error: unknown): SandboxError {
  if (error instanceof SandboxError) return error;
  if (error instanceof ValidationError)
    return new SandboxError(
      "bad_request",
      violationMessage(error.violation),
      "GET /_sandbox/openapi.json shows what this call takes.",
    );
  if (error instanceof PlatformError) return new PlatformRefusal(error);
  const known = explainFrameworkError(error);
  if (known?.kind === "content-type")
    return new SandboxError(
      "unsupported_media_type",
      known.message,
      "Add the header content-type: application/json.",
    );
  if (known?.kind === "size") return new SandboxError("payload_too_large", known.message, "Send less.");
  if (known) return new SandboxError("bad_request", known.message, "Send a JSON object.");
  console.error(error);
  return new SandboxError(
    "internal",
    "An unexpected error occurred in the sandbox; its log has the details.",
    "Please report it.",
  );
}

/** The platform's own refusal, with its code and status. */
class PlatformRefusal extends SandboxError {
  readonly #status: number;
  constructor(error: PlatformError) {
    super(
      error.code as never,
      error.message,
      error.param === undefined ? "" : `The field at fault is ${error.param}.`,
    );
    this.#status = error.status;
  }
  override get status(): number {
    return this.#status;
  }
}

export type { FastifyReply };
