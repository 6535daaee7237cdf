import { cameInside } from "../http/address.ts";
import { faultHeaders, meetApiFaults } from "../http/api-faults.ts";
import type { AreaDoor } from "../http/area.ts";
import { openToPages } from "../http/cors.ts";
import { addRoutes } from "../http/route-table.ts";
import { type App, registerScope } from "../http/types.ts";
import { PlatformError, type PlatformErrorCode } from "./errors.ts";
import { API_PREFIX, PLATFORM } from "./name.ts";
import type { Payments } from "./payments.ts";
import { accountRoutes } from "./routes/account.ts";
import { catalogRoutes } from "./routes/catalog.ts";
import { checkoutSessionRoutes } from "./routes/checkout-sessions.ts";
import { customerRoutes } from "./routes/customers.ts";
import { hostedRoutes, hostedWidgetRoutes } from "./routes/hosted.ts";
import { answerWithPages } from "./routes/pages.ts";
import { paymentLinkRoutes } from "./routes/payment-links.ts";
import { apiPath, guardApi, sendPlatformError, unknownRoute } from "./routes/support.ts";
import { transactionRoutes } from "./routes/transactions.ts";
import { webhookRoutes } from "./routes/webhooks.ts";

const READABLE_HEADERS = [
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "Retry-After",
  "Idempotent-Replayed",
  "Content-Disposition",
  "X-Sandbox-Hint",
];

/** The HTTP routes of the payments platform under `/platform`: the API and the hosted checkout. */
export async function platformRoutes(app: App, { open, guardInside }: AreaDoor<Payments>): Promise<void> {
  app.decorateRequest("payments");
  app.decorateRequest("caller");
  app.setErrorHandler(sendPlatformError);
  app.addHook("onRequest", (request, _reply, done) => {
    const enter = () => {
      request.payments = open(request);
      done();
    };
    const waiting = cameInside(request) ? guardInside?.(request) : undefined;
    if (waiting) void waiting.then(enter).catch(done);
    else enter();
  });

  await registerScope(app, apiRoutes, API_PREFIX);
  await registerScope(app, (scope) => {
    answerWithPages(scope);
    addRoutes(scope, [...hostedRoutes, ...hostedWidgetRoutes]);
  });
}

function apiRoutes(app: App): void {
  openToPages(app, READABLE_HEADERS, true);
  app.setNotFoundHandler((request, reply) => sendPlatformError(unknownRoute(request), request, reply));
  meetApiFaults(app, PLATFORM, {
    world: ({ payments }) => payments.world,
    paths: (request) => [apiPath(request)],
    error: simulatedError,
  });
  guardApi(app);
  addRoutes(app, [
    ...paymentLinkRoutes,
    ...checkoutSessionRoutes,
    ...transactionRoutes,
    ...customerRoutes,
    ...catalogRoutes,
    ...webhookRoutes,
    ...accountRoutes,
  ]);
}

const SIMULATED: Record<number, PlatformErrorCode> = {
  400: "invalid_field_value",
  401: "key_invalid",
  403: "insufficient_permissions",
  404: "resource_not_found",
  409: "idempotency_conflict",
  429: "rate_limit_exceeded",
};

function simulatedError(status: number): PlatformError {
  const delay = status === 429 ? " Retry in 60 seconds." : "";
  return new PlatformError(
    SIMULATED[status] ?? "internal_error",
    `A fault makes this API return ${status}.${delay}`,
    undefined,
    faultHeaders(status),
    status,
  );
}
