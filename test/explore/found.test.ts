import { writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { portOfItsOwn } from "../support/ports.ts";
import { runWarmCli as runCli } from "../support/warm-cli.ts";
import { shopFile, startOf } from "./found.ts";

const USING =
  'Using cus_PxYz from users.stripe_customer_id for customer. To keep it, add known: { customer: "cus_PxYz" } to subject';

const ACME = `name: acme
events:
  order.paid: { body: { id: evt_1a2b3c, type: order.paid, order: ord_1a2b3c, customer: cus_1a2b3c } }
kinds: { order: ord_1a2b3c, customer: cus_1a2b3c }
type: body.type
id: body.id
signature: { header: "Acme-Signature: {signature}" }
`;

/** A copy of Acme's sender file whose first event refers to no customer. */
const PLANS = ACME.replace(
  "events:",
  "about: [body.order]\nevents:\n  order.made: { body: { id: evt_4d5e6f, type: order.made, order: ord_1a2b3c } }",
);

/** Two stories, of which a handler may handle one. */
const STORIES = ACME.replace(
  "kinds:",
  "  plan.left: { body: { id: evt_7g8h9i, type: plan.left, customer: cus_1a2b3c } }\nstories: { paying: [order.paid], leaving: [plan.left] }\nkinds:",
);

/** Tries a handler on a copy of a shop's database. */
async function tryHandler(command: "check" | "explore", handler: string, ...options: string[]) {
  return tryServer(command, startOf(handler), ...options);
}

/** @param start the command that starts the server */
async function tryServer(command: "check" | "explore", start: string, ...options: string[]) {
  const file = shopFile();
  const cwd = dirname(file);
  writeFileSync(join(cwd, "acme.yaml"), ACME);
  writeFileSync(join(cwd, "plans.yaml"), PLANS);
  writeFileSync(join(cwd, "stories.yaml"), STORIES);
  const ended = await runCli(
    [
      ...[command, `http://127.0.0.1:${await portOfItsOwn()}/webhooks`, "--start", start],
      ...[
        "--state",
        `sqlite:${basename(file)}`,
        "--sender",
        "acme.yaml",
        "--secret",
        "whsec_test",
        ...options,
      ],
    ],
    { cwd },
  );
  const users = new Database(file).prepare("select plan from users order by id").pluck().all();
  return { ...ended, users, text: (ended.stdout + ended.stderr).replaceAll(/\s+/g, " ") };
}

const SET_PLAN = `
  const [user] = await db.query("select * from users where stripe_customer_id = $1 and deleted_at is null", event.customer);
  if (!user) return 404;
  await db.query("update users set plan = 'paid' where id = $1", user.id);`;

it("explore sends the ids of a row that the handler looks up, and prints how to make them permanent", async () => {
  const { code, text, users } = await tryHandler("explore", SET_PLAN, "--deviations", "1");
  expect(text).toContain(USING);
  expect([code, users]).toEqual([0, ["free", "free", "free"]]);
});

it("check sends the ids of a row that the handler looks up", async () => {
  const { text } = await tryHandler("check", SET_PLAN, "--only", "extra-fields");
  expect(text).toContain(USING);
  expect(text).toMatch(/pass valid-event .* its state shows both pass extra-fields /);
});

it.each(["explore", "check"] as const)(
  "%s finds a row whose lookup it cannot see, as in other languages",
  async (command) => {
    const options = command === "check" ? ["--only", "extra-fields"] : ["--deviations", "1"];
    const { code, text } = await tryServer(command, startOf(SET_PLAN, { isUnseen: true }), ...options);
    expect(text).toContain(USING);
    expect(code).toBe(0);
  },
);

it("explore is inconclusive for a story whose events change nothing because a row is missing, and names the lookup", async () => {
  const handler = `
    if (event.type === "order.paid") await db.query("insert or ignore into orders (payment_intent) values ($1)", event.order);
    else await db.query("delete from empty_users where stripe_customer_id = $1 and id > $2", event.customer, 0);`;
  const { code, text } = await tryHandler(
    "explore",
    handler,
    "--sender",
    "stories.yaml",
    "--deviations",
    "1",
  );
  const words =
    "leaving: Not compared: no event changed the state. This statement matched no row: delete from empty_users";
  expect([code, text]).toEqual([3, expect.stringContaining(words)]);
  expect(text).toContain("Use a value from one of your rows: --known customer=…");
});

it("check finds a row that only events of other types need", async () => {
  const handler = `
    if (event.type === "order.made") {
      await db.query("insert into orders (payment_intent) values ($1)", event.order + event.id);
      return 200;
    }${SET_PLAN}`;
  const { text } = await tryHandler("check", handler, "--only", "other-events", "--sender", "plans.yaml");
  expect(text).toContain(USING);
  expect(text).toMatch(/pass valid-event .* pass other-events returned 200 to each of 2/);
  expect(text.match(/pass valid-event/g)).toHaveLength(1);
});

it("explore does not use a row for a duplicate check if the handler then rejects the event, and suggests --known", async () => {
  const handler = `
    const seen = await db.query("select id from orders where payment_intent = $1", event.order);
    if (seen.length > 0) return 200;
    if (!event.user) return 400;
    await db.query("insert into orders (payment_intent) values ($1)", event.order);`;
  const { code, text } = await tryHandler("explore", handler);
  expect(text).not.toContain("Using");
  expect(text).toContain("matched no row: select id from orders where payment_intent = ?");
  expect([code, text]).toEqual([3, expect.stringContaining("--known order=…")]);
});
