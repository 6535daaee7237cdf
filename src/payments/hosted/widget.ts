import { html, page } from "../../html/html.ts";
import { data, seller, sum } from "./parts.ts";
import { hostedStyle } from "./style.ts";
import type { TokenView } from "./views.ts";

/** The data for a widget's page. */
export interface WidgetView {
  /** The path that the button posts to. It opens a checkout session. */
  action: string;
  name: string;
  description: string | null;
  organization: string;
  /** The item for sale. */
  link: { name: string; amount: string | null };
  token: TokenView;
}

export function renderWidget({ action, name, description, organization, link, token }: WidgetView): string {
  return page({
    title: `${name} · ${organization}`,
    styles: hostedStyle,
    body: html`<div class="till">
<header class="due"><div class="due-in">
${seller(organization, { name, description })}
${sum(link.amount, token)}
</div></header>
<main class="sheet"><div class="sheet-in">
<h2>${data(link.name)}</h2>
<a class="pay" href="${action}">Go to checkout</a>
<p class="small soft">This is a sandbox. No money moves.</p>
</div></main></div>`,
  });
}
