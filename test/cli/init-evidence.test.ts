import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { folderOf, runCli } from "../support/cli.ts";
import { portOfItsOwn } from "../support/ports.ts";

/** A server with its route, port and secret at places that its sources do not give away. */
const SERVER = `import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
const { createServer } = process.getBuiltinModule("node:http");
const database = new DatabaseSync(process.env.SHOP_FILE ?? "shop.db");
const accepts = (body, header) => {
  const [, t, v1] = /t=(\\d+),v1=(\\w+)/.exec(header ?? "") ?? [];
  return createHmac("sha256", process.env.BILLING_SIGNING_SECRET ?? "").update(t + "." + body).digest("hex") === v1;
};
createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const path = request.url;
  if (path !== ["", "billing", "hook"].join("/")) return response.writeHead(404).end();
  if (!accepts(body, request.headers["stripe-signature"])) return response.writeHead(400).end("bad signature");
  database.prepare("insert or ignore into events values (?)").run(JSON.parse(body).id);
  response.end();
}).listen(Number(readFileSync("port.txt", "utf8")), "127.0.0.1");`;

const FILES = {
  "package.json": JSON.stringify({
    scripts: { start: "node server.mjs" },
    dependencies: { stripe: "^18.0.0" },
  }),
  "server.mjs": SERVER,
  // Neither is served, as the server has a table of its own.
  "routes.mjs": `export const routes = (app) => { app.post("/stripe/webhooks", old); app.post("/billing/hook", now); };`,
  ".env.example": "STRIPE_WEBHOOK_SECRET=\nBILLING_SIGNING_SECRET=\n",
};

async function projectAt(port: number): Promise<string> {
  const cwd = folderOf();
  for (const [name, text] of Object.entries({ ...FILES, "port.txt": String(port) })) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  const database = new DatabaseSync(join(cwd, "shop.db"));
  database.exec("create table events (id text primary key)");
  database.close();
  return cwd;
}

test.skipIf(process.platform !== "linux")(
  "init --yes starts the server, and writes the port, the route, the secret and the database that it sees in use",
  async () => {
    const [port, guessed] = [await portOfItsOwn(), await portOfItsOwn()];
    const cwd = await projectAt(port);
    const { code, stdout, stderr } = await runCli(["init", "--yes", "--port", String(guessed)], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`http://127.0.0.1:${guessed}/stripe/webhooks`);
    const config = readFileSync(join(cwd, "sandbox.config.ts"), "utf8");
    expect(config).toContain(
      `url: "http://127.0.0.1:${port}/billing/hook", // seen: it answered 400 to a wrong signature`,
    );
    expect(config).toContain('secret: "BILLING_SIGNING_SECRET", // seen: ');
    expect(config).toContain(`start: "node server.mjs", // seen: it listens at port ${port}`);
    expect(config).toContain('state: "sqlite:shop.db", // seen: an event changed its copy');
    expect(config).not.toContain("a guess");
    const database = new DatabaseSync(join(cwd, "shop.db"));
    expect(database.prepare("select * from events").all()).toEqual([]);
  },
);

test("init keeps its guesses, and says why, if the server does not start", async () => {
  const cwd = await projectAt(0);
  writeFileSync(join(cwd, "server.mjs"), `${SERVER}\nthrow new Error("no licence");`);
  const { code, stdout, stderr } = await runCli(["init", "--yes", "--port", String(await portOfItsOwn())], {
    cwd,
  });
  expect(code).toBe(0);
  expect(`${stdout}${stderr}`).toMatch(/Not confirmed\. The server ended with code 1[\s\S]*no licence/);
  expect(readFileSync(join(cwd, "sandbox.config.ts"), "utf8").match(/a guess/g)).toHaveLength(5);
});

test("test offers the route that takes the sender's events where the configured address has none, and uses it with --yes", async () => {
  const port = await portOfItsOwn();
  const cwd = await projectAt(port);
  const subject = {
    ...{ sender: "stripe", url: `http://127.0.0.1:${port}/webhook`, secret: "BILLING_SIGNING_SECRET" },
    ...{ start: "node server.mjs", state: "sqlite:shop.db", databaseEnv: ["SHOP_FILE"] },
  };
  writeFileSync(join(cwd, "sandbox.config.json"), JSON.stringify({ subject: { ...subject, at: "now" } }));
  const asked = await runCli(["test"], { cwd });
  expect(asked).toMatchObject({ code: 3 });
  expect(asked.stderr).toContain("Nothing at /webhook; /billing/hook takes stripe's events.");
  expect(existsSync(join(cwd, "sandglass"))).toBe(false);
  const used = await runCli(["test", "--yes", "--story", "refund", "--shard", "2/2", "--budget", "1s"], {
    cwd,
  });
  expect(used.stderr).toContain(`set url: "http://127.0.0.1:${port}/billing/hook" in `);
  expect(used.stdout).not.toMatch(/answered 404/);
});
