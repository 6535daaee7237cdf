const escapeHtml = (text) => String(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const STATES = {
  open: "We are waiting for your payment.",
  paid: "Paid. Your beans are in the post.",
  cancelled: "This order was cancelled.",
};

/** The shop's page: a product and, where there is one, an order or a problem. */
export function page({ order, problem }) {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Bean There</title>
<h1>A kilo of beans, 18 USDC</h1>
${order ? `<p role="status">Order ${escapeHtml(order.id)}: ${STATES[order.status]}</p>` : ""}
${problem ? `<p role="alert">${escapeHtml(problem)}</p>` : ""}
<form method="post" action="/orders">
<label>E-mail <input name="email" type="email" required></label>
<label>Discount code <input name="code"></label>
<button>Buy</button>
</form>
</html>
`;
}
