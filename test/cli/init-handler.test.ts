import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, test, vi } from "vitest";
import { parse } from "yaml";
import { resolveConfig } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { BUILT_CLI } from "../support/built.ts";
import { environment, folderOf, runCli } from "../support/cli.ts";

/** Creates a folder with these files in their subfolders. */
function projectOf(files: Record<string, string>): string {
  const cwd = folderOf();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  return cwd;
}

const packageOf = (scripts: Record<string, string>, ...needs: string[]) =>
  JSON.stringify(
    { scripts, dependencies: Object.fromEntries(needs.map((name) => [name, "^1.0.0"])) },
    null,
    2,
  );

interface Expected {
  /** The name of each sender, with its path and the variable of its secret. */
  senders: [name: string, path: string, secret: string][];
  port?: number;
  start: string;
  /** The state setting; undefined if the project has no database. */
  state?: string;
  databaseEnv?: string[];
  /** The commands that CI runs before the test. */
  prepare: string[];
}

const CASES: [string, Record<string, string>, Expected][] = [
  [
    "an Express server with Stripe on Postgres",
    {
      "package.json": packageOf(
        { start: "node src/server.js", "db:seed": "node seed.js" },
        ...["express", "stripe", "pg"],
      ),
      "src/server.js": `import express from "express";
const { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET } = process.env;
const pool = new pg.Pool({ connectionString: process.env.SHOP_DATABASE_URL });
app.get("/health", health);
app.post("/hooks/stripe", express.raw({ type: "*/*" }), async (request, response) => {
  const event = stripe.webhooks.constructEvent(request.body, request.get("stripe-signature"), STRIPE_WEBHOOK_SECRET);
});
app.post("/checkout", checkout);
app.listen(process.env.PORT ?? 4242);`,
      ".env.example": "SHOP_DATABASE_URL=postgres://shop@localhost:5432/shop\n",
      "schema.sql": "",
      // A separate project in a subfolder.
      "bot/package.json": "{}",
      "bot/bot.js": 'app.post("/github", (request) => verify(request.headers["x-hub-signature-256"]));',
    },
    {
      senders: [["stripe", "/hooks/stripe", "STRIPE_WEBHOOK_SECRET"]],
      port: 4242,
      start: "node src/server.js",
      state: "postgres://shop@localhost:5432/shop",
      databaseEnv: ["SHOP_DATABASE_URL"],
      prepare: [
        "test -f .env || cp .env.example .env",
        "npm ci",
        "psql postgres://postgres:postgres@127.0.0.1:5432/postgres -f schema.sql",
        "npm run db:seed",
      ],
    },
  ],
  [
    "a Next app with Stripe and Prisma",
    {
      "package.json": packageOf(
        { dev: "next dev", build: "next build", start: "next start -p 3005" },
        "next",
        "stripe",
      ),
      "tsconfig.json": "{}",
      "pnpm-lock.yaml": "",
      "app/(shop)/api/webhooks/stripe/route.ts": `export async function POST(request: Request) {
  const event = stripe.webhooks.constructEvent(await request.text(), request.headers.get("stripe-signature")!, env.STRIPE_HOOK_SECRET);
}`,
      "prisma/schema.prisma": `generator client { provider = "prisma-client-js" }
datasource db {
  provider = "postgresql"
  url      = env("POSTGRES_PRISMA_URL")
}`,
      "prisma/migrations/migration_lock.toml": "",
    },
    {
      senders: [["stripe", "/api/webhooks/stripe", "STRIPE_HOOK_SECRET"]],
      port: 3005,
      start: "pnpm run start",
      state: "postgres://localhost:5432/postgres",
      databaseEnv: ["POSTGRES_PRISMA_URL"],
      prepare: [
        "corepack enable",
        "pnpm install --frozen-lockfile",
        "npx prisma generate && npx prisma migrate deploy",
        "pnpm build",
      ],
    },
  ],
  [
    "a Hono service for GitHub whose route is mounted in another file",
    {
      "package.json": packageOf({ start: "node --env-file=.env src/index.ts" }, "hono", "@octokit/webhooks"),
      "src/index.ts": `import { github } from "./routes/github.ts";
app.route("/integrations", github);
serve({ fetch: app.fetch, port: 8787 });`,
      "src/routes/github.ts": `const webhooks = new Webhooks({ secret: process.env.GH_HOOK_SECRET! });
export const github = new Hono().post("/github", async (context) => {
  await webhooks.verifyAndReceive({ id: context.req.header("x-github-delivery")! });
});`,
      "src/database.ts": `export const database = new Database(process.env.REVIEWS_FILE ?? "reviews.db");`,
    },
    {
      senders: [["github", "/integrations/github", "GH_HOOK_SECRET"]],
      port: 8787,
      start: "node --env-file=.env src/index.ts",
      state: "sqlite:reviews.db",
      databaseEnv: ["REVIEWS_FILE"],
      prepare: ["npm ci"],
    },
  ],
  [
    "a Fastify server with Svix and Drizzle whose handler is a function in another file",
    {
      "package.json": packageOf({ dev: "tsx src/server.ts" }, "fastify", "svix", "drizzle-orm", "postgres"),
      "src/server.ts": `app.post("/login", login);
app.post("/webhooks/incoming", onWebhook);
await app.listen({ port: Number(process.env.PORT) || 3333 });`,
      "src/on-webhook.ts": `import { Webhook } from "svix";
export const onWebhook = (request) => new Webhook(process.env.SVIX_SIGNING_SECRET).verify(request.rawBody, request.headers);`,
      "drizzle.config.ts": `export default { dialect: "postgresql", dbCredentials: { url: process.env.DATABASE_URL! } };`,
    },
    {
      senders: [["svix", "/webhooks/incoming", "SVIX_SIGNING_SECRET"]],
      port: 3333,
      start: "npm run dev",
      state: "postgres://localhost:5432/postgres",
      prepare: ["npm ci", "npx drizzle-kit push"],
    },
  ],
  [
    "a server with two senders and the package of a third that only sends mail",
    {
      "package.json": packageOf(
        { start: "node server.js" },
        "express",
        "stripe",
        "@octokit/webhooks",
        "resend",
      ),
      "server.js": `app.post("/webhooks/stripe", (request, response) => {
  stripe.webhooks.constructEvent(request.body, request.headers["stripe-signature"], process.env.STRIPE_WEBHOOK_SECRET);
});
app.post("/webhooks/github", async (request, response) => {
  if (!(await webhooks.verify(request.body, request.headers["x-hub-signature-256"]))) return response.sendStatus(401);
});
const webhooks = new Webhooks({ secret: process.env.GITHUB_WEBHOOK_SECRET });
const database = new DatabaseSync(process.env.DB_FILE || "./data/app.sqlite");
app.listen(3000);`,
    },
    {
      senders: [
        ["stripe", "/webhooks/stripe", "STRIPE_WEBHOOK_SECRET"],
        ["github", "/webhooks/github", "GITHUB_WEBHOOK_SECRET"],
      ],
      start: "node server.js",
      state: "sqlite:data/app.sqlite",
      databaseEnv: ["DB_FILE"],
      prepare: ["npm ci"],
    },
  ],
  [
    "a Flask app with Stripe and psycopg",
    {
      "requirements.txt": "flask==3.1\nstripe==12.0\npsycopg[binary]==3.2\n",
      "shop/app.py": `app = Flask(__name__)
database = psycopg.connect(os.environ["DATABASE_URL"])

@app.route("/stripe/webhook", methods=["POST"])
def webhook():
    event = stripe.Webhook.construct_event(request.data, request.headers["Stripe-Signature"], os.getenv("STRIPE_ENDPOINT_SECRET"))
`,
    },
    {
      senders: [["stripe", "/stripe/webhook", "STRIPE_ENDPOINT_SECRET"]],
      port: 5000,
      start: 'flask --app shop/app.py run --port "$PORT"',
      state: "postgres://localhost:5432/postgres",
      prepare: ["pip install -r requirements.txt", "npm install --no-save sandglass"],
    },
  ],
  [
    "a Rails app with Stripe",
    {
      Gemfile: `gem "rails"\ngem "pg"\ngem "stripe"\n`,
      "config/application.rb": "class Application < Rails::Application; end",
      "config/routes.rb": `post "webhooks/stripe", to: "webhooks#stripe"`,
      "app/controllers/webhooks_controller.rb": `event = Stripe::Webhook.construct_event(request.body.read, request.env["HTTP_STRIPE_SIGNATURE"], ENV.fetch("STRIPE_WEBHOOK_SECRET"))`,
      "bin/rails": "",
    },
    {
      senders: [["stripe", "/webhooks/stripe", "STRIPE_WEBHOOK_SECRET"]],
      start: 'bin/rails server -p "$PORT"',
      state: "postgres://localhost:5432/postgres",
      prepare: ["bundle install", "bin/rails db:prepare", "npm install --no-save sandglass"],
    },
  ],
  [
    "a Go service for GitHub",
    {
      "go.mod":
        "module example.com/reviews\n\nrequire (\n\tgithub.com/google/go-github/v68 v68.0.0\n\tgithub.com/mattn/go-sqlite3 v1.14.0\n)\n",
      "cmd/server/main.go": `func main() {
	db, _ := sql.Open("sqlite3", os.Getenv("DB_PATH"))
	http.HandleFunc("/hooks/github", func(w http.ResponseWriter, r *http.Request) {
		payload, err := github.ValidatePayload(r, []byte(os.Getenv("GITHUB_SECRET")))
	})
	http.ListenAndServe(":9000", nil)
}`,
    },
    {
      senders: [["github", "/hooks/github", "GITHUB_SECRET"]],
      port: 9000,
      start: "go build -o bin/server ./cmd/server && exec bin/server",
      state: "sqlite:app.db",
      databaseEnv: ["DB_PATH"],
      prepare: ["go mod download", "npm install --no-save sandglass"],
    },
  ],
  [
    "a PHP script with Stripe",
    {
      "composer.json": `{ "require": { "stripe/stripe-php": "^16.0" } }`,
      "public/webhook.php": `<?php
$event = \\Stripe\\Webhook::constructEvent(file_get_contents("php://input"), $_SERVER["HTTP_STRIPE_SIGNATURE"], getenv("STRIPE_WEBHOOK_SECRET"));
$database = new PDO("sqlite:" . (getenv("SHOP_DB_FILE") ?: "shop.sqlite"));`,
    },
    {
      senders: [["stripe", "/webhook.php", "STRIPE_WEBHOOK_SECRET"]],
      port: 8000,
      start: 'PHP_CLI_SERVER_WORKERS=4 php -S 127.0.0.1:"$PORT" -t ./public',
      state: "sqlite:shop.sqlite",
      databaseEnv: ["SHOP_DB_FILE"],
      prepare: ["composer install", "npm install --no-save sandglass"],
    },
  ],
  [
    "a PHP script with a sender that the project describes, next to another script",
    {
      "composer.json": "{}",
      "senders/billing.yaml": "name: billing\nsignature: { algorithm: none }\n",
      "migrate.php": `<?php\n$database = new PDO("sqlite:" . (getenv("DB_PATH") ?: __DIR__ . "/billing.sqlite"));`,
      "public/hook.php": `<?php\nhash_hmac("sha256", $body, getenv("BILLING_WEBHOOK_SECRET"));`,
    },
    {
      senders: [["./senders/billing.yaml", "/hook.php", "BILLING_WEBHOOK_SECRET"]],
      port: 8000,
      start: 'PHP_CLI_SERVER_WORKERS=4 php -S 127.0.0.1:"$PORT" -t ./public',
      state: "sqlite:billing.sqlite",
      databaseEnv: ["DB_PATH"],
      prepare: ["composer install", "npm install --no-save sandglass"],
    },
  ],
  [
    "a Flask app with an unknown sender",
    {
      "requirements.txt": "flask\n",
      "app.py": `app = Flask(__name__)\n@app.post("/hook")\ndef hook(): ...\n`,
    },
    {
      senders: [["", "/hook", "WEBHOOK_SECRET"]],
      port: 5000,
      start: 'flask --app app.py run --port "$PORT"',
      prepare: ["pip install -r requirements.txt", "npm install --no-save sandglass"],
    },
  ],
];

