// A shop's lookups and updates, written with an ORM. The packages are in the folder that ORMS names, where .ci/run
// installs them.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.env.ORMS ?? process.cwd(), "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);

async function openDrizzle(url) {
  const [{ drizzle }, { integer, pgTable, text }, { eq }, pg] = [
    await load("drizzle-orm/node-postgres"),
    await load("drizzle-orm/pg-core"),
    await load("drizzle-orm"),
    require("pg"),
  ];
  const db = drizzle(new pg.Pool({ connectionString: url }));
  const id = integer("id").primaryKey();
  const users = pgTable("users", { id, customer: text("stripe_customer_id"), plan: text("plan") });
  const accounts = pgTable("accounts", { id, email: text("email"), plan: text("plan") });
  const purchases = pgTable("purchases", { id, intent: text("payment_intent"), status: text("status") });
  const products = pgTable("products", { id, price: text("price"), sold: integer("sold") });
  const find = async (table, column, value) => (await db.select().from(table).where(eq(column, value)))[0];
  const set = (table, row, values) => db.update(table).set(values).where(eq(table.id, row.id));
  return {
    user: (customer) => find(users, users.customer, customer),
    setPlan: (user, plan) => set(users, user, { plan }),
    account: (email) => find(accounts, accounts.email, email),
    payAccount: (account) => set(accounts, account, { plan: "paid" }),
    purchase: (intent) => find(purchases, purchases.intent, intent),
    payPurchase: (purchase) => set(purchases, purchase, { status: "paid" }),
    product: (price) => find(products, products.price, price),
    sell: (product) => set(products, product, { sold: product.sold + 5 }),
  };
}

async function openTypeorm(url) {
  const { DataSource, EntitySchema } = require("typeorm");
  const id = { type: Number, primary: true, generated: "identity" };
  const text = { type: String, nullable: true };
  const entity = (name, columns) => new EntitySchema({ name, columns: { id, ...columns } });
  const users = entity("users", { customer: { ...text, name: "stripe_customer_id" }, plan: text });
  const accounts = entity("accounts", { email: text, plan: text });
  const purchases = entity("purchases", { intent: { ...text, name: "payment_intent" }, status: text });
  const products = entity("products", { price: text, sold: { type: Number } });
  const source = new DataSource({ type: "postgres", url, entities: [users, accounts, purchases, products] });
  await source.initialize();
  const find = (table, where) => source.manager.findOneBy(table, where);
  const set = (table, row, values) => source.manager.save(table, { ...row, ...values });
  return {
    user: (customer) => find(users, { customer }),
    setPlan: (user, plan) => set(users, user, { plan }),
    account: (email) => find(accounts, { email }),
    payAccount: (account) => set(accounts, account, { plan: "paid" }),
    purchase: (intent) => find(purchases, { intent }),
    payPurchase: (purchase) => set(purchases, purchase, { status: "paid" }),
    product: (price) => find(products, { price }),
    sell: (product) => set(products, product, { sold: product.sold + 5 }),
  };
}

/** The Prisma client is generated from test/support/statements/schema.prisma. */
async function openPrisma(url) {
  const { PrismaPg } = require("@prisma/adapter-pg");
  const { PrismaClient } = require("@prisma/client");
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) });
  const at = ({ id }) => ({ id });
  return {
    user: (stripeCustomerId) => prisma.user.findUnique({ where: { stripeCustomerId } }),
    setPlan: (user, plan) => prisma.user.update({ where: at(user), data: { plan } }),
    account: (email) => prisma.account.findFirst({ where: { email } }),
    payAccount: (account) => prisma.account.update({ where: at(account), data: { plan: "paid" } }),
    purchase: (paymentIntent) => prisma.purchase.findUnique({ where: { paymentIntent } }),
    payPurchase: (purchase) => prisma.purchase.update({ where: at(purchase), data: { status: "paid" } }),
    product: (price) => prisma.product.findFirst({ where: { price } }),
    sell: (product) => prisma.product.update({ where: at(product), data: { sold: { increment: 5 } } }),
  };
}

const ORMS = { drizzle: openDrizzle, typeorm: openTypeorm, prisma: openPrisma };

export const openOrm = (name, url) => ORMS[name](url);
