/**
 * Handlers for MySQL or MariaDB by name, both correct ones and ones with bugs. Each of them gets a database from
 * drivers.mjs, or another object with the same methods.
 */
import { commonKinds, lookThenInsert } from "../common-kinds.mjs";
import { retriedOn } from "../workers.mjs";

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

const noteThenPay = async (db, { id, order, amount }) => {
  if ((await db.write(NOTE_ONCE, [id])) > 0) await db.pay(order, amount);
};

const takeJob = (db, lock) => () =>
  db.transaction(async ({ query, write }) => {
    const [job] = await query(NEXT_JOB + lock);
    if (!job) return false;
    await write(MAIL, [job.id]);
    await write(END_JOB, [job.id]);
    return true;
  });

const insertIfAbsent = (db) => (event) => retried(() => db.write(INSERT_IF_ABSENT, [event.id, event.id]));

export const KINDS = {
  ...commonKinds({
    addJob: (db, id) => db.write(ADD_JOB, [id]),
    isDuplicate: (error) => UNIQUE_VIOLATIONS.includes(codeOf(error)),
    mail: (db, id) => db.write(MAIL, [id]),
    noteThenPay,
    payWithMessage,
    retried,
    takeJob,
    takeMessage,
  }),

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
