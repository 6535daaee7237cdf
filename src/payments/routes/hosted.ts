import type { FastifyReply } from "fastify";
import { SandboxError } from "../../errors/errors.ts";
import type { App } from "../../http/types.ts";
import { iso } from "../../world/duration.ts";
import { PlatformError } from "../errors.ts";
import { hostedPolicy } from "../hosted/countdown.ts";
import { type Fields, readForm, readLinkQuery, readTexts } from "../hosted/input.ts";
import { renderCheckout, renderClosed, renderCountdown, renderReceipt } from "../hosted/page.ts";
import { chainName, describeToken } from "../hosted/tokens.ts";
import type { SessionView } from "../hosted/views.ts";
import type { Payments } from "../payments.ts";
import type { SessionRow } from "../rows.ts";
import type { Metadata } from "../schemas/common.ts";
import { notByHead, sendPlatformError } from "./support.ts";

/** The hosted checkout: a payment link's `url` opens a session, whose page offers every outcome. */
export function hostedRoutes(app: App): void {
  app.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string" },
    (_request, body, done) => {
      done(null, Object.fromEntries(new URLSearchParams(body as string)));
    },
  );

  app.setErrorHandler((error, request, reply) => {
    if (error instanceof PlatformError) {
      const closed =
        error.code === "resource_not_found"
          ? 404
          : error.code === "invalid_status_transition"
            ? 410
            : error.status;
      return sendPage(
        reply,
        closed,
        renderClosed({
          title: closed === 404 ? "This page does not exist" : "This checkout is closed",
          message: error.message,
          hint: "Ask the merchant for a new payment link.",
        }),
      );
    }
    if (error instanceof SandboxError && error.code === "not_found")
      return sendPage(
        reply,
        404,
        renderClosed({
          title: "This sandbox has ended",
          message: error.message,
          hint: "Make a new payment link in a world that exists.",
        }),
      );
    return sendPlatformError(error, request, reply);
  });

  app.get<{ Params: { code: string }; Querystring: Record<string, string | string[]> }>(
    "/pay/:code",
    { onRequest: notByHead },
    async (request, reply) => {
      const { links, sessions } = request.payments;
      const link = links.findByCode(request.params.code);
      if (!link) throw new PlatformError("resource_not_found", "No payment link has this address.");
      const session = sessions.open(link.org, link.id, readLinkQuery(request.query));
      return reply.code(303).header("location", hostedPath(request.payments, session)).send();
    },
  );

  app.get<{ Params: { id: string } }>("/checkout/:id", async (request, reply) =>
    showSession(request.payments, request.params.id, reply, {}),
  );

  app.get<{ Params: { id: string } }>("/checkout/:id/clock", async (request, reply) => {
    const session = findSession(request.payments, request.params.id);
    if (session.status !== "active")
      throw new PlatformError("invalid_status_transition", `The session is ${session.status}.`);
    const now = iso(request.payments.world.clock.now());
    return sendPage(reply, 200, renderCountdown({ now, session: sessionView(session) }).markup);
  });

  app.post<{ Params: { id: string } }>("/checkout/:id", async (request, reply) => {
    const { payments } = request;
    const fields = readTexts(request.body);
    const session = findSession(payments, request.params.id);
    try {
      if (fields.outcome === "expired") payments.sessions.expire(session.org, session.id);
      else payments.transactions.pay(session, readForm(fields, session));
    } catch (error) {
      if (!(error instanceof PlatformError) || payments.sessions.byId(session.id)?.status !== "active")
        throw error;
      return showSession(payments, session.id, reply.code(error.status), {
        error: { message: error.message, ...(error.param ? { param: error.param } : {}) },
        values: fields,
      });
    }
    return reply.code(303).header("location", hostedPath(payments, session)).send();
  });
}

/** Where the pages are: without a host, so that they work under whatever name the browser knows the sandbox. */
export function pagesPath(payments: Payments): string {
  return `${new URL(payments.origin()).pathname.replace(/\/$/, "")}/platform`;
}

export function hostedPath(payments: Payments, session: SessionRow): string {
  return `${pagesPath(payments)}/checkout/${session.id}`;
}

function findSession(payments: Payments, id: string): SessionRow {
  const session = payments.sessions.byId(id);
  if (!session) throw new PlatformError("resource_not_found", "No checkout session has this address.");
  return session;
}

function showSession(
  payments: Payments,
  id: string,
  reply: FastifyReply,
  extra: { error?: { message: string; param?: string }; values?: Fields },
): FastifyReply {
  const session = findSession(payments, id);
  const { links, organizations, transactions, world } = payments;
  const link = session.payment_link_id === null ? undefined : links.findPublic(session.payment_link_id);
  const token = describeToken(session.chain_id, session.token_address);
  const chain = { id: session.chain_id, name: chainName(session.chain_id) };
  const now = iso(world.clock.now());
  const organization = organizations.get(session.org).name;
  const shared = {
    organization,
    session: sessionView(session),
    link: link ? { name: link.name, description: link.description } : null,
    token,
    chain,
    now,
  };

  if (session.status === "expired") {
    const message = `It expired at ${iso(session.expired_at ?? session.expires_at)}.`;
    return sendPage(
      reply,
      410,
      renderClosed({
        title: "This checkout has expired",
        message,
        hint: "Open the payment link again to start a new one.",
      }),
    );
  }
  if (session.status === "completed") {
    const transaction = transactions.byId(session.transaction_id!)!;
    return sendPage(
      reply,
      200,
      renderReceipt({ ...shared, transaction, returnUrl: session.success_url ?? link?.return_url ?? null }),
    );
  }
  const last = transactions.latestOf(session.id);
  return sendPage(
    reply,
    reply.statusCode,
    renderCheckout({
      ...shared,
      action: hostedPath(payments, session),
      recipient_address: session.recipient_address,
      needsAmount: session.amount === null,
      ...(last?.status === "failed" && last.failure_reason !== null
        ? { lastFailure: last.failure_reason }
        : {}),
      ...(last?.status === "pending" || last?.status === "confirming"
        ? {
            error: {
              message: `The payment ${last.id} is ${last.status}; reload once the clock has moved on.`,
            },
          }
        : {}),
      ...extra,
    }),
  );
}

function sessionView(row: SessionRow): SessionView {
  const metadata = Object.entries(JSON.parse(row.metadata) as Metadata).map(([key, value]) => [
    key,
    String(value),
  ]);
  return {
    ...row,
    metadata: Object.fromEntries(metadata) as Record<string, string>,
    expires_at: iso(row.expires_at),
  };
}

export function sendPage(reply: FastifyReply, status: number, html: string): FastifyReply {
  return reply
    .code(status)
    .type("text/html; charset=utf-8")
    .header("content-security-policy", hostedPolicy)
    .header("cache-control", "no-store")
    .send(html);
}