const WORKFLOW = ".github/workflows/webhooks.yml";

test.each(CASES)(
  "init finds the handler and sets up its test for %s",
  async (_what, files, { senders, port = 3000, start, state, prepare, ...expected }) => {
    const cwd = projectOf({ ".git/HEAD": "", ...files });
    const before = readdirSync(cwd);
    const { code, stdout, stderr } = await runCli(["init"], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const isNode = "package.json" in files;
    const config = `sandbox.config.${isNode ? "ts" : "mjs"}`;
    expect(
      readdirSync(cwd)
        .filter((name) => !before.includes(name))
        .sort(),
    ).toEqual([".github", ".gitignore", config].sort());
    const text = readFileSync(join(cwd, config), "utf8");
    expect(text.trimEnd().split("\n").length, text).toBeLessThanOrEqual(20);
    for (const [index, [name, path, secret]] of senders.entries()) {
      // A module is evaluated only once, so use a new file name each time.
      const file = `${index}-${config}`;
      writeFileSync(join(cwd, file), text);
      vi.stubEnv("SENDER", index > 0 ? name : undefined);
      const loaded = await loadConfig(join(cwd, file));
      vi.unstubAllEnvs();
      const { subject } = resolveConfig(loaded.config, 0, loaded.file);
      expect(subject).toMatchObject({
        ...{ ...(name && { sender: name }), secret, start, ...(state && { state }) },
        ...{ url: `http://127.0.0.1:${port}${path}`, databaseEnv: [], ...expected },
      });
      expect(stdout).toContain(`http://127.0.0.1:${port}${path} `);
    }
    const { webhooks } = parse(readFileSync(join(cwd, WORKFLOW), "utf8")).jobs;
    expect(webhooks.services !== undefined).toBe(state?.startsWith("postgres") === true);
    const commands = webhooks.steps.flatMap(({ run }: { run?: string }) => run ?? []);
    expect(commands.slice(0, prepare.length)).toEqual(prepare);
    expect(commands.slice(prepare.length).map((one: string) => one.replace("pnpm exec", "npx"))).toEqual(
      senders.map(([name], index) => `${index > 0 ? `SENDER=${name} ` : ""}npx sandglass test`),
    );
    expect(readFileSync(join(cwd, ".gitignore"), "utf8")).toBe(
      "sandglass-failed/\nsandglass/findings/report.html\n",
    );
    expect(stdout).toMatch(/Next:\n(?: {2}.*\n)* {2}npx sandglass test\n$/);
    expect(stdout.includes("init --sender acme")).toBe(senders[0]![0] === "");

    const again = await runCli(["init"], { cwd });
    expect(again.stdout).not.toMatch(/^(?:wrote|added)/m);
    expect(readFileSync(join(cwd, config), "utf8")).toBe(text);
  },
);

test.skipIf(process.platform !== "linux")(
  "init prompts for the server, address, command and database on a terminal, and never prompts with --yes",
  async () => {
    const [, files] = CASES[0]!;
    const asks = async (answers: string[], ...args: string[]) => {
      const cwd = projectOf(files);
      const command = [process.execPath, BUILT_CLI, "init", ...args].join(" ");
      const terminal = spawn("script", ["-qefc", command, "/dev/null"], { cwd, env: environment({ cwd }) });
      const questions: string[] = [];
      let printed = "";
      for await (const text of terminal.stdout.setEncoding("utf8")) {
        printed += text;
        const asked = /(\? |\?) ?\[([^\]]+)\] $/.exec(stripVTControlCharacters(printed));
        if (!asked) continue;
        questions.push(asked[2]!);
        printed = "";
        terminal.stdin.write(answers[questions.length - 1]!);
      }
      const config = join(cwd, "sandbox.config.ts");
      return { questions, printed, config: existsSync(config) ? readFileSync(config, "utf8") : "" };
    };
    const [asked, silent, stopped] = await Promise.all([
      asks(["n\n", "http://127.0.0.1:8080/stripe\n", "\n", "sqlite:shop.db\n"]),
      asks([], "--yes", "--no-start"),
      asks(["\u0003"]),
    ]);
    expect([stopped.config, stripVTControlCharacters(stopped.printed).trim()]).toEqual(["", ""]);
    expect(asked.questions).toEqual([
      "Y/n",
      "http://127.0.0.1:4242/hooks/stripe",
      "node src/server.js",
      "$SHOP_DATABASE_URL",
    ]);
    expect(asked.config).toContain('url: "http://127.0.0.1:8080/stripe", // as answered');
    expect(asked.config).toContain('start: "node src/server.js", // a guess: package.json');
    expect(asked.config).toContain('state: "sqlite:shop.db", // as answered');
    expect(silent.questions).toEqual([]);
    // No escape sequence of a colour is shown as text.
    expect(silent.printed).not.toContain("·");
    expect(silent.config).toContain('url: "http://127.0.0.1:4242/hooks/stripe", // a guess: src/server.js:5');
  },
);

