import type { PaymentLinkRow, SessionRow, TransactionRow } from "../../src/payments/rows.ts";
import { seedPayments } from "../../src/payments/seed/index.ts";
import { PAYMENT_TABLES } from "../../src/payments/tables.ts";
import type { DeliveryRow, WebhookRow } from "../../src/webhooks/rows.ts";
import { WEBHOOK_TABLES } from "../../src/webhooks/tables.ts";
import { DAY } from "../../src/world/duration.ts";
import { createWorld, type World } from "../../src/world/world.ts";

export const NOW = Date.UTC(2026, 0, 15, 9);
export const START = NOW - 30 * DAY;

export function emptyWorld(seed = "x", startAt = NOW): World {
  return createWorld({
    name: "t",
    seed,
    startAt,
    mode: "paused",
    rate: 1,
    tables: [...WEBHOOK_TABLES, ...PAYMENT_TABLES],
    settleTimeout: 100,
  });
}

export type Dump = Record<string, unknown[]>;

/** All rows of all tables, except the wall time at which the world was created, which is stored with the clock. */
export function dump(world: World): Dump {
  const names = world.store.sql<{ name: string }>(
    "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name <> 'clock' order by name",
  );
  return Object.fromEntries(
    names.all().map(({ name }) => [name, world.store.sql(`select * from ${name}`).all()]),
  );
}

export async function seededDump(seed: string, startAt = NOW): Promise<Dump> {
  const world = emptyWorld(seed, startAt);
  seedPayments(world);
  const rows = dump(world);
  world.close();
  return rows;
}

/** A seeded world and its contents. Tests only read it, so test files can share it. */
export const seededWorld = () => (made ??= makeSeededWorld());
let made: ReturnType<typeof makeSeededWorld> | undefined;

function makeSeededWorld() {
  const world = emptyWorld();
  seedPayments(world);
  const rows = <Row>(sql: string, ...values: (string | number)[]) => world.store.sql<Row>(sql).all(...values);
  const webhooks = () => rows<WebhookRow>("select * from webhooks");
  return {
    world,
    rows,
    count: (from: string, ...values: (string | number)[]) =>
      rows<{ n: number }>(`select count(*) as n from ${from}`, ...values)[0]!.n,
    links: () => rows<PaymentLinkRow>("select * from payment_links"),
    sessions: () => rows<SessionRow>("select * from checkout_sessions"),
    transactions: () => rows<TransactionRow>("select * from transactions"),
    deliveries: () =>
      rows<DeliveryRow>("select * from webhook_deliveries order by ended_at, started_at, rowid"),
    webhooks,
    webhook: (description: string) => webhooks().find((row) => row.description === description)!,
  };
}
