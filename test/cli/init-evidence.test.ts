import { appendFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { folderOf, runCli } from "../support/cli.ts";
import { portOfItsOwn } from "../support/ports.ts";

/** A server whose route, port and secret cannot be found by reading its sources. */
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
  await fetch("https://api.acme.test/orders", { method: "POST", body });
  response.end();
}).listen(Number(readFileSync("port.txt", "utf8")), "127.0.0.1");`;

const FILES = {
  "package.json": JSON.stringify({
    scripts: { start: "node server.mjs" },
    dependencies: { stripe: "^18.0.0" },
  }),
  "server.mjs": SERVER,
  // Neither of these routes is served, because the server has its own routing table.
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
  "init --yes starts the server, and writes the port, route, secret and database that the server uses",
  async () => {
    const [port, guessed] = [await portOfItsOwn(), await portOfItsOwn()];
    const cwd = await projectAt(port);
    const { code, stdout, stderr } = await runCli(["init", "--yes", "--port", String(guessed)], { cwd });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(
        /^Outside this machine\n {2}api\.acme\.test: \d+ calls?, answered with 200 \{\};/,
      ),
    });
    expect(stdout).toContain(`http://127.0.0.1:${guessed}/stripe/webhooks`);
    const config = readFileSync(join(cwd, "sandbox.config.ts"), "utf8");
    expect(config).toContain(
      `url: "http://127.0.0.1:${port}/billing/hook", // seen: it returned 400 to a wrong signature`,
    );
    expect(config).toContain('secret: "BILLING_SIGNING_SECRET", // seen: ');
    expect(config).toContain(`start: "node server.mjs", // seen: it listens on port ${port}`);
    expect(config).toContain('state: "sqlite:shop.db", // seen: an event changed its copy');
    expect(config).not.toContain("a guess");
    const database = new DatabaseSync(join(cwd, "shop.db"));
    expect(database.prepare("select * from events").all()).toEqual([]);
  },
);

test("init keeps its guesses if the server does not start, and prints the reason", async () => {
  const cwd = await projectAt(0);
  writeFileSync(join(cwd, "server.mjs"), `${SERVER}\nthrow new Error("no licence");`);
  const { code, stdout, stderr } = await runCli(["init", "--yes", "--port", String(await portOfItsOwn())], {
    cwd,
  });
  expect(code).toBe(0);
  expect(`${stdout}${stderr}`).toMatch(/Not confirmed\. The server exited with code 1[\s\S]*no licence/);
  expect(readFileSync(join(cwd, "sandbox.config.ts"), "utf8").match(/a guess/g)).toHaveLength(5);
});

test("init keeps its guesses and prints the server's output if the server exits right after it starts listening", async () => {
  const port = await portOfItsOwn();
  const cwd = await projectAt(port);
  const unbuilt = `process.getBuiltinModule("node:http").createServer(() => {
  throw new Error("Could not find a build");
}).listen(${port}, "127.0.0.1");`;
  writeFileSync(join(cwd, "server.mjs"), unbuilt);
  const { code, stdout, stderr } = await runCli(["init", "--yes", "--port", String(port)], { cwd });
  expect(code).toBe(0);
  expect(`${stdout}${stderr}`).toMatch(/Not confirmed\. .*Could not find a build/);
  expect(readFileSync(join(cwd, "sandbox.config.ts"), "utf8")).not.toContain("seen: ");
});

/** A handler for Stripe checkouts that adds credits to a user. */
const CREDITS = `import { createHmac } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
const { createServer } = process.getBuiltinModule("node:http");
const database = new DatabaseSync(DATABASE);
export const checkout = (user) => ({ metadata: { userId: user.id, credits: "100" } });
const accepts = (body, header, secret) => {
  const [, t, v1] = /t=(\\d+),v1=(\\w+)/.exec(header ?? "") ?? [];
  return createHmac("sha256", secret ?? "").update(t + "." + body).digest("hex") === v1;
};
createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  if (request.url !== "/stripe/webhook") return response.writeHead(404).end();
  const header = request.headers["stripe-signature"];
  if (!accepts(body, header, process.env.STRIPE_WEBHOOK_SECRET)) return response.writeHead(400).end();
  const event = JSON.parse(body);
  if (event.type !== "checkout.session.completed") return response.end();
  const { userId, credits } = event.data.object.metadata;
  const { changes } = database.prepare("update users set credits = credits + ? where id = ?").run(credits ?? 0, userId ?? "");
  response.writeHead(changes === 1 ? 200 : 500).end();
}).listen(process.env.PORT ?? 3000, "127.0.0.1");`;