test("init configures a Supabase project with its URL variable as the gate and the database of supabase start", async () => {
  const cwd = projectOf({
    "package.json": packageOf({ dev: "next dev" }, "next", "stripe", "@supabase/supabase-js"),
    "app/api/webhook/route.ts": `import { createClient } from "@supabase/supabase-js";
const supabase = createClient(process.env.NEXT_PUBLIC_SUPABASE_URL!, process.env.SUPABASE_SERVICE_ROLE_KEY!);
export async function POST(request: Request) {
  stripe.webhooks.constructEvent(await request.text(), request.headers.get("stripe-signature"), process.env.STRIPE_WEBHOOK_SECRET!);
}`,
  });
  const { stdout } = await runCli(["init", "--no-start", "--yes"], { cwd });
  expect(stdout).toContain("npm install --save-dev sandglass");
  const { config } = await loadConfig(join(cwd, "sandbox.config.ts"));
  expect(config.subject).toMatchObject({
    state: "postgres://postgres:postgres@127.0.0.1:54322/postgres",
    inPlace: true,
    gate: ["NEXT_PUBLIC_SUPABASE_URL"],
  });
});

test.each([
  ["after a script that creates the tables", { "migration:run": "typeorm migration:run" }, true],
  ["not without a script that creates the tables", {}, false],
])("the CI job that init writes seeds its database %s", async (_when, scripts, seeds) => {
  const cwd = projectOf({
    "package.json": packageOf(
      { start: "node server.js", seed: "node seed.js", ...scripts },
      "stripe",
      "mysql2",
    ),
    "server.js": `const pool = mysql.createPool(process.env.DATABASE_URL ?? "mysql://shop@127.0.0.1/shop");
app.post("/hooks", (request) => stripe.webhooks.constructEvent(a, b, process.env.STRIPE_SECRET));`,
  });
  await runCli(["init", "--no-start", "--yes"], { cwd });
  const job = readFileSync(join(cwd, ".github/workflows/webhooks.yml"), "utf8");
  const filled = /- run: npm run migration:run\n\s+- run: npm run seed\n\s+- run: npx sandglass test/;
  const empty =
    /npm ci\n\s+# The job's database is empty: create its tables here\.\n\s+- run: npx sandglass test/;
  expect(job).toMatch(seeds ? filled : empty);
});
