import { type Html, html, type Renderable } from "../../html/html.ts";
import { formatAmount } from "./amount.ts";
import type { LinkView, SessionView, TokenView } from "./views.ts";

/** Amounts with more characters get a smaller font to fit into the panel. */
const longSum = 14;

/** Isolates data from the direction of the surrounding text. */
export function data(text: string): Html {
  return html`<bdi>${text}</bdi>`;
}

/** Shortens a long identifier in the middle; the title has the full value. */
export function shortened(value: string): Html {
  const text = value.length > 16 ? `${value.slice(0, 8)}…${value.slice(-6)}` : value;
  return html`<code title="${value}">${data(text)}</code>`;
}

/** The amount to pay, in large print. */
export function sum(amount: string | null, token: TokenView): Html {
  if (amount === null) return html`<p class="sum">Any amount <small>in ${data(token.symbol)}</small></p>`;
  const text = formatAmount(amount, token.decimals);
  const size = text.length > longSum ? "sum long" : "sum";
  return html`<p class="${size}">${text} <small>${data(token.symbol)}</small></p>`;
}

/** A list of names and values. Rows without a value are omitted. */
export function facts(rows: readonly (readonly [name: Renderable, value: Html | null])[]): Html {
  return html`<dl class="facts">${rows.map(
    ([name, value]) => value && html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>`;
}

/** The seller and the item, shown at the top of every page with an amount. */
export function seller(organization: string, link: LinkView): Html {
  return html`<p class="seller">${data(organization)}<span class="tag">Sandbox</span></p>
<div><h1 class="what">${data(link?.name ?? "Payment")}</h1>
${link?.description ? html`<p class="soft">${data(link.description)}</p>` : null}</div>`;
}

/** The session fields set by the integrator, shown for developers. */
export function attached(session: SessionView, more: readonly (readonly [string, Html | null])[]): Html {
  return html`<details class="more small"><summary>Session details</summary>
${facts([
  ["Session", html`<code>${session.id}</code>`],
  ...more,
  ["client_reference_id", session.client_reference_id === null ? null : data(session.client_reference_id)],
  ...Object.entries(session.metadata).map(
    ([key, value]) => [html`metadata[${data(key)}]`, data(value)] as const,
  ),
])}</details>`;
}
