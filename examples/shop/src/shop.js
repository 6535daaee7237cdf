import express from "express";
import { openDatabase } from "./database.js";
import { createMails } from "./mails.js";
import { createOrders } from "./orders.js";
import { page } from "./page.js";
import { createPlatform } from "./platform.js";
import { webhooks } from "./webhooks.js";

/**
 * The shop as an Express app.
 * @param database the path of its database
 * @param platform `url` and `key` of the payments platform
 * @param secret what its webhooks are signed with
 * @param sendMail takes an address and a text
 */
export function createShop({ database: path, platform, secret, sendMail }) {
  const database = openDatabase(path);
  const orders = createOrders(database);
  const mails = createMails(database, sendMail);
  const checkout = createPlatform(platform);
  const app = express();

  app.use(
    webhooks({
      secret,
      handle(message) {
        orders.handle(message);
        // After the answer: an e-mail must not make the platform wait.
        setImmediate(mails.flush);
      },
    }),
  );

  app.get("/", (_request, response) => response.send(page({})));
  app.get("/orders/:id", (request, response) => {
    const order = orders.find(request.params.id);
    response.status(order ? 200 : 404).send(page(order ? { order } : { problem: "There is no such order." }));
  });
  app.post("/orders", express.urlencoded(), async (request, response) => {
    const { email, code } = request.body;
    let order;
    try {
      order = orders.begin(email, code);
    } catch (error) {
      return response.status(400).send(page({ problem: error.message }));
    }
    const back = `${request.protocol}://${request.get("host")}/orders/${order.id}`;
    return response.redirect(303, await checkout.openCheckout(order, back));
  });

  // What a restart left.
  mails.flush();
  return { app, orders, mails, close: () => database.close() };
}
