import { apiFaultTarget, applyApiFault } from "../http/api-faults.ts";
import { openToEveryOrigin } from "../http/cors.ts";
import type { App } from "../http/types.ts";
import { PlatformError, type PlatformErrorCode } from "./errors.ts";
import { PLATFORM } from "./name.ts";
import { accountRoutes } from "./routes/account.ts";
import { catalogRoutes } from "./routes/catalog.ts";
import { checkoutSessionRoutes } from "./routes/checkout-sessions.ts";
import { hostedRoutes } from "./routes/hosted.ts";
import { paymentLinkRoutes } from "./routes/payment-links.ts";
import {
  apiPath,
  guardApi,
  type OpenPayments,
  openToDashboard,
  sendPlatformError,
  sendUnknownRoute,
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
  "X-Sandbox-Hint",
];

/** The payments platform over HTTP, below `/platform`: the API and the hosted checkout. */
export async function platformRoutes(app: App, { open }: { open: OpenPayments }): Promise<void> {
  app.decorateRequest("payments", null as never);
  app.decorateRequest("caller", null as never);
  app.setErrorHandler(sendPlatformError);
  app.addHook("onRequest", (request, _reply, done) => {
    request.payments = open(request);
    done();
  });

  await app.register(apiRoutes, { prefix: API_PREFIX });
  await app.register(async (scope) => hostedRoutes(scope as unknown as App));
}

async function apiRoutes(plain: unknown): Promise<void> {
  const app = plain as App;
  openToEveryOrigin(app, READABLE_HEADERS);
  app.setNotFoundHandler(sendUnknownRoute);
  app.addHook("onRequest", (request, reply, done) => {
    const { world } = request.payments;
    if (!world.faults.get(apiFaultTarget(PLATFORM))) return done();
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
  resourceRoutes(app);
}

function resourceRoutes(app: App): void {
  paymentLinkRoutes(app);
  checkoutSessionRoutes(app);
  transactionRoutes(app);
  catalogRoutes(app);
  webhookRoutes(app);
  accountRoutes(app);
}

/**
 * The API's resources as an organization's own dashboard uses them: no key, no rate limit, no fault. They are
 * described once, with the API.
 */
export async function dashboardRoutes(app: App, { open }: { open: OpenPayments }): Promise<void> {
  app.decorateRequest("payments", null as never);
  app.decorateRequest("caller", null as never);
  app.setErrorHandler(sendPlatformError);
  app.setNotFoundHandler(sendUnknownRoute);
  app.addHook("onRoute", (route) => {
    if (route.schema) route.schema = { ...route.schema, operationId: undefined } as typeof route.schema;
  });
  app.addHook("onRequest", (request, _reply, done) => {
    request.payments = open(request);
    done();
  });
  openToDashboard(app);
  resourceRoutes(app);
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