/**
 * @param opened the code with which the server opens its database
 * @param users SQL that inserts the rows of its table
 */
function creditsProject(opened: string, users: string): string {
  const cwd = folderOf();
  const start = { scripts: { start: "node server.mjs" }, dependencies: { stripe: "^18.0.0" } };
  writeFileSync(join(cwd, "package.json"), JSON.stringify(start));
  writeFileSync(join(cwd, "server.mjs"), CREDITS.replace("DATABASE", opened));
  const other = "export const mailSecret = process.env.MAIL_WEBHOOK_SECRET;";
  writeFileSync(join(cwd, "mail.mjs"), other);
  const database = new DatabaseSync(join(cwd, "shop.db"));
  database.exec(`create table users (id text primary key, credits int not null); ${users}`);
  database.close();
  return cwd;
}

const initAt = async (cwd: string, env: Record<string, string> = {}) => {
  const port = String(await portOfItsOwn());
  const { code, stderr } = await runCli(["init", "--yes", "--port", port], { cwd, env });
  return { code, stderr, config: readFileSync(join(cwd, "sandbox.config.ts"), "utf8") };
};
const OPENED = 'process.env.SHOP_FILE ?? "shop.db"';

test("init fills the known values with a row that matches a metadata name and with a string from the code", async () => {
  const cwd = creditsProject(OPENED, "insert into users values ('user_ada', 0), ('user_bob', 5)");
  const { code, config } = await initAt(cwd);
  expect(code).toBe(0);
  expect(config).toMatch(
    /known: \{ metadata: \{ userId: "user_ada", credits: "100" \} \}, \/\/ a guess: metadata\.userId \(server\.mjs:\d+\) from users\.id, metadata\.credits \(server\.mjs:\d+\)\n/,
  );
  expect(config).toContain('"sqlite:shop.db", // seen: an event changed its copy');
});

test("init finds a customer in the database by the format of its id", async () => {
  const bought = "create table bought (invoice text); insert into bought values ('in_1Handled')";
  const users = `alter table users add stripe text; insert into users values ('user_ada', 0, 'cus_PAda1'); ${bought}`;
  const { config } = await initAt(creditsProject(OPENED, users));
  expect(config).toMatch(
    /known: \{ customer: "cus_PAda1", metadata: \{ userId: "user_ada", credits: "100" \} \}, \/\/ a guess: customer \(cus_…\) from users\.stripe, /,
  );
});

