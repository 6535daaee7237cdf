// The statements of drivers.mjs, written with an ORM. The packages are in the folder that ORMS names, where .ci/run
// installs them.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.env.ORMS ?? process.cwd(), "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);

async function openKysely(url) {
  const [{ Kysely, PostgresDialect }, pg] = [await load("kysely"), require("pg")];
  const pool = new pg.Pool({ connectionString: url });
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  const kysely = new Kysely({ dialect: new PostgresDialect({ pool }) });
  const wrap = (db) => ({
    seen: async (id) =>
      (await db.selectFrom("events").select("id").where("id", "=", id).executeTakeFirst()) !== undefined,
    note: (id) => db.insertInto("events").values({ id }).execute(),
    pay: (id, amount) =>
      db
        .insertInto("orders")
        .values({ id, times: 1, total: amount })
        .onConflict((conflict) =>
          conflict.column("id").doUpdateSet((set) => ({
            times: set("orders.times", "+", 1),
            total: set("orders.total", "+", set.ref("excluded.total")),
          })),
        )
        .execute(),
  });
  return {
    ...wrap(kysely),
    transaction: (work) => kysely.transaction().execute((inside) => work(wrap(inside))),
  };
}

async function openDrizzle(url) {
  const [{ drizzle }, { integer, pgTable, text }, { eq, sql }, pg] = [
    await load("drizzle-orm/node-postgres"),
    await load("drizzle-orm/pg-core"),
    await load("drizzle-orm"),
    require("pg"),
  ];
  const pool = new pg.Pool({ connectionString: url });
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  const events = pgTable("events", { id: text("id") });
  const orders = pgTable("orders", {
    id: text("id").primaryKey(),
    times: integer("times"),
    total: integer("total"),
  });
  const wrap = (db) => ({
    seen: async (id) => (await db.select().from(events).where(eq(events.id, id))).length > 0,
    note: (id) => db.insert(events).values({ id }),
    pay: (id, amount) =>
      db
        .insert(orders)
        .values({ id, times: 1, total: amount })
        .onConflictDoUpdate({
          target: orders.id,
          set: { times: sql`${orders.times} + 1`, total: sql`${orders.total} + ${amount}` },
        }),
  });
  const db = drizzle(pool);
  return { ...wrap(db), transaction: (work) => db.transaction((inside) => work(wrap(inside))) };
}

/** Opens Postgres, or MySQL and MariaDB, depending on the URL. */
export async function openTypeorm(url) {
  const { DataSource, EntitySchema } = require("typeorm");
  const Event = new EntitySchema({
    name: "events",
    columns: { number: { type: Number, primary: true, generated: "increment" }, id: { type: String } },
  });
  const Order = new EntitySchema({
    name: "orders",
    columns: {
      id: { type: String, primary: true },
      times: { type: Number },
      total: { type: Number },
    },
  });
  const source = new DataSource({
    ...{ type: url.startsWith("mysql:") ? "mysql" : "postgres", url, entities: [Event, Order] },
    poolErrorHandler: () => undefined,
  });
  await source.initialize();
  const wrap = (manager) => ({
    seen: (id) => manager.existsBy(Event, { id }),
    note: (id) => manager.insert(Event, { id }),
    async pay(id, amount) {
      await manager
        .createQueryBuilder()
        .insert()
        .into(Order)
        .values({ id, times: 0, total: 0 })
        .orIgnore()
        .execute();
      await manager.increment(Order, { id }, "times", 1);
      await manager.increment(Order, { id }, "total", amount);
    },
  });
  return {
    ...wrap(source.manager),
    transaction: (work) => source.transaction((manager) => work(wrap(manager))),
  };
}

/** Opens Postgres, or MySQL and MariaDB, depending on the URL. */
export async function openSequelize(url) {
  const { DataTypes, Sequelize } = require("sequelize");
  const sequelize = new Sequelize(url, { logging: false });
  const options = { timestamps: false };
  const number = { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true };
  const Event = sequelize.define("events", { number, id: DataTypes.STRING }, options);
  const Order = sequelize.define(
    "orders",
    {
      id: { type: DataTypes.STRING, primaryKey: true },
      times: DataTypes.INTEGER,
      total: DataTypes.INTEGER,
    },
    options,
  );
  const wrap = (transaction) => ({
    seen: async (id) => (await Event.findOne({ where: { id }, transaction })) !== null,
    note: (id) => Event.create({ id }, { transaction }),
    async pay(id, amount) {
      await Order.bulkCreate([{ id, times: 0, total: 0 }], { ignoreDuplicates: true, transaction });
      await Order.increment({ times: 1, total: amount }, { where: { id }, transaction });
    },
  });
  return { ...wrap(null), transaction: (work) => sequelize.transaction((inside) => work(wrap(inside))) };
}

/** The Prisma client is generated from the schema that the test writes. */
async function openPrisma(url) {
  const { PrismaPg } = require("@prisma/adapter-pg");
  const { PrismaClient } = require("@prisma/client");
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) });
  const wrap = (db) => ({
    seen: async (id) => (await db.event.findFirst({ where: { id } })) !== null,
    note: (id) => db.event.create({ data: { id } }),
    pay: (id, amount) =>
      db.order.upsert({
        where: { id },
        create: { id, times: 1, total: amount },
        update: { times: { increment: 1 }, total: { increment: amount } },
      }),
  });
  return { ...wrap(prisma), transaction: (work) => prisma.$transaction((inside) => work(wrap(inside))) };
}

const ORMS = {
  kysely: openKysely,
  drizzle: openDrizzle,
  typeorm: openTypeorm,
  sequelize: openSequelize,
  prisma: openPrisma,
};

export const openOrm = (name, url) => ORMS[name](url);
