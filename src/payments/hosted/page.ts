import { contentSecurityPolicyFor, type Html, html, linkTarget, page } from "../../html/html.ts";
import type { FailureReason } from "../words.ts";
import { formatAmount } from "./amount.ts";
import { SHIPPING_FIELDS } from "./input.ts";
import { attached, data, facts, seller, shortened, sum } from "./parts.ts";
import { hostedStyle } from "./style.ts";
import { formatTime, timeLeft } from "./time.ts";
import type { CheckoutView } from "./views.ts";

/**
 * Fetches the countdown from the server repeatedly, so it stays correct while the sandbox clock is paused, runs fast or
 * is advanced. A session that is no longer open shows its new state. The countdown stops while the server is
 * unreachable. Without JavaScript, the page shows the remaining time at the moment it was loaded.
 */
export const countdownScript = `(() => {
  const clock = document.querySelector("[data-follow]");
  if (!clock) return;
  let shown = "";
  const again = () => setTimeout(follow, 500);
  async function follow() {
    if (document.hidden) return again();
    try {
      const response = await fetch(clock.dataset.follow, { headers: { "x-sandbox-unlisted": "1" } });
      if (response.status === 404 || response.status === 410) return location.replace(location.pathname);
      const text = await response.text();
      if (response.ok && text !== shown) clock.innerHTML = shown = text;
    } catch {}
    again();
  }
  again();
})();`;

/** The Content-Security-Policy of the checkout pages, which also allows fetching the countdown. */
export const hostedPolicy = `${contentSecurityPolicyFor(countdownScript)}; connect-src 'self'; font-src 'self'`;

export { renderClosed, renderReceipt } from "./receipt.ts";
export type { CheckoutView, ClosedView, ReceiptView } from "./views.ts";

/** Each simulated failure: its button, its effect, and its description afterwards. */
const failures: [outcome: FailureReason, label: string, effect: string, past: string][] = [
  ["reverted", "Revert", "Mined, then reverted", "the transaction reverted"],
  ["timed_out", "Time out", "Never confirmed", "the transaction was never confirmed"],
  ["insufficient_funds", "Run short", "The sender lacks funds", "the sender had too little funds"],
  ["rejected", "Reject", "The payer declines to sign", "the payer declined to sign"],
];

/** The hosted checkout page. The form posts `outcome` and the payer's fields. */
export function renderCheckout(view: CheckoutView): string {
  const what = view.link?.name ?? "Payment";
  return page({
    title: `${what} · ${view.organization}`,
    styles: hostedStyle,
    script: countdownScript,
    body: html`<div class="till">
<header class="due"><div class="due-in">
${seller(view.organization, view.link)}
${sum(view.session.amount, view.token)}
${facts([
  ["Network", html`${data(view.chain.name)} <span class="soft">(${view.chain.id})</span>`],
  ["Paid to", shortened(view.recipient_address)],
])}
<div class="clock" data-follow="${view.action}/clock">${renderCountdown(view)}</div>
</div></header>
<main class="sheet"><div class="sheet-in">
<h2>Pay</h2>
${form(view)}
${attached(view.session, [
  ["Token", html`<code>${view.token.address}</code>`],
  ["Recipient", html`<code>${view.recipient_address}</code>`],
  ["Expires", html`${formatTime(view.session.expires_at)}`],
])}
${cancelLink(view)}
</div></main></div>`,
  });
}

/** The time left on the countdown, by the sandbox clock. */
export function renderCountdown({ now, session }: Pick<CheckoutView, "now" | "session">): Html {
  const left = timeLeft(now, session.expires_at);
  return html`<p class="reading"><b>${left.text}</b> <span>left on the sandbox clock</span></p>
<div class="gauge" role="img" aria-label="${left.spoken} left" style="--share: ${left.share}%"></div>
<p class="ends small soft" aria-hidden="true"><span>0</span><span>${left.range}</span></p>
<p class="small soft">The sandbox clock reads ${formatTime(now)}.</p>`;
}

