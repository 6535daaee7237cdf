import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { startReceiver } from "../check/support/start.ts";
import { folderOf } from "../support/cli.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { runWarmCli } from "../support/warm-cli.ts";
import { shop } from "./known.ts";

test("--known overrides the configuration, and a replay uses the known values of the user who runs it", async () => {
  const server = shop();
  const { url } = await startReceiver(async (request, response) => {
    if (request.url === "/state") return void response.end(JSON.stringify(server.state()));
    if (request.url === "/reset") return void response.end(String(server.reset()));
    const body = Buffer.concat(await request.toArray()).toString();
    const { status } = await server.subscriber({ text: async () => body });
    response.writeHead(status).end();
  });
  const cwd = folderOf();
  const at = (path: string) => new URL(path, url).href;
  const subject = {
    ...{ url, sender: "stripe", state: at("/state"), reset: at("/reset"), deviations: 1 },
    ...{ events: "checkout.session.completed", known: { customer: "cus_Bob", metadata: { userId: "42" } } },
  };
  writeFileSync(
    join(cwd, "sandbox.config.json"),
    JSON.stringify({ subject, webhooks: { secret: "whsec_test" } }),
  );
  const found = await runWarmCli(["explore", "--known", "customer=cus_Ada", "--json"], { cwd });
  expect(found.code, found.stderr).toBe(1);
  const { saved } = JSON.parse(found.stdout);
  expect(readFileSync(join(cwd, saved), "utf8")).not.toContain("cus_Ada");
  const replayed = await runWarmCli(["run", saved, "--known", "customer=cus_Ada"], { cwd });
  expect(replayed.code, replayed.stdout + replayed.stderr).toBe(1);
});

const SERVER = `import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";
const db = new DatabaseSync(process.env.DATABASE_URL.replace(/^(sqlite|file):(\\/\\/)?/, ""));
createServer(async (request, response) => {
  if (request.method !== "POST") return response.writeHead(404).end();
  const event = JSON.parse(Buffer.concat(await request.toArray()).toString());
  const { changes } = db
    .prepare("update users set status = ? where customer = ?")
    .run(event.type, event.data.object.customer);
  response.writeHead(changes === 0 ? 404 : 200).end();
}).listen(Number(process.env.PORT), "127.0.0.1");
`;
const SEED = `import { DatabaseSync } from "node:sqlite";
const db = new DatabaseSync(process.env.DATABASE_URL.replace(/^(sqlite|file):(\\/\\/)?/, ""));
db.exec("insert into users values ('cus_Ada', 'new')");
`;

test("subject.seed fills the copy before the server starts, and does not change the original database", async () => {
  const cwd = folderOf();
  writeFileSync(join(cwd, "server.mjs"), SERVER);
  writeFileSync(join(cwd, "seed.mjs"), SEED);
  const db = new Database(join(cwd, "shop.db"));
  db.exec("create table users (customer text primary key, status text)");
  const subject = {
    ...{ url: `http://127.0.0.1:${await portOfItsOwn()}/`, sender: "stripe", state: "sqlite:shop.db" },
    ...{ start: "node server.mjs", seed: "node seed.mjs", known: { customer: "cus_Ada" }, deviations: 1 },
    events: "customer.subscription.updated,customer.subscription.deleted@20s",
  };
  const configured = (more: object) =>
    writeFileSync(
      join(cwd, "sandbox.config.json"),
      JSON.stringify({ subject: { ...subject, ...more }, webhooks: { secret: "whsec_test" } }),
    );
  configured({});
  const found = await runWarmCli(["explore"], { cwd });
  expect(found.code, found.stdout + found.stderr).toBe(1);
  expect(db.prepare("select count(*) as n from users").get()).toEqual({ n: 0 });
  configured({ seed: "exit 4" });
  const failed = await runWarmCli(["explore"], { cwd });
  expect(failed.stderr).toContain("The seed command exited with code 4: exit 4");
});
