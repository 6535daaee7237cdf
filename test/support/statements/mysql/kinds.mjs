/**
 * Handlers for MySQL or MariaDB by name, both correct ones and ones with bugs. Each of them gets a database from
 * drivers.mjs, or another object with the same methods.
 */
import { createWorker, pollWith, retriedOn } from "../workers.mjs";

const UNIQUE_VIOLATIONS = [1062, "P2002"];
const [LOCK_WAIT, DEADLOCK, CHANGED] = [1205, 1213, 1020];
const NOTE_ONCE = "insert ignore into events (id) values (?)";
const INSERT_IF_ABSENT =
  "insert into events (id) select ? from dual where not exists (select 1 from events where id = ?)";
const MAIL = "insert into mails (event) values (?)";
const ADD_JOB = "insert ignore into jobs (id, done) values (?, 0)";
const NEXT_JOB = "select id from jobs where not done order by id limit 1";
const END_JOB = "update jobs set done = 1 where id = ?";
const READ_COMMITTED = "set session transaction isolation level read committed";

/** ORMs wrap the database's error, and Prisma has its own codes. */
const codeOf = (error) =>
  error?.errno ??
  (/^P\d+$/.test(error?.code)
    ? error.code
    : error && codeOf(error.cause ?? error.original ?? error.driverError));

const retried = retriedOn((error) => [LOCK_WAIT, DEADLOCK, CHANGED].includes(codeOf(error)));

const takeMessage = (db) => () =>
  db.transaction(async ({ query, write }) => {
    const [message] = await query(
      "select number, event from outbox order by number limit 1 for update skip locked",
    );
    if (!message) return false;
    await write("delete from outbox where number = ?", [message.number]);
    await write(MAIL, [message.event]);
    return true;
  });

const payWithMessage = (db, event) =>
  db.transaction(async (inside) => {
    if ((await inside.write(NOTE_ONCE, [event.id])) === 0) return;
    await inside.pay(event.order, event.amount);
    await inside.write("insert into outbox (event) values (?)", [event.id]);
  });

const lookThenInsert = async (db, { id, order, amount }) => {
  if (await db.seen(id)) return;
  await db.pay(order, amount);
  await db.note(id);
};

const noteThenPay = async (db, { id, order, amount }) => {
  if ((await db.write(NOTE_ONCE, [id])) > 0) await db.pay(order, amount);
};

const takeJob = (lock) => (db) => () =>
  db.transaction(async ({ query, write }) => {
    const [job] = await query(NEXT_JOB + lock);
    if (!job) return false;
    await write(MAIL, [job.id]);
    await write(END_JOB, [job.id]);
    return true;
  });

const insertIfAbsent = (db) => (event) => retried(() => db.write(INSERT_IF_ABSENT, [event.id, event.id]));

const WRONG = {
  "look-then-insert": (db) => (event) => lookThenInsert(db, event),

  "look-then-insert-in-transaction": (db) => (event) =>
    db.transaction((inside) => lookThenInsert(inside, event)),

  "id-first": (db) => (event) => noteThenPay(db, event),

  "mail-before-id": (db) => async (event) => {
    if (await db.seen(event.id)) return;
    await db.write(MAIL, [event.id]);
    await db.transaction((inside) => noteThenPay(inside, event));
  },

  "swallowed-error": (db) => (event) =>
    db.transaction((inside) => noteThenPay(inside, event)).catch((error) => console.error(error.message)),

  // At the default isolation level, the handler would lock what it reads.
  "insert-if-absent-read-committed": (db) => insertIfAbsent(db.with(READ_COMMITTED)),

  // This handler needs MySQL's default isolation level, repeatable read.
  "lost-update":
    (db) =>
    ({ id, amount }) =>
      db.transaction(async ({ query, write }) => {
        if ((await write(NOTE_ONCE, [id])) === 0) return;
        const [{ times, total }] = await query("select times, total from accounts where id = 1");
        await write("update accounts set times = ?, total = ? where id = 1", [times + 1, total + amount]);
      }),

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
    const drain = createWorker(takeJob("")(db));
    const handle = async ({ id }, answer) => {
      await db.write(ADD_JOB, [id]);
      answer(200);
      await drain();
    };
    return Object.assign(handle, { resume: drain });
  },
};

const CORRECT = {
  "unique-index": (db) => (event) =>
    db
      .transaction(async (inside) => {
        await inside.note(event.id);
        await inside.pay(event.order, event.amount);
      })
      .catch((error) => {
        if (!UNIQUE_VIOLATIONS.includes(codeOf(error))) throw error;
      }),

  "for-update": (db) => (event) =>
    db.transaction(async (inside) => {
      await inside.query("select id from accounts where id = 1 for update");
      await lookThenInsert(inside, event);
    }),

  "insert-ignore": (db) => (event) => db.transaction((inside) => noteThenPay(inside, event)),

  // The number of rows does not distinguish a duplicate from a new event, because mysql2 returns the number of matching
  // rows.
  "on-duplicate-key": (db) => (event) =>
    db.transaction(async ({ write }) => {
      await write(
        "insert into payments (id, amount) values (?, ?) on duplicate key update amount = values(amount)",
        [event.id, event.amount],
      );
      await write(
        `insert into orders (id, times, total) select ?, count(*), sum(amount) from payments
          on duplicate key update times = values(times), total = values(total)`,
        [event.order],
      );
    }),

  "get-lock": (db) => (event) =>
    db.locked(event.id, (inside) => inside.transaction((within) => lookThenInsert(within, event))),

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
    pollWith(takeJob(" for update skip locked")(db));
    return ({ id }) => db.write(ADD_JOB, [id]);
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

  parallel:
    (db) =>
    ({ id, type, order, amount }) =>
      Promise.all([
        db.write("insert ignore into payments (id, amount) values (?, ?)", [id, amount]),
        db.write("insert ignore into states (id, state) values (?, 'open')", [order]),
        db.write(NOTE_ONCE, [id]),
        db.write("insert ignore into states (id, state) values (?, ?)", [type, order]),
      ]),

  "opposite-locks": (db) => (event) =>
    retried(() =>
      db.transaction(async ({ write }) => {
        if ((await write(NOTE_ONCE, [event.id])) === 0) return;
        const accounts = event.type === "order.paid" ? [1, 2] : [2, 1];
        for (const account of accounts)
          await write("update accounts set times = times + 1, total = total + ? where id = ?", [
            event.amount,
            account,
          ]);
      }),
    ),

  "insert-if-absent": insertIfAbsent,

  upserts:
    (db) =>
    async ({ id, type, order, amount }) => {
      const state = type === "order.paid" ? "paid" : "open";
      await db.write(
        "insert into payments (id, amount) values (?, ?) on duplicate key update amount = values(amount)",
        [id, amount],
      );
      await db.write(
        "insert into states (id, state) values (?, ?) on duplicate key update state = values(state)",
        [`${order} ${state}`, state],
      );
    },
};

export const KINDS = { ...WRONG, ...CORRECT };
