/** Handlers by name, both correct ones and ones with bugs. Each of them gets a database from drivers.mjs. */
import { commonKinds, lookThenInsert } from "./common-kinds.mjs";
import { retriedOn } from "./workers.mjs";

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

const noteThenPay = async (db, { id, order, amount }) => {
  const [isFirst] = await db.query(NOTE_ONCE, [id]);
  if (isFirst) await db.pay(order, amount);
};

const takeJob = (db, lock) => () =>
  db.transaction(async ({ query }) => {
    const [job] = await query(`select id from jobs where not done order by id limit 1${lock}`);
    if (!job) return false;
    await query(MAIL, [job.id]);
    await query("update jobs set done = true where id = $1", [job.id]);
    return true;
  });

export const KINDS = {
  ...commonKinds({
    addJob: (db, id) =>
      db.query("insert into jobs (id, done) values ($1, false) on conflict do nothing", [id]),
    isDuplicate: (error) => UNIQUE_VIOLATIONS.includes(codeOf(error)),
    mail: (db, id) => db.query(MAIL, [id]),
    noteThenPay,
    payWithMessage,
    retried,
    takeJob,
    takeMessage,
  }),

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

  "on-conflict": (db) => (event) => db.transaction((inside) => noteThenPay(inside, event)),

  "advisory-lock": (db) => (event) =>
    db.transaction(async (inside) => {
      await inside.query("select pg_advisory_xact_lock(hashtext($1))", [event.id]);
      await lookThenInsert(inside, event);
    }),

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
