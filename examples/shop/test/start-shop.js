import { createShop } from "../src/shop.js";

const SECRET = "whsec_dev";

/** Opens a shop beside a sandbox, which sends it webhooks. @returns its address, its orders and the e-mails it sent */
export async function startShop(sandbox) {
  const sent = [];
  const shop = createShop({
    database: ":memory:",
    platform: { url: sandbox.platform.baseUrl, key: sandbox.keys.write },
    secret: SECRET,
    sendMail: async (address, text) => void sent.push({ address, text }),
  });
  const server = await new Promise((resolve) => {
    const listening = shop.app.listen(0, "127.0.0.1", () => resolve(listening));
  });
  const url = `http://127.0.0.1:${server.address().port}`;
  const endpoint = await sandbox.webhooks.create({ url: `${url}/webhooks`, secret: SECRET });
  return {
    ...shop,
    url,
    endpoint: endpoint.id,
    sent,
    /** Buys as the page does. @returns the id of the checkout session and of the order */
    async buy(code = "") {
      const response = await fetch(`${url}/orders`, {
        method: "POST",
        body: new URLSearchParams({ email: "ada@example.com", code }),
        redirect: "manual",
      });
      if (response.status !== 303) throw new Error(await response.text());
      const id = response.headers.get("location").split("/").at(-1);
      const { client_reference_id: order } = await sandbox.payments.session(id);
      return { session: id, order };
    },
    close() {
      server.closeAllConnections();
      server.close();
      shop.close();
    },
  };
}
