// The statements of drivers.mjs, written with an ORM. The packages are in the folder that ORMS names, where .ci/run
// installs them.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { openSequelize, openTypeorm } from "../orms.mjs";

const require = createRequire(join(process.env.ORMS ?? process.cwd(), "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);

/** The parts of a URL, which some drivers need separately. */
function partsOf(url) {
  const { hostname: host, port, username: user, password, pathname } = new URL(url);
  return { host, port: Number(port), user, password, database: pathname.slice(1) };
}

async function openKysely(url) {
  const [{ Kysely, MysqlDialect }, mysql2] = [await load("kysely"), require("mysql2")];
  const kysely = new Kysely({ dialect: new MysqlDialect({ pool: mysql2.createPool({ uri: url }) }) });
  const wrap = (db) => ({
    seen: async (id) =>
      (await db.selectFrom("events").select("id").where("id", "=", id).executeTakeFirst()) !== undefined,
    note: (id) => db.insertInto("events").values({ id }).execute(),
    pay: (id, amount) =>
      db
        .insertInto("orders")
        .values({ id, times: 1, total: amount })
        .onDuplicateKeyUpdate((set) => ({
          times: set("orders.times", "+", 1),
          total: set("orders.total", "+", amount),
        }))
        .execute(),
  });
  return {
    ...wrap(kysely),
    transaction: (work) => kysely.transaction().execute((inside) => work(wrap(inside))),
  };
}

function openKnex(url) {
  const knex = require("knex")({ client: "mysql2", connection: url });
  const wrap = (db) => ({
    seen: async (id) => (await db("events").where({ id }).first()) !== undefined,
    note: (id) => db("events").insert({ id }),
    async pay(id, amount) {
      await db("orders").insert({ id, times: 0, total: 0 }).onConflict().ignore();
      await db("orders").where({ id }).increment({ times: 1, total: amount });
    },
  });
  return { ...wrap(knex), transaction: (work) => knex.transaction((inside) => work(wrap(inside))) };
}

async function openDrizzle(url) {
  const [{ drizzle }, { int, mysqlTable, varchar }, { eq, sql }, mysql2] = [
    await load("drizzle-orm/mysql2"),
    await load("drizzle-orm/mysql-core"),
    await load("drizzle-orm"),
    require("mysql2/promise"),
  ];
  const text = () => varchar("id", { length: 99 });
  const events = mysqlTable("events", { id: text() });
  const orders = mysqlTable("orders", { id: text().primaryKey(), times: int("times"), total: int("total") });
  const wrap = (db) => ({
    seen: async (id) => (await db.select().from(events).where(eq(events.id, id))).length > 0,
    note: (id) => db.insert(events).values({ id }),
    pay: (id, amount) =>
      db
        .insert(orders)
        .values({ id, times: 1, total: amount })
        .onDuplicateKeyUpdate({
          set: { times: sql`${orders.times} + 1`, total: sql`${orders.total} + ${amount}` },
        }),
  });
  const db = drizzle({ client: mysql2.createPool({ uri: url }) });
  return { ...wrap(db), transaction: (work) => db.transaction((inside) => work(wrap(inside))) };
}

/** The Prisma client is generated from mysql/schema.prisma, in a separate folder. */
function openPrisma(url) {
  const { PrismaMariaDb } = require("@prisma/adapter-mariadb");
  const { PrismaClient } = require("./mysql-client");
  const prisma = new PrismaClient({ adapter: new PrismaMariaDb(partsOf(url)) });
  const wrap = (db) => ({
    seen: async (id) => (await db.event.findFirst({ where: { id } })) !== null,
    note: (id) => db.event.create({ data: { id } }),
    // Prisma's upsert and update run a select first, which would not see what another request has committed.
    async pay(id, amount) {
      await db.order.createMany({ data: [{ id, times: 0, total: 0 }], skipDuplicates: true });
      await db.order.updateMany({
        where: { id },
        data: { times: { increment: 1 }, total: { increment: amount } },
      });
    },
  });
  return { ...wrap(prisma), transaction: (work) => prisma.$transaction((inside) => work(wrap(inside))) };
}

const ORMS = {
  kysely: openKysely,
  knex: openKnex,
  drizzle: openDrizzle,
  typeorm: openTypeorm,
  sequelize: openSequelize,
  prisma: openPrisma,
};

export const openOrm = (name, url) => ORMS[name](url);
