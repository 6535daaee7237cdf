import { randomUUID } from "node:crypto";

const PRICE = 18_000_000;

/** The shop's orders: what a customer begins, and what its webhooks make of that. */
export function createOrders(database) {
  const one = (sql) => database.prepare(sql);
  const insertOrder = one("insert into orders values (?, ?, ?, ?, 'open')");
  const findOrder = one("select * from orders where id = ?");
  const findCode = one("select * from codes where code = ?");
  const setPaid = one("update orders set status = 'paid' where id = ?");
  const cancel = one("update orders set status = 'cancelled' where id = ? and status = 'open'");
  const insertPayment = one("insert into payments values (?, ?, ?)");
  const queueMail = one("insert or ignore into mails (order_id, address) values (?, ?)");
  const isNew = one("insert or ignore into handled values (?, ?)");
  // Counted, not stored: an order may be paid after it was cancelled, and the other way round.
  const countUses = one("select count(*) as uses from orders where code = ? and status in ('open', 'paid')");

  /** How often a code can still be used; 0 for one that does not exist. */
  function usesLeft(code) {
    const found = findCode.get(code);
    return found ? Math.max(0, found.max_uses - countUses.get(code).uses) : 0;
  }

  /** Begins an order. @throws Error for a code that cannot be used */
  const begin = database.transaction((email, code, id = randomUUID()) => {
    if (code && usesLeft(code) === 0) throw new Error(`The code ${code} cannot be used.`);
    const percent = code ? findCode.get(code).percent : 0;
    insertOrder.run(id, email, code || null, (PRICE * (100 - percent)) / 100);
    return findOrder.get(id);
  });

  /** Handles a webhook once, in one transaction. */
  const handle = database.transaction(({ event, data }) => {
    if (isNew.run(event, data.id).changes === 0) return;
    if (event === "payment.completed") {
      const id = data.checkoutSession.clientReferenceId;
      insertPayment.run(data.id, id, data.amount);
      const order = findOrder.get(id);
      if (!order) return;
      setPaid.run(id);
      queueMail.run(id, order.email);
    }
    if (event === "checkout.expired") cancel.run(data.client_reference_id);
  });

  return { begin, handle, usesLeft, find: (id) => findOrder.get(id) };
}