test("init fills a reference with a row from the table that the handler queries in plain SQL", async () => {
  const cwd = creditsProject(OPENED, "insert into users values ('user_ada', 0)");
  const server = readFileSync(join(cwd, "server.mjs"), "utf8")
    .replace("const { userId, credits } = event.data.object.metadata;", "const credits = 1;")
    .replace('userId ?? ""', "event.data.object.client_reference_id")
    .replace("export const checkout", "const checkout");
  writeFileSync(join(cwd, "server.mjs"), server);
  const { config } = await initAt(cwd);
  expect(config).toMatch(/"checkout\.session": \{ client_reference_id: "user_ada"/);
});

test("init replaces the guesses that it wrote when the server could not start, but no configuration that was edited", async () => {
  const cwd = creditsProject(OPENED, "insert into users values ('user_ada', 0)");
  const config = join(cwd, "sandbox.config.ts");
  const port = ["--port", String(await portOfItsOwn())];
  const init = async () => (await runCli(["init", "--yes", ...port], { cwd })).stdout;
  const server = readFileSync(join(cwd, "server.mjs"), "utf8");
  writeFileSync(join(cwd, "server.mjs"), server.replace("createServer(", "process.exit(1); createServer("));
  expect(await init()).toContain("Once this is solved, run init again");
  expect(readFileSync(config, "utf8")).toContain("// a guess: package.json");
  writeFileSync(join(cwd, "server.mjs"), server);
  expect(await init()).not.toContain("was not changed");
  const confirmed = readFileSync(config, "utf8");
  expect(confirmed).toContain("// seen: an event changed its copy");
  writeFileSync(config, confirmed.replace("known: ", "instances: 2, known: "));
  expect(await init()).toContain("was not changed");
  expect(readFileSync(config, "utf8")).toContain("instances: 2");
});

test("init does not take a field that the code only writes for one that it reads", async () => {
  const cwd = creditsProject(OPENED, "insert into users values ('user_ada', 0)");
  const writes = "\nexport const pay = (id) => stripe.checkout.sessions.create({ client_reference_id: id });";
  appendFileSync(join(cwd, "server.mjs"), writes);
  const { config } = await initAt(cwd);
  expect(config).toContain("metadata: {");
  expect(config).not.toContain("client_reference_id");
});

test("init leaves metadata empty if no row fits, and identifies the secret by the responses to signed events", async () => {
  const { config } = await initAt(creditsProject(OPENED, ""));
  expect(config).toContain(
    '// In place of that line: known: { metadata: { credits: "100", userId: "" } }, // your code also reads metadata.userId',
  );
  expect(config).toContain(
    'secret: "STRIPE_WEBHOOK_SECRET", // seen: events signed with it get 500, all others 400',
  );
  expect(config).toContain('"sqlite:shop.db", // a guess');
});

test.skipIf(process.platform !== "linux")(
  "init places a copy of the database at the path that a server has hard-coded",
  async () => {
    const cwd = creditsProject('"shop.db"', "insert into users values ('user_ada', 0)");
    const { stderr, config } = await initAt(cwd);
    expect(stderr).toBe("");
    expect(config).toContain('"sqlite:shop.db", // seen: an event changed its copy');
    const database = new DatabaseSync(join(cwd, "shop.db"));
    expect(database.prepare("select credits from users").get()).toEqual({ credits: 0 });
  },
);

test("init restores a database that the server changed directly, and marks the database as a guess", async () => {
  // Without the program that mounts the copy, the copy cannot appear at the file's own path.
  const programs = folderOf();
  symlinkSync(process.execPath, join(programs, "node"));
  const cwd = creditsProject('"shop.db"', "insert into users values ('user_ada', 0)");
  const { stderr, config } = await initAt(cwd, { PATH: programs });
  expect(stderr).toMatch(
    /does not use the copy of its database: it changed sqlite:shop\.db itself, which was restored/,
  );
  expect(stderr).toContain(
    "Its path is set in server.mjs:4: read it from DATABASE_URL there, with this file as the default.",
  );
  expect(config).toContain('"sqlite:shop.db", // a guess');
  const database = new DatabaseSync(join(cwd, "shop.db"));
  expect(database.prepare("select credits from users").get()).toEqual({ credits: 0 });
});

test("sandglass test suggests the route that accepts the sender's events, and writes it with --yes", async () => {
  const port = await portOfItsOwn();
  const cwd = await projectAt(port);
  const subject = {
    ...{ sender: "stripe", url: `http://127.0.0.1:${port}/webhook`, secret: "BILLING_SIGNING_SECRET" },
    ...{ start: "node server.mjs", state: "sqlite:shop.db", databaseEnv: ["SHOP_FILE"] },
  };
  writeFileSync(join(cwd, "sandbox.config.json"), JSON.stringify({ subject: { ...subject, at: "now" } }));
  const asked = await runCli(["test"], { cwd });
  expect(asked).toMatchObject({ code: 3 });
  expect(asked.stderr).toContain("Nothing at /webhook; /billing/hook receives stripe's events.");
  expect(existsSync(join(cwd, "sandglass"))).toBe(false);
  const used = await runCli(["test", "--yes", "--story", "refund", "--shard", "2/2", "--budget", "1s"], {
    cwd,
  });
  expect(used.stderr).toContain(`set url: "http://127.0.0.1:${port}/billing/hook" in `);
  expect(used.stdout).not.toMatch(/returned 404/);
});
