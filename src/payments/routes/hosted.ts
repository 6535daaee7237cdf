import type { FastifyReply } from "fastify";
import { iso } from "../../world/duration.ts";
import { PlatformError } from "../errors.ts";
import { type Fields, readForm, readLinkQuery, readTexts } from "../hosted/input.ts";
import { renderCheckout, renderCountdown, renderReceipt } from "../hosted/page.ts";
import { chainName, describeToken } from "../hosted/tokens.ts";
import type { CheckoutView, SessionView } from "../hosted/views.ts";
import { renderWidget } from "../hosted/widget.ts";
import type { Payments } from "../payments.ts";
import type { SessionRow } from "../rows.ts";
import type { Metadata } from "../schemas/common.ts";
import { isInProgress } from "../words.ts";
import { checkoutPath, page, pagesPath, sendClosed, sendPage, sendToCheckout } from "./pages.ts";
import { notByHead } from "./support.ts";

/** The hosted checkout. Opening a payment link's `url` opens a session, and the session's page offers every outcome. */
export const hostedRoutes = [
  {
    ...page<{ code: string }>("GET /pay/:code", ({ payments, params, query }, reply) => {
      const { links, sessions } = payments;
      const link = links.findByCode(params.code);
      if (!link) throw new PlatformError("resource_not_found", "No payment link has this address.");
      return sendToCheckout(reply, payments, sessions.open(link.org, link.id, readLinkQuery(query)));
    }),
    onRequest: notByHead,
  },
  page<{ id: string }>("GET /checkout/:id", ({ payments, params }, reply) =>
    showSession(payments, findSession(payments, params.id), reply),
  ),
  page<{ id: string }>("GET /checkout/:id/clock", ({ payments, params }, reply) => {
    const session = findSession(payments, params.id);
    if (session.status !== "active")
      throw new PlatformError("invalid_status_transition", `The session is ${session.status}.`);
    const now = iso(payments.world.clock.now());
    return sendPage(reply, 200, renderCountdown({ now, session: sessionView(session) }).markup);
  }),
  page<{ id: string }>("POST /checkout/:id", ({ payments, params, body }, reply) => {
    const fields = readTexts(body);
    const session = findSession(payments, params.id);
    try {
      if (fields.outcome === "expired") payments.sessions.expire(session.org, session.id);
      else payments.transactions.pay(session, readForm(fields, session));
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      const current = payments.sessions.byId(session.id);
      if (current?.status !== "active") throw error;
      const { message, param } = error;
      return showSession(payments, current, reply.code(error.status), fields, { message, param });
    }
    return sendToCheckout(reply, payments, session);
  }),
];

function findSession(payments: Payments, id: string): SessionRow {
  const session = payments.sessions.byId(id);
  if (!session) throw new PlatformError("resource_not_found", "No checkout session has this address.");
  return session;
}

function showSession(
  payments: Payments,
  session: SessionRow,
  reply: FastifyReply,
  values?: Fields,
  error?: CheckoutView["error"],
): FastifyReply {
  const { links, organizations, transactions, world } = payments;
  if (session.status === "expired")
    return sendClosed(reply, 410, {
      title: "This checkout has expired",
      message: `It expired at ${iso(session.expired_at ?? session.expires_at)}.`,
      hint: "Open the payment link again to start a new one.",
    });
  const link = session.payment_link_id === null ? undefined : links.findPublic(session.payment_link_id);
  const shared = {
    organization: organizations.get(session.org).name,
    session: sessionView(session),
    link: link ? { name: link.name, description: link.description } : null,
    token: describeToken(session.chain_id, session.token_address),
    chain: { id: session.chain_id, name: chainName(session.chain_id) },
    now: iso(world.clock.now()),
  };
  if (session.status === "completed") {
    const transaction = transactions.byId(session.transaction_id!)!;
    const returnUrl = session.success_url ?? link?.return_url ?? null;
    return sendPage(reply, 200, renderReceipt({ ...shared, transaction, returnUrl }));
  }
  const latest = transactions.latestOf(session.id);
  const waiting = latest !== undefined && isInProgress(latest.status);
  return sendPage(
    reply,
    reply.statusCode,
    renderCheckout({
      ...shared,
      action: checkoutPath(payments, session),
      recipient_address: session.recipient_address,
      lastFailure: latest?.status === "failed" ? (latest.failure_reason ?? undefined) : undefined,
      error:
        error ??
        (waiting
          ? { message: `The payment ${latest.id} is ${latest.status}; reload after the clock has advanced.` }
          : undefined),
      values,
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

/** Loading a widget's page counts as a view; its button opens a session, which counts as an interaction. */
export const hostedWidgetRoutes = [
  {
    ...page<{ code: string }>("GET /widget/:code", ({ payments, params }, reply) => {
      const { widget, link } = find(payments, params.code);
      payments.widgets.countView(widget);
      const { name, description, short_code: code } = widget;
      const html = renderWidget({
        action: `${pagesPath(payments)}/widget/${code}/checkout`,
        name,
        description,
        organization: payments.organizations.get(widget.org).name,
        link: { name: link.name, amount: link.amount },
        token: describeToken(link.chain_id, link.token_address),
      });
      return sendPage(reply, 200, html);
    }),
    onRequest: notByHead,
  },
  {
    ...page<{ code: string }>("GET /widget/:code/checkout", ({ payments, params, query }, reply) => {
      const { widget, link } = find(payments, params.code);
      const session = payments.sessions.open(link.org, link.id, readLinkQuery(query), widget.id);
      return sendToCheckout(reply, payments, session);
    }),
    onRequest: notByHead,
  },
];

function find({ widgets, links }: Payments, code: string) {
  const widget = widgets.findByCode(code);
  if (!widget) throw new PlatformError("resource_not_found", "No widget has this address.");
  return { widget, link: links.find(widget.org, widgets.linkOf(widget)) };
}
