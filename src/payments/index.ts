import { cameInside } from "../http/address.ts";
import { apiFaultTarget, applyApiFault } from "../http/api-faults.ts";
import { openToEveryOrigin } from "../http/cors.ts";
import type { App } from "../http/types.ts";
import { PlatformError, type PlatformErrorCode } from "./errors.ts";
import { PLATFORM } from "./name.ts";
import { accountRoutes } from "./routes/account.ts";
import { catalogRoutes } from "./routes/catalog.ts";
import { checkoutSessionRoutes } from "./routes/checkout-sessions.ts";
import { customerRoutes } from "./routes/customers.ts";
import { hostedRoutes } from "./routes/hosted.ts";
import { hostedWidgetRoutes } from "./routes/hosted-widget.ts";
import { organizationRoutes } from "./routes/organization.ts";
import { paymentLinkRoutes } from "./routes/payment-links.ts";
import {
  apiPath,
  type GuardDashboard,
  guardApi,
  type OpenPayments,
  sendPlatformError,
  unknownRoute,
} from "./routes/support.ts";
import { transactionRoutes } from "./routes/transactions.ts";
import { webhookRoutes } from "./routes/webhooks.ts";

const API_PREFIX = "/api/v1";
const READABLE_HEADERS = [
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "Retry-After",
  "Idempotent-Replayed",
  "Content-Disposition",
  "X-Sandbox-Hint",
];

export interface PlatformOptions {
  open: OpenPayments;
  /** Who may come through the door inside, as the dashboard does; nobody when left out. */
  guardDashboard?: GuardDashboard;
}

/** The payments platform over HTTP, below `/platform`: the API and the hosted checkout. */
export async function platformRoutes(app: App, { open, guardDashboard }: PlatformOptions): Promise<void> {
  app.decorateRequest("payments", null as never);
  app.decorateRequest("caller", null as never);
  app.setErrorHandler(sendPlatformError);
  app.addHook("onRequest", (request, _reply, done) => {
    if (cameInside(request)) guardDashboard?.(request);
    request.payments = open(request);
    done();
  });

  await app.register(apiRoutes, { prefix: API_PREFIX });
  await app.register(async (scope) => {
    hostedRoutes(scope as unknown as App);
    hostedWidgetRoutes(scope as unknown as App);
  });
}

async function apiRoutes(plain: unknown): Promise<void> {
  const app = plain as App;
  openToEveryOrigin(app, READABLE_HEADERS);
  app.setNotFoundHandler((request, reply) => sendPlatformError(unknownRoute(request), request, reply));
  app.addHook("onRequest", (request, reply, done) => {
    const { world } = request.payments;
    if (!world.faults.get(apiFaultTarget(PLATFORM)) || cameInside(request)) return done();
    applyApiFault(world, PLATFORM, request, apiPath(request)).then((status) => {
      if (status === undefined) return done();
      const error = simulatedError(status);
      reply
        .code(status)
        .headers({ ...error.headers, "x-sandbox-fault": "api" })
        .send(error.body());
    }, done);
  });
  guardApi(app);
  paymentLinkRoutes(app);
  checkoutSessionRoutes(app);
  transactionRoutes(app);
  customerRoutes(app);
  catalogRoutes(app);
  webhookRoutes(app);
  accountRoutes(app);
  organizationRoutes(app);
}

const SIMULATED: Record<number, PlatformErrorCode> = {
  400: "invalid_field_value",
  401: "key_invalid",
  403: "insufficient_permissions",
  404: "resource_not_found",
  409: "idempotency_conflict",
  429: "rate_limit_exceeded",
};

/** The platform's error for a status that a fault asks for. */
function simulatedError(status: number): PlatformError {
  const code = SIMULATED[status] ?? "internal_error";
  const retry: Record<string, string> = status === 429 ? { "retry-after": "60" } : {};
  const delay = status === 429 ? " Retry in 60 seconds." : "";
  return new PlatformError(
    code,
    `A fault was set on this API: it answers ${status}.${delay}`,
    undefined,
    retry,
  );
}
