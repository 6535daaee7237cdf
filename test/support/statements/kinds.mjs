/** Handlers by name, both correct ones and ones with bugs. Each of them gets a database from drivers.mjs. */
import { createWorker, pollWith, retriedOn } from "./workers.mjs";

const UNIQUE_VIOLATIONS = ["23505", "P2002"];
const [SERIALIZATION_FAILURE, DEADLOCK] = ["40001", "40P01"];
const NOTE_ONCE = "insert into events (id) values ($1) on conflict (id) do nothing returning id";
const INSERT_IF_ABSENT =
  "insert into events (id) select $1::text where not exists (select from events where id = $1)";
const MAIL = "insert into mails (event) values ($1)";

/** ORMs wrap the database's error, and Prisma has its own codes. */
const codeOf = (error) =>
  error === undefined || error === null || /^[0-9A-Z]{5}$/.test(error.code)
    ? error?.code
    : codeOf(error.cause ?? error.original ?? error.driverError);

const retried = retriedOn((error) => [SERIALIZATION_FAILURE, DEADLOCK].includes(codeOf(error)));

const takeMessage = (db) => () =>
  db.transaction(async ({ query }) => {
    const [message] = await query(
      `delete from outbox where number =
        (select number from outbox order by number limit 1 for update skip locked) returning event`,
    );
    if (message) await query(MAIL, [message.event]);
    return message !== undefined;
  });

const payWithMessage = (db, event) =>
  db.transaction(async (inside) => {
    const [isFirst] = await inside.query(NOTE_ONCE, [event.id]);
    if (!isFirst) return;
    await inside.pay(event.order, event.amount);
    await inside.query("insert into outbox (event) values ($1)", [event.id]);
  });

const lookThenInsert = async (db, { id, order, amount }) => {
  if (await db.seen(id)) return;
  await db.pay(order, amount);
  await db.note(id);
};

const noteThenPay = async (db, { id, order, amount }) => {
  const [isFirst] = await db.query(NOTE_ONCE, [id]);
  if (isFirst) await db.pay(order, amount);
};

const WRONG = {
  "look-then-insert": (db) => (event) => lookThenInsert(db, event),

  "look-then-insert-in-transaction": (db) => (event) =>
    db.transaction((inside) => lookThenInsert(inside, event)),

  "id-first": (db) => (event) => noteThenPay(db, event),

  "mail-before-id": (db) => async (event) => {
    if (await db.seen(event.id)) return;
    await db.query(MAIL, [event.id]);
    await db.transaction((inside) => noteThenPay(inside, event));
  },

  "swallowed-error": (db) => (event) =>
    db.transaction((inside) => noteThenPay(inside, event)).catch((error) => console.error(error.message)),

  "insert-if-absent":
    (db) =>
    ({ id }) =>
      db.query(INSERT_IF_ABSENT, [id]),

  "update-from-select":
    (db) =>
    ({ id, amount }) =>
      db.query(
        `with first as (insert into events (id) values ($1) on conflict (id) do nothing returning id)
        update accounts set total = (select total from accounts where id = 1) + $2 where id = 1 and exists (select from first)`,
        [id, amount],
      ),

  "lost-update":
    (db) =>
    ({ id, amount }) =>
      db.transaction(async ({ query }) => {
        const [isFirst] = await query(NOTE_ONCE, [id]);
        if (!isFirst) return;
        const [{ times, total }] = await query("select times, total from accounts where id = 1");
        await query("update accounts set times = $1, total = $2 where id = 1", [times + 1, total + amount]);
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
    const drain = createWorker(() =>
      db.transaction(async ({ query }) => {
        const [job] = await query("select id from jobs where not done order by id limit 1");
        if (!job) return false;
        await query(MAIL, [job.id]);
        await query("update jobs set done = true where id = $1", [job.id]);
        return true;
      }),
    );
    const handle = async ({ id }, answer) => {
      await db.query("insert into jobs (id, done) values ($1, false) on conflict do nothing", [id]);
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

  "on-conflict": (db) => (event) => db.transaction((inside) => noteThenPay(inside, event)),

  "advisory-lock": (db) => (event) =>
    db.transaction(async (inside) => {
      await inside.query("select pg_advisory_xact_lock(hashtext($1))", [event.id]);
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
    pollWith(() =>
      db.transaction(async ({ query }) => {
        const [job] = await query(
          "select id from jobs where not done order by id limit 1 for update skip locked",
        );
        if (!job) return false;
        await query(MAIL, [job.id]);
        await query("update jobs set done = true where id = $1", [job.id]);
        return true;
      }),
    );
    return ({ id }) =>
      db.query("insert into jobs (id, done) values ($1, false) on conflict do nothing", [id]);
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

  "one-statement":
    (db) =>
    ({ id, order, amount }) =>
      db.query(
        `with first as (insert into events (id) values ($1) on conflict (id) do nothing returning id)
        insert into orders (id, times, total) select $2, 1, $3 from first
        on conflict (id) do update set times = orders.times + 1, total = orders.total + excluded.total`,
        [id, order, amount],
      ),

  parallel:
    (db) =>
    ({ id, type, order, amount }) =>
      Promise.all([
        db.query("insert into payments (id, amount) values ($1, $2) on conflict (id) do nothing", [
          id,
          amount,
        ]),
        db.query("insert into states (id, state) values ($1, 'open') on conflict (id) do nothing", [order]),
        db.query("insert into events (id) values ($1) on conflict (id) do nothing", [id]),
        db.query("insert into states (id, state) values ($1, $2) on conflict (id) do nothing", [type, order]),
      ]),

  "opposite-locks": (db) => (event) =>
    retried(() =>
      db.transaction(async ({ query }) => {
        const [isFirst] = await query(NOTE_ONCE, [event.id]);
        if (!isFirst) return;
        const accounts = event.type === "order.paid" ? [1, 2] : [2, 1];
        for (const account of accounts)
          await query("update accounts set times = times + 1, total = total + $1 where id = $2", [
            event.amount,
            account,
          ]);
      }),
    ),

  "insert-if-absent-unique":
    (db) =>
    ({ id }) =>
      db.query(`${INSERT_IF_ABSENT} on conflict do nothing`, [id]),

  upserts:
    (db) =>
    async ({ id, type, order, amount }) => {
      const state = type === "order.paid" ? "paid" : "open";
      await db.query(
        "insert into payments (id, amount) values ($1, $2) on conflict (id) do update set amount = excluded.amount",
        [id, amount],
      );
      await db.query(
        "insert into states (id, state) values ($1, $2) on conflict (id) do update set state = excluded.state",
        [`${order} ${state}`, state],
      );
    },
};

export const KINDS = { ...WRONG, ...CORRECT };
