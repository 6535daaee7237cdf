/** Receipts wait in a table, so that none is lost when the shop is restarted. */
export function createMails(database, send) {
  const waiting = database.prepare("select order_id, address from mails where sent = 0");
  const markSent = database.prepare("update mails set sent = 1 where order_id = ?");
  let sending = Promise.resolve();

  async function sendWaiting() {
    for (const { order_id, address } of waiting.all()) {
      await send(address, `Your order ${order_id} is paid.`);
      markSent.run(order_id);
    }
  }

  /** Sends what waits, one run after another; what could not be sent, or noted as sent, a little later. */
  function flush() {
    sending = sending.then(sendWaiting).catch((error) => {
      console.error("A receipt was not sent:", error);
      setTimeout(flush, 100).unref();
    });
    return sending;
  }

  return { flush };
}
