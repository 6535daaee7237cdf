import type { FastifyReply, FastifyRequest } from "fastify";
import { SandboxError } from "../../errors/errors.ts";
import { acceptBodies } from "../../http/body.ts";
import type { Route, RouteName } from "../../http/route-table.ts";
import type { App } from "../../http/types.ts";
import { PlatformError } from "../errors.ts";
import { type ClosedView, hostedPolicy, renderClosed } from "../hosted/page.ts";
import type { Payments } from "../payments.ts";
import type { SessionRow } from "../rows.ts";
import { sendPlatformError } from "./support.ts";

type PageRequest<Params> = Omit<FastifyRequest, "params" | "query"> & {
  params: Params;
  query: Record<string, string | string[]>;
};

/** The route of a page. It is not in the OpenAPI document, and no schema validates its requests. */
export function page<Params>(
  name: RouteName,
  show: (request: PageRequest<Params>, reply: FastifyReply) => FastifyReply,
): Route {
  return { name, handle: (request, reply) => show(request as PageRequest<Params>, reply) };
}

/** Makes the app parse forms, and show errors as pages. */
export function answerWithPages(app: App): void {
  acceptBodies(app, "application/x-www-form-urlencoded", (bytes) =>
    Object.fromEntries(new URLSearchParams(String(bytes))),
  );
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof PlatformError) {
      const status = error.code === "invalid_status_transition" ? 410 : error.status;
      return sendClosed(reply, status, {
        title: status === 404 ? "This page does not exist" : "This checkout is closed",
        message: error.message,
        hint: "Ask the merchant for a new payment link.",
      });
    }
    if (error instanceof SandboxError && error.code === "not_found")
      return sendClosed(reply, 404, {
        title: "This sandbox has ended",
        message: error.message,
        hint: "Create a payment link in an existing world.",
      });
    return sendPlatformError(error, request, reply);
  });
}

export function sendPage(reply: FastifyReply, status: number, html: string): FastifyReply {
  return reply
    .code(status)
    .type("text/html; charset=utf-8")
    .header("content-security-policy", hostedPolicy)
    .header("cache-control", "no-store")
    .send(html);
}

export function sendClosed(reply: FastifyReply, status: number, view: ClosedView): FastifyReply {
  return sendPage(reply, status, renderClosed(view));
}

export function sendToCheckout(reply: FastifyReply, payments: Payments, session: SessionRow): FastifyReply {
  return reply.code(303).header("location", checkoutPath(payments, session)).send();
}

export function checkoutPath(payments: Payments, session: SessionRow): string {
  return `${pagesPath(payments)}/checkout/${session.id}`;
}

/** The pages' path without a host, so links work under any host name. */
export function pagesPath(payments: Payments): string {
  return `${new URL(payments.origin()).pathname.replace(/\/$/, "")}/platform`;
}
