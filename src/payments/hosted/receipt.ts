import { html, linkTarget, page, trusted } from "../../html/html.ts";
import { hourglass } from "../../html/page-style.ts";
import { attached, data, facts, seller, shortened, sum } from "./parts.ts";
import { hostedStyle } from "./style.ts";
import { formatTime } from "./time.ts";
import type { ClosedView, ReceiptView } from "./views.ts";

const tick =
  `<svg viewBox="0 0 32 32" width="32" height="32" aria-hidden="true" fill="none" stroke="currentColor" ` +
  `stroke-width="2.25" stroke-linecap="round" stroke-linejoin="round"><circle cx="16" cy="16" r="14.5"/>` +
  `<path d="M8 16.5l5 5L24 10.5"/></svg>`;

/** The page after a payment: its details and a link back to the shop. */
export function renderReceipt(view: ReceiptView): string {
  const { transaction, organization } = view;
  const back = linkTarget(view.returnUrl);
  return page({
    title: `Paid · ${organization}`,
    styles: hostedStyle,
    body: html`<div class="till">
<header class="due"><div class="due-in">
${seller(organization, view.link)}
${sum(transaction.amount, view.token)}
${facts([
  ["Network", html`${data(view.chain.name)} <span class="soft">(${view.chain.id})</span>`],
  ["Discount code", transaction.discount_code === null ? null : data(transaction.discount_code)],
])}
</div></header>
<main class="sheet"><div class="sheet-in">
<div class="state"><span class="ok">${trusted(tick)}</span><h2>Paid</h2></div>
<p class="soft">The payment is confirmed. It is a sandbox payment, so no money moved.</p>
${facts([
  ["Transaction", html`<code>${transaction.id}</code>`],
  ["Status", html`<code>${transaction.status}</code>`],
  ["Hash", shortened(transaction.tx_hash)],
  ["Sender", shortened(transaction.sender_address)],
  ["Receipt for", view.session.customer_email === null ? null : data(view.session.customer_email)],
  ["Sandbox time", html`${formatTime(view.now)}`],
])}
${back && html`<a class="pay" href="${back}">Go back to ${data(organization)}</a>`}
${attached(view.session, [["Token", html`<code>${view.token.address}</code>`]])}
</div></main></div>`,
  });
}

/** The page of a link or session that can no longer be paid: expired, inactive, used up or unknown. */
export function renderClosed({ title, message, hint }: ClosedView): string {
  return page({
    title,
    styles: hostedStyle,
    body: html`<div class="shut"><main>${trusted(hourglass)}
<h1>${data(title)}</h1><p>${data(message)}</p>${hint && html`<p class="soft">${data(hint)}</p>`}
<p class="small soft">Sandbox checkout. No money moves here.</p></main></div>`,
  });
}
