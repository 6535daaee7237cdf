import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { folderOf } from "../support/cli.ts";
import { hasMariadb } from "../support/mariadb.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { hasPostgres } from "../support/postgres.ts";
import { runWarmCli as runCli } from "../support/warm-cli.ts";
import { serveMariadb } from "../trial/mariadb.ts";
import { servePostgres } from "../trial/postgres.ts";
import { findRows, findRowsOf, shopFile, startOf, TABLES } from "./found.ts";

const CUSTOMER =
  'Using cus_PxYz from users.stripe_customer_id for customer. To keep it, add known: { customer: "cus_PxYz" } to subject';
const EMAIL =
  'Using ada@example.com from users.email for email. To keep it, add known: { email: "ada@example.com" } to subject';

const found = (value: string, place: string, kind: string): string =>
  `Using ${value} from ${place} for ${kind}. To keep it, add known: { ${kind}: "${value}" } to subject`;

const SUBSCRIPTION = { story: "subscription" };
const PAYMENT = { story: "one-time-payment" };
const ORGANIZATION = { sender: "clerk", story: "organization" };
const UPDATED = 'if (type !== "customer.subscription.updated") return 200;';
const PAID = 'if (type !== "payment_intent.succeeded") return 200;';

/** Handlers that need a row of the user's data. */
const LACKING: [what: string, flags: { sender?: string; story: string }, handler: string, words: string[]][] =
  [
    [
      "selects a user by the customer, and updates it",
      SUBSCRIPTION,
      `${UPDATED}
     const [user] = await db.query("select * from users where stripe_customer_id = $1 and deleted_at is null", object.customer);
     if (!user) return 404;
     await db.query("update users set plan = $1 where id = $2", object.status, user.id);`,
      [CUSTOMER],
    ],
    [
      "updates a user by the customer, and ignores a missing one",
      SUBSCRIPTION,
      `${UPDATED}
     await db.query("update users set plan = $1 where stripe_customer_id = $2", object.status, object.customer);`,
      [found("cus_GONE", "users.stripe_customer_id", "customer")],
    ],
    [
      "finds an account by the e-mail address",
      SUBSCRIPTION,
      `if (type !== "invoice.paid") return 200;
     const [account] = await db.query("select a.id from accounts a where lower(a.email) = $1", object.customer_email);
     if (!account) throw new Error("no account");
     await db.query("update accounts set plan = 'paid' where id = $1", account.id);`,
      [found("ada@example.com", "accounts.email", "email")],
    ],
    [
      "marks an order from its checkout as paid",
      PAYMENT,
      `${PAID}
     const [order] = await db.query("select * from orders where payment_intent = $1", object.id);
     if (!order) return 404;
     await db.query("update orders set status = 'paid' where id = $1", order.id);`,
      [found("pi_OLD2", "orders.payment_intent", "payment_intent")],
    ],
    [
      "looks up a user by the customer and a product by its price",
      SUBSCRIPTION,
      `${UPDATED}
     const [user] = await db.query("select * from users where stripe_customer_id = $1", object.customer);
     if (!user) return 404;
     const [product] = await db.query("select * from products where price = $1", object.items.data[0].price.id);
     if (!product) return 404;
     await db.query("update users set plan = $1 where id = $2", product.name, user.id);`,
      [
        found("cus_GONE", "users.stripe_customer_id", "customer"),
        found("price_PRO", "products.price", "price"),
      ],
    ],
    [
      "needs a user who matches both the customer and the e-mail address",
      SUBSCRIPTION,
      `if (type !== "invoice.paid") return 200;
     const [user] = await db.query("select * from users where stripe_customer_id = $1", object.customer);
     const [same] = await db.query("select * from users where email = $1 and deleted_at is null", object.customer_email);
     if (!user || !same) return 404;
     await db.query("update users set plan = 'paid' where id = $1", same.id);`,
      [EMAIL, CUSTOMER],
    ],
    [
      "requires a user and optionally uses an account",
      SUBSCRIPTION,
      `if (type !== "invoice.paid") return 200;
     const [user] = await db.query("select * from users where stripe_customer_id = $1 and deleted_at is null", object.customer);
     const [account] = await db.query("select * from accounts where email = $1", object.customer_email);
     if (!user) return 404;
     await db.query("update users set plan = $1 where id = $2", account ? "cheap" : "paid", user.id);`,
      [CUSTOMER],
    ],
    [
      "records each event before it looks up the user",
      SUBSCRIPTION,
      `const seen = await db.query("select 1 from processed where event_id = $1", id);
     if (seen.length > 0) return 200;
     await db.query("insert into processed values ($1, null, 1)", id);
     ${UPDATED}
     await db.query("update users set plan = $1 where stripe_customer_id = $2 and deleted_at is null", object.status, object.customer);`,
      [CUSTOMER],
    ],
    [
      "finds a Clerk organization",
      ORGANIZATION,
      `if (type !== "organizationMembership.created") return 200;
     await db.query("update organizations set members = members + 5 where clerk_id = $1", object.organization.id);`,
      [found("org_PxYz", "organizations.clerk_id", "organization")],
    ],
    [
      "looks for a customer in a table where no row has one",
      SUBSCRIPTION,
      `${UPDATED}
     const [user] = await db.query("select * from new_users where stripe_customer_id = $1", object.customer);
     if (!user) return 404;
     await db.query("update new_users set plan = $1 where id = $2", object.status, user.id);`,
      [
        "No row in new_users has a stripe_customer_id, so Sandglass wrote cus_RaXg1o8vlGDgPx into a row of the copy, for customer. To keep it, write it in subject.seed.",
      ],
    ],
    [
      "looks for a customer in an empty table",
      SUBSCRIPTION,
      `${UPDATED}
     const [user] = await db.query("select * from empty_users where stripe_customer_id = $1", object.customer);
     if (!user) return 404;`,
      ["The table empty_users is empty, so nothing was found in it. Have subject.seed fill the copy."],
    ],
  ];

