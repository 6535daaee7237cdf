/** The payments platform, as far as the shop calls it. */
export function createPlatform({ url, key }) {
  return {
    /** Opens a checkout session for an order. @returns the address of the hosted page */
    async openCheckout({ id, amount, email }, successUrl) {
      const response = await fetch(`${url}/api/v1/checkout-sessions`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          "idempotency-key": `checkout ${id}`,
        },
        body: JSON.stringify({
          amount: String(amount),
          client_reference_id: id,
          customer_email: email,
          success_url: successUrl,
        }),
      });
      const session = await response.json();
      if (!response.ok) throw new Error(`The platform refused the checkout: ${JSON.stringify(session)}`);
      return session.url;
    },
  };
}