/** Longer amounts appear only in the panel, not on the button. */
const maxOnButton = 24;

const optional = html` <span class="soft">(optional)</span>`;

function form(view: CheckoutView): Html {
  const { session, token } = view;
  const amount = session.amount === null ? "" : formatAmount(session.amount, token.decimals);
  const fits = amount !== "" && amount.length <= maxOnButton;
  return html`<form class="form" method="post" action="${view.action}">
${problem(view)}
${
  isShown(view, "amount") &&
  field(view, "amount", html`Amount in ${data(token.symbol)}`, {
    inputmode: "decimal",
    autocomplete: "off",
    required: "",
    placeholder: "0.00",
  })
}
${field(view, "customer_email", html`E-mail${optional}`, { type: "email", autocomplete: "email" })}
${field(view, "customer_name", html`Name${optional}`, { autocomplete: "name" })}
<fieldset class="ship"><legend>Ship to${optional}</legend>
<p class="small soft">Fields that you leave empty get a made-up address.</p>
${SHIPPING_FIELDS.map(({ name, label, autocomplete }) => field(view, name, html`${label}`, { autocomplete }))}
</fieldset>
${field(view, "discount_code", html`Discount code${optional}`, {
  autocomplete: "off",
  autocapitalize: "characters",
  spellcheck: "false",
})}
<button class="pay" name="outcome" value="completed">Pay${fits && html` ${amount} ${data(token.symbol)}`}</button>
<p class="small soft">This is a sandbox. No money moves, whatever you press.</p>
<fieldset class="break"><legend>Make it fail</legend>
<p class="small soft">A failed payment leaves the session open, and payment.failed is sent.</p>
<div class="fails">
${failures.map(
  ([outcome, label, effect]) =>
    html`<button class="fail" name="outcome" value="${outcome}"><b>${label}</b><span>${effect}</span></button>\n`,
)}<button class="fail wide" name="outcome" value="expired" formnovalidate><b>Let the session expire</b><span>Closes it for good, and checkout.expired is sent</span></button>
</div></fieldset>
</form>`;
}

function problem(view: CheckoutView): Html | null {
  const { error, lastFailure } = view;
  if (error && fieldNames.some((name) => name === error.param && isShown(view, name))) return null;
  if (error) return html`<p class="notice" role="alert">${data(error.message)}</p>`;
  if (lastFailure === undefined) return null;
  return html`<p class="notice" role="status">The last attempt failed: ${
    failures.find(([outcome]) => outcome === lastFailure)?.[3] ?? data(lastFailure)
  } (<code>${lastFailure}</code>). The session is still open, so you can try again.</p>`;
}

const fieldNames = [
  "amount",
  "customer_email",
  "customer_name",
  ...SHIPPING_FIELDS.map(({ name }) => name),
  "discount_code",
] as const;
type FieldName = (typeof fieldNames)[number];

function isShown(view: CheckoutView, name: FieldName): boolean {
  return name !== "amount" || view.session.amount === null;
}

function field(view: CheckoutView, name: FieldName, label: Html, extra: Record<string, string>): Html {
  const prefilled = name === "customer_email" || name === "customer_name" ? view.session[name] : null;
  const value = view.values?.[name] ?? prefilled ?? "";
  const attributes = Object.entries(extra).map(([key, setting]) => html` ${key}="${setting}"`);
  const wrong = view.error?.param === name;
  return html`<div class="field"><label for="${name}">${label}</label>
<input id="${name}" name="${name}" value="${value}" dir="auto"${attributes}${
    wrong && html` aria-invalid="true" autofocus aria-describedby="${name}-error"`
  }>${wrong && html`<p class="small bad" role="alert" id="${name}-error">${data(view.error?.message ?? "")}</p>`}</div>`;
}

function cancelLink({ session, organization }: CheckoutView): Html | null {
  const target = linkTarget(session.cancel_url);
  return target
    ? html`<p class="small"><a href="${target}">Cancel and go back to ${data(organization)}</a></p>`
    : null;
}