/** What a trial finds if it sees no statement, where that differs. */
const UNSEEN: Record<string, string[]> = {
  "updates a user by the customer, and ignores a missing one": [CUSTOMER],
  // Without a statement, a payment may just as well be looked up to find out whether it was handled before.
  "marks an order from its checkout as paid": [],
  "looks up a user by the customer and a product by its price": [
    found("price_PRO", "products.price", "price"),
    CUSTOMER,
  ],
  "needs a user who matches both the customer and the e-mail address": [CUSTOMER, EMAIL],
  "looks for a customer in a table where no row has one": [
    "No row in new_users has a stripe_customer_id, so Sandglass wrote cus_PxYz into a row of the copy, for customer. To keep it, write it in subject.seed.",
  ],
  "looks for a customer in an empty table": [],
};

const SEEN_ORDER =
  'const seen = await db.query("select id from orders where payment_intent = $1", object.id);';

/**
 * Correct handlers that recognize events they have already seen. If a lookup for a seen event found an inserted row,
 * they would do too little or nothing.
 */
const CORRECT: [
  what: string,
  flags: { sender?: string; story: string },
  handler: string,
  words?: string[],
][] = [
  [
    "looks for the event among its processed events",
    PAYMENT,
    `${PAID}
     const seen = await db.query("select 1 from processed where event_id = $1", id);
     if (seen.length > 0) return 200;
     await db.query("insert into processed values ($1, $2, 1)", id, object.id);`,
  ],
  [
    "looks for a unique order before it inserts one",
    PAYMENT,
    `${PAID} ${SEEN_ORDER}
     if (seen.length > 0) return 200;
     await db.query("insert into orders (payment_intent, status) values ($1, 'paid')", object.id);`,
  ],
  [
    "looks for its order and then rejects an event without metadata",
    PAYMENT,
    `${PAID} ${SEEN_ORDER}
     if (seen.length > 0) return 200;
     if (!object.metadata.userId) return 400;
     await db.query("insert into orders (payment_intent, status) values ($1, 'paid')", object.id);`,
  ],
  [
    "looks for its order, counts duplicates, and ignores an event with another amount",
    PAYMENT,
    `${PAID} ${SEEN_ORDER}
     if (seen.length > 0) {
       await db.query("update processed set hits = hits + 1 where payment_intent = $1", object.id);
       return 200;
     }
     if (object.amount !== 99) return 200;
     await db.query("insert into orders (payment_intent, status) values ($1, 'paid')", object.id);`,
  ],
  [
    "looks for a payment, notes the latest duplicate, and rejects an event without metadata",
    PAYMENT,
    `${PAID}
     const seen = await db.query("select 1 from users where last_payment = $1", object.id);
     if (seen.length > 0) {
       await db.query("update users set deleted_at = $1 where last_payment = $2", new Date().toISOString(), object.id);
       return 200;
     }
     if (!object.metadata.userId) return 400;
     await db.query("update users set last_payment = $1 where id = $2", object.id, object.metadata.userId);`,
  ],
  [
    "looks for its order and then finds no user",
    PAYMENT,
    `${PAID} ${SEEN_ORDER}
     if (seen.length > 0) return 200;
     const [user] = await db.query("select * from empty_users where stripe_customer_id = $1", object.customer);
     if (!user) return 404;
     await db.query("insert into orders (payment_intent, status) values ($1, 'paid')", object.id);`,
    ["The table empty_users is empty, so nothing was found in it. Have subject.seed fill the copy."],
  ],
  [
    "rolls its order back because a later lookup fails",
    PAYMENT,
    `${PAID}
     return db.transaction(async (inside) => {
       const seen = await inside.query("select id from orders where payment_intent = $1", object.id);
       if (seen.length > 0) return 200;
       await inside.query("insert into orders (payment_intent, status) values ($1, 'paid')", object.id);
       const [user] = await inside.query("select * from empty_users where stripe_customer_id = $1", object.customer);
       if (!user) throw Object.assign(new Error("no user"), { status: 404 });
     });`,
    ["The table empty_users is empty, so nothing was found in it. Have subject.seed fill the copy."],
  ],
  [
    "looks for a paid order and accepts any other",
    PAYMENT,
    `${PAID}
     const paid = await db.query("select 1 from orders where payment_intent = $1 and status = 'paid'", object.id);
     if (paid.length > 0) return 200;
     if (!object.metadata.userId) return 422;
     await db.query("insert into orders (payment_intent, status) values ($1, 'paid')", object.id);`,
  ],
  [
    "upserts a row in its table of processed payments",
    PAYMENT,
    `${PAID}
     const [seen] = await db.query("select * from processed where payment_intent = $1", object.id);
     if (seen) {
       await db.query("update processed set hits = hits + 1, event_id = $1 where payment_intent = $2", id, object.id);
       return 200;
     }
     if (!object.metadata.userId) return 200;
     await db.query("insert into processed values ($1, $2, 1)", id, object.id);`,
  ],
  [
    "ignores an active subscriber and otherwise rejects an event without its user",
    SUBSCRIPTION,
    `if (type !== "customer.subscription.created") return 200;
     const active = await db.query("select 1 from subscriptions where customer = $1 and status = 'active'", object.customer);
     if (active.length > 0) return 200;
     if (!object.metadata.tenant) return 400;
     await db.query("insert into subscriptions (customer, status) values ($1, $2)", object.customer, object.status);`,
  ],
  [
    "logs duplicates in a separate table",
    PAYMENT,
    `${PAID} ${SEEN_ORDER}
     if (seen.length > 0) {
       await db.query("insert into processed values ($1, $2, $3)", id, object.id, seen[0].id);
       return 200;
     }
     if (!object.metadata.userId) return 400;
     await db.query("insert into orders (payment_intent, status) values ($1, 'paid')", object.id);`,
  ],
  [
    "looks for its order, marks duplicates, and rejects an event without metadata",
    PAYMENT,
    `${PAID} ${SEEN_ORDER}
     if (seen.length > 0) {
       await db.query("update orders set status = 'seen again' where id = $1", seen[0].id);
       return 200;
     }
     if (!object.metadata.userId) return 400;
     await db.query("insert into orders (payment_intent, status) values ($1, 'paid')", object.id);`,
  ],
  [
    "looks for its order, marks duplicates, and ignores an event with another amount",
    PAYMENT,
    `${PAID} ${SEEN_ORDER}
     if (seen.length > 0) await db.query("update orders set status = 'seen again' where id = $1", seen[0].id);
     else if (object.amount === 99)
       await db.query("insert into orders (payment_intent, status) values ($1, 'paid')", object.id);`,
  ],
  [
    "looks for its order, marks duplicates, and finds no user by metadata",
    PAYMENT,
    `${PAID} ${SEEN_ORDER}
     if (seen.length > 0) {
       await db.query("update orders set status = 'seen again' where id = $1", seen[0].id);
       return 200;
     }
     const [user] = await db.query("select * from users where email = $1", object.metadata.mail ?? null);
     if (!user) return 404;
     await db.query("insert into orders (payment_intent, status) values ($1, 'paid')", object.id);`,
  ],
  [
    "looks for its order, marks duplicates, and finds no user in an empty table",
    PAYMENT,
    `${PAID} ${SEEN_ORDER}
     if (seen.length > 0) {
       await db.query("update orders set status = 'seen again' where id = $1", seen[0].id);
       return 200;
     }
     const [user] = await db.query("select * from empty_users where stripe_customer_id = $1", object.customer);
     if (!user) return 404;
     await db.query("insert into orders (payment_intent, status) values ($1, 'paid')", object.id);`,
    ["The table empty_users is empty, so nothing was found in it. Have subject.seed fill the copy."],
  ],
  [
    "notes an active subscriber and otherwise rejects an event without its user",
    SUBSCRIPTION,
    `if (type !== "customer.subscription.created") return 200;
     const [active] = await db.query("select * from subscriptions where customer = $1 and status = 'active'", object.customer);
     if (active) {
       await db.query("update subscriptions set status = 'asked again' where id = $1", active.id);
       return 200;
     }
     if (!object.metadata.tenant) return 400;
     await db.query("insert into subscriptions (customer, status) values ($1, $2)", object.customer, object.status);`,
  ],
  [
    "ignores a banned account and otherwise finds no user",
    SUBSCRIPTION,
    `if (type !== "invoice.paid") return 200;
     const [banned] = await db.query("select * from accounts where email = $1", object.customer_email);
     if (banned) {
       await db.query("insert into processed values ($1, 'banned', $2)", id, banned.id);
       return 200;
     }
     const [user] = await db.query("select * from empty_users where stripe_customer_id = $1", object.customer);
     if (!user) return 404;
     await db.query("update users set plan = 'paid' where id = $1", user.id);`,
    ["The table empty_users is empty, so nothing was found in it. Have subject.seed fill the copy."],
  ],
  [
    "notes an active subscriber and otherwise fails for an event without its user",
    SUBSCRIPTION,
    `if (type !== "customer.subscription.created") return 200;
     const [active] = await db.query("select * from subscriptions where customer = $1 and status = 'active'", object.customer);
     if (active) return db.query("update subscriptions set status = 'asked again' where id = $1", active.id).then(() => 200);
     const { id: tenant } = object.metadata.tenant;
     await db.query("insert into subscriptions (customer, status) values ($1, $2)", object.customer, tenant);`,
  ],
  [
    "creates a user for an unknown customer",
    SUBSCRIPTION,
    `if (type === "customer.subscription.created") {
       const [user] = await db.query("select * from users where stripe_customer_id = $1", object.customer);
       if (!user) await db.query("insert into users (stripe_customer_id, plan) values ($1, 'new')", object.customer);
     }`,
  ],
  [
    "queries an order that must not exist and a user at the same time",
    PAYMENT,
    `${PAID}
     const [seen, users] = await Promise.all([
       db.query("select id from orders where payment_intent = $1", object.id),
       db.query("select * from users where stripe_customer_id = $1 and deleted_at is null", object.customer),
     ]);
     if (seen.length > 0) {
       await db.query("update orders set status = 'seen again' where id = $1", seen[0].id);
       return 200;
     }
     if (users.length === 0) return 404;
     await db.query("insert into orders (payment_intent, status, user_id) values ($1, 'paid', $2)", object.id, users[0].id);`,
    [CUSTOMER],
  ],
  [
    "looks for a user and then for an order that must not exist",
    PAYMENT,
    `${PAID}
     const [user] = await db.query("select * from users where stripe_customer_id = $1 and deleted_at is null", object.customer);
     const seen = await db.query("select id from orders where payment_intent = $1", object.id);
     if (seen.length > 0) return 200;
     if (!user) return 404;
     await db.query("insert into orders (payment_intent, status, user_id) values ($1, 'paid', $2)", object.id, user.id);`,
    [CUSTOMER],
  ],
];

