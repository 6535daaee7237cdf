/** The handlers that are the same for every database, apart from their statements. */
import { createWorker, pollWith } from "./workers.mjs";

export const lookThenInsert = async (db, { id, order, amount }) => {
  if (await db.seen(id)) return;
  await db.pay(order, amount);
  await db.note(id);
};

/** @param own the database's statements, and which of its errors mean a conflict or a duplicate */
export const commonKinds = ({
  addJob,
  isDuplicate,
  mail,
  noteThenPay,
  payWithMessage,
  retried,
  takeJob,
  takeMessage,
}) => ({
  "look-then-insert": (db) => (event) => lookThenInsert(db, event),

  "look-then-insert-in-transaction": (db) => (event) =>
    db.transaction((inside) => lookThenInsert(inside, event)),

  "id-first": (db) => (event) => noteThenPay(db, event),

  "mail-before-id": (db) => async (event) => {
    if (await db.seen(event.id)) return;
    await mail(db, event.id);
    await db.transaction((inside) => noteThenPay(inside, event));
  },

  "swallowed-error": (db) => (event) =>
    db.transaction((inside) => noteThenPay(inside, event)).catch((error) => console.error(error.message)),

  "answer-first": (db) => async (event, answer) => {
    answer(200);
    await db.transaction((inside) => noteThenPay(inside, event));
  },

  "ids-in-memory": (db) => {
    const seen = new Set();
    return async ({ id, order, amount }) => {
      if (seen.has(id)) return;
      await db.pay(order, amount);
      seen.add(id);
    };
  },

  "job-taken-twice": (db) => {
    const drain = createWorker(takeJob(db, ""));
    const handle = async ({ id }, answer) => {
      await addJob(db, id);
      answer(200);
      await drain();
    };
    return Object.assign(handle, { resume: drain });
  },

  "unique-index": (db) => (event) =>
    db
      .transaction(async (inside) => {
        await inside.note(event.id);
        await inside.pay(event.order, event.amount);
      })
      .catch((error) => {
        if (!isDuplicate(error)) throw error;
      }),

  "for-update": (db) => (event) =>
    db.transaction(async (inside) => {
      await inside.query("select id from accounts where id = 1 for update");
      await lookThenInsert(inside, event);
    }),

  outbox: (db) => {
    const drain = createWorker(takeMessage(db));
    const handle = async (event, answer) => {
      await payWithMessage(db, event);
      answer(200);
      await drain();
    };
    return Object.assign(handle, { resume: drain });
  },

  "outbox-polled": (db) => {
    pollWith(takeMessage(db));
    return (event) => payWithMessage(db, event);
  },

  "queue-polled": (db) => {
    pollWith(takeJob(db, " for update skip locked"));
    return ({ id }) => addJob(db, id);
  },

  serializable: (db) => (event) =>
    retried(() => db.transaction((inside) => lookThenInsert(inside, event), "serializable")),

  mutex: (db) => {
    let last = Promise.resolve();
    return (event) => {
      const mine = last.then(() => db.transaction((inside) => lookThenInsert(inside, event)));
      last = mine.catch(() => undefined);
      return mine;
    };
  },
});
