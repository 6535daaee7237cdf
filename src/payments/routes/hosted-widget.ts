import { PlatformError } from "../errors.ts";
import { readLinkQuery } from "../hosted/input.ts";
import { describeToken } from "../hosted/tokens.ts";
import { renderWidget } from "../hosted/widget.ts";
import type { Payments } from "../payments.ts";
import { page, pagesPath, sendPage, sendToCheckout } from "./pages.ts";
import { notByHead } from "./support.ts";

/** A widget's page counts a view; its button opens a session that counts as an interaction. */
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