const hasSqlalchemy = spawnSync("/usr/bin/python3", ["-c", "import sqlalchemy, psycopg2"]).status === 0;

async function query(url: string, sql: string): Promise<void> {
  const { Client } = createRequire(import.meta.url)("pg");
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

/** Every other handler: SQLite has them all, and the rules are the same for each database. */
const half = <Handler>(handlers: readonly Handler[], first: 0 | 1): Handler[] =>
  handlers.filter((_, index) => index % 2 === first);

describe("a trial with better-sqlite3", () => {
  const state = () => `sqlite:${shopFile()}`;

  it.each(LACKING)(
    "a trial finds the row, or says what is missing, for a handler that %s",
    async (_what, flags, handler, words) => {
      expect(await findRows(handler, { state: state() }, flags)).toEqual(words);
    },
  );

  it.each(CORRECT)(
    "a trial with better-sqlite3 does not use a row for the existence check of a handler that %s",
    async (_what, flags, handler, words = []) => {
      expect(await findRows(handler, { state: state() }, flags)).toEqual(words);
    },
  );

  it.each(LACKING)(
    "a trial that sees no statement finds the row of a handler that %s",
    async (what, flags, handler, words) => {
      expect(await findRows(handler, { state: state(), isUnseen: true }, flags)).toEqual(
        UNSEEN[what] ?? words,
      );
    },
  );

  // Without statements, only customers, e-mail addresses and the like are looked for.
  it.each(CORRECT.filter(([, , handler]) => /object\.customer/.test(handler)))(
    "a trial that sees no statement does not use a row for the existence check of a handler that %s",
    async (_what, flags, handler, words = []) => {
      const found = words.filter((one) => one.startsWith("Using"));
      expect(await findRows(handler, { state: state(), isUnseen: true }, flags)).toEqual(found);
    },
  );

  it.each(["better-sqlite3", "node:sqlite"])(
    "a trial finds the row for a query with named parameters in %s",
    async (driver) => {
      const handler = `${UPDATED}
      const [user] = await db.query("select * from users where deleted_at is @none and stripe_customer_id = @customer", { customer: object.customer, none: null });
      if (!user) return 404;
      await db.query("update users set plan = 'paid' where id = $1", user.id);`;
      expect(await findRows(handler, { state: state(), driver }, SUBSCRIPTION)).toEqual([CUSTOMER]);
    },
  );

  it("a trial with node:sqlite finds the row that a handler looks up", async () => {
    const [, flags, handler, words] = LACKING[0]!;
    expect(await findRows(handler, { state: state(), driver: "node:sqlite" }, flags)).toEqual(words);
  });
});

describe.runIf(hasMariadb())("a trial with mysql2", () => {
  const server = serveMariadb();
  let count = 0;

  /** @param sql additional SQL to run after the tables are created */
  async function where(sql = "") {
    count += 1;
    const state = await server().create(`found_${count}`);
    const tables = TABLES.replaceAll("id integer primary key", "id int auto_increment primary key")
      .replaceAll(" text unique", " varchar(190) unique")
      .replaceAll(" text not null unique", " varchar(190) not null unique")
      .replaceAll(" text primary key", " varchar(190) primary key");
    await server().query(`use found_${count}; ${tables} ${sql} use shop`);
    return { state, driver: "mysql2", project: join(server().project, "package.json") };
  }

  it.each(half(LACKING, 1))(
    "a trial finds the row, or says what is missing, for a handler that %s",
    async (_what, flags, handler, words) => {
      expect(await findRows(handler, await where(), flags)).toEqual(words);
    },
  );

  it.each(half(CORRECT, 1))(
    "a trial with mysql2 does not use a row for the existence check of a handler that %s",
    async (_what, flags, handler, words = []) => {
      expect(await findRows(handler, await where(), flags)).toEqual(words);
    },
  );

  it.each([
    [
      "a view",
      "create view buyers as select id, stripe_customer_id as customer from users;",
      "select id from buyers where customer = $1",
    ],
    [
      "a join with table aliases",
      "",
      "select u.id from users as u join orders o on o.user_id = u.id where u.stripe_customer_id = $1",
    ],
    ["an IN list", "", "select id from users where stripe_customer_id in ('cus_none', $1)"],
    [
      "a column with another character set",
      "alter table users modify stripe_customer_id varchar(60) character set latin1;",
      "select id from users where stripe_customer_id = $1",
    ],
    ["a conversion to lower case", "", "select id from users where lower(stripe_customer_id) = lower($1)"],
  ])("a trial finds the row through %s in MariaDB", async (_what, schema, select) => {
    const place = await where(`delete from users where id < 3; ${schema}`);
    const words = await findRows(
      `${UPDATED}
       const [user] = await db.query(${JSON.stringify(select)}, object.customer);
       if (!user) return 404;
       await db.query("update users set plan = $1 where id = $2", object.status, user.id);`,
      place,
      SUBSCRIPTION,
    );
    expect(words).toEqual([CUSTOMER]);
  });
});

describe.runIf(hasPostgres())("a trial with pg", () => {
  const server = servePostgres();
  let count = 0;

  async function shopDatabase(): Promise<string> {
    count += 1;
    const url = await server().create(`found_${count}`);
    await query(
      url,
      TABLES.replaceAll(
        "id integer primary key",
        "id int generated by default as identity (start with 1000) primary key",
      ),
    );
    return url;
  }
  const where = async () => ({
    state: await shopDatabase(),
    driver: "pg",
    project: join(server().project, "package.json"),
  });

  it.each(LACKING)(
    "a trial finds the row, or says what is missing, for a handler that %s",
    async (_what, flags, handler, words) => {
      expect(await findRows(handler, await where(), flags)).toEqual(words);
    },
  );

  it.each(half(CORRECT, 0))(
    "a trial with pg does not use a row for the existence check of a handler that %s",
    async (_what, flags, handler, words = []) => {
      expect(await findRows(handler, await where(), flags)).toEqual(words);
    },
  );

  it.each([
    [
      "a view",
      "create view buyers as select id, stripe_customer_id as customer from users",
      "select id from buyers where customer = $1",
    ],
    [
      "a join",
      "",
      "select u.id from users u join orders o on o.user_id = u.id where u.stripe_customer_id = $1",
    ],
    ["an array", "", "select id from users where stripe_customer_id = any($1::text[])", "[object.customer]"],
    [
      "a typed column",
      "alter table users alter stripe_customer_id type varchar(60)",
      "select id from users where stripe_customer_id = $1",
    ],
    [
      "a mixed-case name in another schema",
      'create schema crm; create table crm."Buyer" (id int primary key, "stripeId" text); insert into crm."Buyer" values (3, \'cus_PxYz\')',
      'select id from crm."Buyer" where "stripeId" = $1',
    ],
    ["a conversion to lower case", "", "select id from users where lower(stripe_customer_id) = lower($1)"],
  ])("a trial finds rows through %s with pg", async (_what, schema, select, value = "object.customer") => {
    const place = await where();
    await query(place.state, `delete from users where id < 3; ${schema}`);
    const [words] = await findRows(
      `${UPDATED}
       const [user] = await db.query(${JSON.stringify(select)}, ${value});
       if (!user) return 404;
       await db.query("update users set plan = 'paid' where id = $1", user.id);`,
      place,
      SUBSCRIPTION,
    );
    expect(words).toMatch(
      /^Using cus_PxYz from (users\.stripe_customer_id|crm\.Buyer\.stripeId) for customer/,
    );
  });

  it.runIf(process.env.ORMS !== undefined).each([["prisma"], ["drizzle"], ["typeorm"]])(
    "a trial finds the rows that %s looks up",
    async (orm) => {
      const module = new URL("../support/found/orms.mjs", import.meta.url).href;
      const handler = `
      import { openOrm } from "${module}";
      export const open = (url) => openOrm("${orm}", url);
      export default async ({ type, object }, db) => {
        const must = async (finding) => (await finding) ?? Promise.reject(Object.assign(new Error("no row"), { status: 404 }));
        if (type === "customer.subscription.updated") {
          const product = await must(db.product(object.items.data[0].price.id));
          const user = await must(db.user(object.customer));
          await db.setPlan(user, object.status);
          await db.sell(product);
        }
        if (type === "invoice.paid") await db.payAccount(await must(db.account(object.customer_email)));
        if (type === "payment_intent.succeeded") await db.payPurchase(await must(db.purchase(object.id)));
      };`;
      const place = await where();
      await query(place.state, "delete from users where id < 3");
      expect(await findRows(handler, place, SUBSCRIPTION)).toEqual([
        found("ada@example.com", "accounts.email", "email"),
        found("price_PRO", "products.price", "price"),
        CUSTOMER,
      ]);
      expect(await findRows(handler, place, PAYMENT)).toEqual([
        found("pi_OLD2", "purchases.payment_intent", "payment_intent"),
      ]);
    },
  );

  it.runIf(hasSqlalchemy)("a trial finds the rows that SQLAlchemy looks up", async () => {
    const { state } = await where();
    await query(state, "delete from users where id < 3");
    const start = `exec /usr/bin/python3 ${fileURLToPath(new URL("../support/found/server.py", import.meta.url))}`;
    expect(await findRowsOf(start, state, SUBSCRIPTION)).toEqual([CUSTOMER]);
    expect(await findRowsOf(start, state, PAYMENT)).toEqual([
      found("pi_OLD2", "purchases.payment_intent", "payment_intent"),
    ]);
  });
});

const ACME = `name: acme
events:
  order.paid: { body: { id: evt_1a2b3c, type: order.paid, customer: cus_1a2b3c } }
kinds: { customer: cus_1a2b3c }
type: body.type
id: body.id
signature: { header: "Acme-Signature: {signature}" }
retries: { delays: [1m] }
`;

it("a saved finding about a row with a random key is replayed in a database where the row has another key", async () => {
  const cwd = folderOf({
    "acme.yaml": ACME,
    "sandbox.config.json": JSON.stringify({ subject: { sender: "acme.yaml" } }),
  });
  const handler = (check: string) => `
    ${check}
    await db.query("update accounts set credits = credits + 10 where customer = $1", event.customer);`;
  const CHECK = `
    const seen = await db.query("insert or ignore into seen values ($1)", event.id);
    if (seen.count === 0) return 200;`;
  async function trial(command: "explore" | "run", key: string, check: string, ...options: string[]) {
    rmSync(join(cwd, "shop.db"), { force: true });
    new Database(join(cwd, "shop.db"))
      .exec(
        `create table accounts (id text primary key, customer text, credits int); create table seen (id text primary key);
        insert into accounts values ('${key}', 'cus_PxYz', 0)`,
      )
      .close();
    const url = `http://127.0.0.1:${await portOfItsOwn()}/webhooks`;
    const subject = [
      "--start",
      startOf(handler(check)),
      "--state",
      "sqlite:shop.db",
      "--secret",
      "whsec_test",
    ];
    const where = command === "explore" ? [url] : ["--subscriber", url];
    return runCli([command, ...options, ...where, ...subject], { cwd });
  }
  const found = await trial("explore", "cm4h1x2y30000qzrmn831i7rn", "", "--deviations", "1");
  const [, name] = /npx sandglass run (\S+)/.exec(found.stdout) ?? [];
  expect([found.code, name]).toEqual([1, expect.any(String)]);
  const again = await trial("run", "cm4h9k8l70000abcd1234efgh", "", name!);
  expect([again.code, again.stdout]).toEqual([1, expect.stringContaining("are counted twice.")]);
  const { code, stdout } = await trial("run", "cm4h9k8l70000abcd1234efgh", CHECK, name!);
  expect([code, stdout]).toEqual([0, expect.stringContaining("passed")]);
});
