import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { explore } from "../../src/index.ts";
import { folderOf } from "../support/cli.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { ACME, type AcmeEvent } from "./acme.ts";
import { openClient } from "./postgres-safety.ts";

const TABLES = `
  create table orders (id text primary key, cents int, cancelled_at timestamptz, valid_to timestamp, seen bigint, about jsonb, token uuid);
  create table log (stream text, version int, event_id text unique, amount int, at timestamptz default now(), primary key (stream, version));
  insert into orders (id, cancelled_at) values ('old-1', null), ('old-2', '2025-01-01');
  insert into log values ('old-1', 4, 'evt_0', 5);`;

describe.skipIf(!hasPostgres())("a handler on Postgres with times, generated ids and a numbered log", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  /** @param late what a payment that arrives after the cancellation changes */
  async function exploreShop(name: string, story: string, late = "") {
    const state = await server.create(name);
    const client = await openClient(state);
    onTestFinished(client.end);
    await client(TABLES);
    const write = ({ id, type, order, amount = 0 }: AcmeEvent) =>
      client(`
        insert into log select '${order}', coalesce(max(version), 0) + 1, '${id}', ${amount} from log where stream = '${order}'
          on conflict (event_id) do nothing;
        ${
          type === "order.cancelled"
            ? `insert into orders values ('${order}', 2500, now(), now() + interval '30 days', extract(epoch from now()),
                jsonb_build_object('by', 'webhook', 'at', now()), gen_random_uuid())
                on conflict (id) do update set (cancelled_at, valid_to, seen, about, token) =
                  (excluded.cancelled_at, excluded.valid_to, excluded.seen, excluded.about, excluded.token)`
            : `insert into orders (id, cents) values ('${order}', 2500) on conflict (id) do update set cents = 2500 ${late}`
        }`);
    const cwd = folderOf({ "acme.yaml": ACME });
    return explore({
      async subscriber(request) {
        await write((await request.json()) as AcmeEvent);
        return new Response();
      },
      ...{ state, inPlace: true, sender: join(cwd, "acme.yaml"), story, deviations: 1 },
    });
  }

  it.each(["cancel", "refunds"])(
    "explore finds nothing wrong with a correct Postgres handler in the story %s",
    async (story) => {
      expect(await exploreShop(`right_${story}`, story)).toMatchObject({
        failure: null,
        verdict: "nothing_found",
      });
    },
  );

  it.each([
    ["cancelled_at", "a time of the run"],
    ["valid_to", "30 d after a time of the run"],
    ["seen", "a time of the run"],
    ["about", { by: "webhook", at: "a time of the run" }],
    ["token", "a generated id"],
  ])("explore finds that a late payment clears the column %s", async (column, value) => {
    const { failure } = await exploreShop(`wrong_${column}`, "cancel", `, ${column} = null`);
    expect(failure?.differences).toEqual([{ path: `orders.ord_1.${column}`, expected: value, actual: null }]);
  });
});
