import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { findSenders } from "../../src/cli/init/senders.ts";
import { folderOf, runCli } from "../support/cli.ts";
import { type Expected, NODE, npm } from "./init-projects.ts";
import { FILES } from "./init-projects-files.ts";
import { GO, PHP_PROJECTS, RUBY } from "./init-projects-other.ts";
import { PYTHON } from "./init-projects-python.ts";

const SAMPLES = [...NODE, ...FILES, ...PYTHON, ...RUBY, ...PHP_PROJECTS, ...GO];
const LINE = /^ {2}(sender|address|secret|start|database) +(\S.*?) {2,}(\S.*)$/gm;

/** Returns what init reads from a project, and the names of the facts that it marks as guesses. */
async function read(
  files: Record<string, string>,
): Promise<{ found: Expected; guessed: string[]; printed: string }> {
  const cwd = folderOf();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  const { code, stdout, stderr } = await runCli(["init", "--no-start", "--dry-run"], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const lines = [...stdout.matchAll(LINE)].map(([, name, value, mark]) => ({
    name,
    value: value!,
    mark: mark!,
  }));
  const shown = (wanted: string) => lines.find(({ name }) => name === wanted)?.value ?? "";
  const [sender, secret, start, database] = ["sender", "secret", "start", "database"].map(shown) as [
    string,
    string,
    string,
    string,
  ];
  const address = URL.parse(shown("address"));
  return {
    found: { sender, path: address?.pathname ?? "", port: address?.port ?? "", secret, start, database },
    guessed: lines.flatMap(({ name, mark }) => (mark.startsWith("a guess") ? [name!] : [])),
    printed: stdout,
  };
}

test("init finds at least four of five facts in the sources of 40 projects, and marks each one as a guess", async ({
  annotate,
}) => {
  const wrong: string[] = [];
  let count = 0;
  for (const [name, expected, files] of SAMPLES) {
    const { found, guessed } = await read(files);
    expect(guessed, name).toEqual(["sender", "address", "secret", "start", "database"]);
    for (const fact of Object.keys(expected) as (keyof Expected)[]) {
      count += 1;
      if (found[fact] !== expected[fact])
        wrong.push(`${name}: ${fact} ${found[fact]}, not ${expected[fact]}`);
    }
  }
  await annotate(`${count - wrong.length} of ${count} facts about ${SAMPLES.length} projects are right`);
  expect(SAMPLES.length).toBeGreaterThanOrEqual(40);
  expect(1 - wrong.length / count, wrong.join("\n")).toBeGreaterThanOrEqual(0.8);
});

/** Pieces of code that may confuse a reader without a real parser. */
const PIECES = [
  ...[
    'app.post("/$&(", ',
    "router.use(require('./[id]/(x'))",
    "app.use(`/api, ",
    "@Post(",
    "#[Route(",
    "r.Group(",
    '/["`]/',
  ],
  ...[
    "def f(:",
    "namespace :x do",
    "path('', include('(a.b'))",
    "stripe-signature",
    "constructEvent(",
    "process.env.A$",
    "\\",
  ],
  ...[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "'",
    '"',
    "`",
    "\n",
    "  ",
    "=>",
    "export default ",
    "import * as $ from './b'",
    "?? 80",
  ],
];
const PATHS = [
  "index.ts",
  "src/routes/+server.ts",
  "app/routes/(x)/[[...a]].$b.tsx",
  "b.py",
  "config/routes.rb",
  "m.go",
  "public/x.php",
  ".env",
];

test("init reads any project without an internal error", async () => {
  const files = fc.dictionary(
    fc.constantFrom(...PATHS),
    fc.array(fc.constantFrom(...PIECES), { maxLength: 25 }).map((all) => all.join("")),
  );
  const needs = fc.subarray(["next", "@sveltejs/kit", "@remix-run/node", "nuxt", "stripe"]);
  await fc.assert(
    fc.asyncProperty(files, needs, async (sources, packages) => {
      await read({ ...sources, "package.json": npm(packages.join(" ") || "express") });
    }),
    { numRuns: 25 },
  );
});

test("init skips broken files, folders named like files, symlink loops and huge files", async () => {
  const cwd = folderOf();
  const [, , files] = NODE[0]!;
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  writeFileSync(join(cwd, "package.json"), "{ broken");
  writeFileSync(join(cwd, "senders"), "no folder");
  for (const folder of [".env", "requirements.txt", "schema.prisma"]) mkdirSync(join(cwd, folder));
  symlinkSync(".", join(cwd, "src/self"));
  symlinkSync("nowhere", join(cwd, "src/lost.js"));
  writeFileSync(
    join(cwd, "src/binary.php"),
    Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 37) % 256)),
  );
  writeFileSync(join(cwd, "src/bundle.js"), 'app.post("/a",b);'.repeat(400_000));
  for (const text of ["[]", "null", '{"scripts":null,"dependencies":5,"packageManager":[]}']) {
    mkdirSync(join(cwd, `packages/${text.length}`), { recursive: true });
    writeFileSync(join(cwd, `packages/${text.length}/package.json`), text);
  }
  const { code, stdout, stderr } = await runCli(["init", "--no-start", "--dry-run"], { cwd });
  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Skipped: package\.json, which is not JSON\./),
  });
  expect(stdout).toContain("/api/v1/checkout/webhook");
});

test.each([
  [
    "JavaScript",
    "server.js",
    "stripe.webhooks.constructEvent(body, sig, secret); const { userId: user, plan } = session.metadata ?? {};",
    ["userId", "plan"],
  ],
  [
    "TypeScript",
    "server.ts",
    'stripe.webhooks.constructEvent(body, sig, secret); await pay(session.metadata!.orderId, session.metadata?.["team_id"]);',
    ["orderId", "team_id"],
  ],
  [
    "Python",
    "app.py",
    'stripe.Webhook.construct_event(a, b, c)\norder = session["metadata"].get("order_id")\nBase.metadata.create_all(engine)',
    ["order_id"],
  ],
  [
    "Python with defaults",
    "app.py",
    "stripe.Webhook.construct_event(a, b, c)\norder = session.get('metadata', {}).get('order_id')\nteam = session.get('metadata')['team_id']",
    ["order_id", "team_id"],
  ],
  [
    "PHP",
    "public/hook.php",
    "<?php \\Stripe\\Webhook::constructEvent($a, $b, $c); $id = $session->metadata->user_id; $plan = $session->metadata['plan'];",
    ["user_id", "plan"],
  ],
  [
    "Ruby",
    "app.rb",
    "Stripe::Webhook.construct_event(a, b, c)\nOrder.find(session.metadata[:order_id])\nevent.dig(:data, :object, :metadata, :team_id)",
    ["order_id", "team_id"],
  ],
  ["Go", "main.go", 'webhook.ConstructEvent(a, b, c)\nid := session.Metadata["account_id"]', ["account_id"]],
])("init lists the metadata that a handler in %s reads", async (_language, path, text, names) => {
  const manifest = { py: "requirements.txt", rb: "Gemfile", go: "go.mod", php: "composer.json" }[
    path.split(".").at(-1)!
  ];
  const files = {
    ...(manifest ? { [manifest]: "stripe" } : { "package.json": npm("stripe") }),
    [path]: text,
  };
  const { printed } = await read(files);
  const known = [...printed.matchAll(/^ {2}known +metadata\.(\w+), your own value/gm)].map(
    ([, name]) => name,
  );
  expect(known.toSorted()).toEqual(names.toSorted());
});

test.each([
  [
    "Go",
    "go.mod",
    "main.go",
    'pool := connect(env("DATABASE_URL", "postgres://shop@localhost/shop"), webhook.ConstructEvent(a, b, c))',
  ],
  [
    "Python",
    "requirements.txt",
    "app.py",
    'create_engine(os.environ.get("DATABASE_URL", "postgresql+psycopg2://shop@localhost/shop"), stripe.Webhook.construct_event(a, b, c))',
  ],
  [
    "PHP",
    "composer.json",
    "index.php",
    "<?php $db = new PDO(getenv('DATABASE_URL') ?: 'pgsql:host=localhost;dbname=shop'); Stripe\\Webhook::constructEvent($a, $b, $c);",
  ],
])(
  "init uses the database address that code in %s falls back to, and says in the CI job that its database is empty",
  async (_language, manifest, path, text) => {
    const cwd = folderOf();
    writeFileSync(join(cwd, manifest), "stripe");
    writeFileSync(join(cwd, path), text);
    await runCli(["init", "--no-start", "--yes"], { cwd });
    const config = readFileSync(join(cwd, "sandbox.config.mjs"), "utf8");
    expect(config).toMatch(
      /state: process\.env\.DATABASE_URL \?\? "(?:postgres(?:ql\+psycopg2)?:\/\/shop@localhost\/shop|pgsql:host=localhost;dbname=shop)"/,
    );
    expect(readFileSync(join(cwd, ".github/workflows/webhooks.yml"), "utf8")).toContain(
      "      # The job's database is empty: create its tables here.\n      - run: npx sandglass test\n",
    );
  },
);

test.each([
  [
    "PHP's DSN",
    'DB_DSN="mysql:host=127.0.0.1;dbname=shop"\nDB_USER=shop\nDB_PASS=\n',
    "getenv('DB_DSN'), getenv('DB_USER'), getenv('DB_PASS')",
    ["DB_DSN", "DB_USER", "DB_PASS"],
    { DB_DSN: "mysql:host=127.0.0.1;dbname=app;port=3306", DB_USER: "root", DB_PASS: "mysql" },
    "mysql -h 127.0.0.1 -u root -pmysql app < schema.sql",
  ],
  [
    "SQLAlchemy",
    "DATABASE_URL=postgresql+asyncpg://shop:secret@db.local/shop?ssl=require\n",
    "getenv('DATABASE_URL')",
    undefined,
    { DATABASE_URL: "postgresql+asyncpg://postgres:postgres@127.0.0.1:5432/postgres" },
    "psql postgres://postgres:postgres@127.0.0.1:5432/postgres -f schema.sql",
  ],
  [
    "parts",
    "DB_CONNECTION=pgsql\nDB_HOST=db.local\nDB_DATABASE=shop\nDB_USERNAME=shop\nDB_PASSWORD=\n",
    "getenv('DB_HOST'), getenv('DB_DATABASE'), getenv('DB_USERNAME'), getenv('DB_PASSWORD')",
    ["DB_HOST", "DB_USERNAME", "DB_PASSWORD", "DB_DATABASE"],
    { DB_HOST: "127.0.0.1", DB_DATABASE: "postgres", DB_USERNAME: "postgres", DB_PASSWORD: "postgres" },
    "psql postgres://postgres:postgres@127.0.0.1:5432/postgres -f schema.sql",
  ],
])(
  "init keeps the database address in the format of %s, in the configuration and in the CI job",
  async (_whose, example, read, databaseEnv, env, command) => {
    const cwd = folderOf();
    writeFileSync(join(cwd, "composer.json"), "{}");
    writeFileSync(join(cwd, "schema.sql"), "");
    writeFileSync(join(cwd, ".env.example"), example);
    writeFileSync(
      join(cwd, "index.php"),
      `<?php $db = new PDO(${read}); Stripe\\Webhook::constructEvent($a, $b, $c);`,
    );
    await runCli(["init", "--no-start", "--yes"], { cwd });
    const config = readFileSync(join(cwd, "sandbox.config.mjs"), "utf8");
    expect(/databaseEnv: (.*),/.exec(config)?.[1]).toEqual(
      databaseEnv && `[${databaseEnv.map((name) => JSON.stringify(name)).join(", ")}]`,
    );
    const { jobs } = parse(readFileSync(join(cwd, ".github/workflows/webhooks.yml"), "utf8"));
    expect(jobs.webhooks.env).toEqual(env);
    expect(jobs.webhooks.steps).toContainEqual({ run: command });
  },
);

test.each([
  ["node", { start: "NODE_ENV=test node src/server.ts" }, "NODE_ENV=test node src/server.ts"],
  ["another program", { start: "tsx src/server.ts" }, "npm run start"],
  ["several programs", { start: "tsc && node src/server.ts" }, "npm run start"],
  ["node with a hook", { start: "node src/server.ts", prestart: "tsc" }, "npm run start"],
])("init starts a script that runs %s in a way that has the same effect", async (_what, scripts, start) => {
  const cwd = folderOf({
    "package.json": npm("express stripe", scripts),
    "src/server.ts": `app.post("/hooks", (request) => stripe.webhooks.constructEvent(a, b, process.env.STRIPE_SECRET));`,
  });
  await runCli(["init", "--no-start", "--yes"], { cwd });
  expect(readFileSync(join(cwd, "sandbox.config.ts"), "utf8")).toContain(`start: "${start}"`);
});

test("init names a configuration that it has kept although it found other values", async () => {
  const cwd = folderOf();
  writeFileSync(join(cwd, "composer.json"), "{}");
  writeFileSync(join(cwd, "index.php"), "<?php Stripe\\Webhook::constructEvent($a, $b, $c);");
  const init = async () => (await runCli(["init", "--no-start", "--yes"], { cwd })).stdout;
  expect(await init()).toMatch(/^wrote +sandbox\.config\.mjs /m);
  expect(await init()).not.toContain("was not changed");
  writeFileSync(join(cwd, "sandbox.config.mjs"), "export default {};");
  expect(await init()).toContain(
    "sandbox.config.mjs was not changed. To write what was found now, delete it and run init again.",
  );
});

test.each([
  ["lemonsqueezy", "const secret = process.env.LEMONSQUEEZY_WEBHOOK_SECRET;"],
  ["razorpay", "Razorpay.validateWebhookSignature(body, signature, secret);"],
  ["razorpay", "client.utility.verify_webhook_signature(body, signature, secret)"],
  ["clerk", 'import { Webhook } from "svix";\nimport type { WebhookEvent } from "@clerk/nextjs/server";'],
  ["paystack", 'if (req.headers["x-paystack-signature"] !== hash) return;'],
  ["gitlab", "request.META.get('HTTP_X_GITLAB_TOKEN')"],
  ["revenuecat", "if (header !== process.env.REVENUECAT_WEBHOOK_AUTH) return;"],
  ["discord", 'import { verifyKey } from "discord-interactions";'],
  ["twilio", "from twilio.request_validator import RequestValidator"],
  ["workos", "await workos.webhooks.constructEvent({ payload, sigHeader, secret });"],
  ["supabase", "Deno.env.get('SUPABASE_WEBHOOK_SECRET')"],
  ["mollie", "const mollie = createMollieClient({ apiKey });"],
  ["plaid", "await client.webhookVerificationKeyGet({ key_id });"],
  ["mailgun", 'const key = process.env.MAILGUN_WEBHOOK_SIGNING_KEY; body["event-data"]'],
  ["adyen", "new hmacValidator().validateHMAC(item, key);"],
])("init recognizes a handler for %s by the code that verifies signatures", (name, text) => {
  const found = findSenders([{ path: "src/hook.ts", text, bare: text }], [], () => []);
  expect(found.map((one) => one.name.value)).toEqual([name]);
});

test("init recognizes a GitHub handler in a file that imports github.models", () => {
  const text =
    'from integrations.github.models import Repository\nsignature = request.headers.get("X-Hub-Signature")';
  const [found] = findSenders([{ path: "github/views.py", text, bare: text }], [], () => []);
  expect(found?.name.value).toBe("github");
});

test("init finds a route that passes its secret to a workspace package, and ignores a publishable key", async () => {
  const { found } = await read({
    "package.json": npm("stripe express"),
    "libraries/billing/src/stripe.service.ts":
      "const key = process.env.STRIPE_PUBLISHABLE_KEY;\nexport class StripeService {\n  check(body, header, secret) {\n    return stripe.webhooks.constructEvent(body, header, secret);\n  }\n}",
    "apps/api/src/stripe.controller.ts":
      'import { StripeService } from "@acme/billing/stripe.service";\n@Controller("/stripe")\nexport class StripeController {\n  @Post("/")\n  take(@Req() req) {\n    return this.service.check(req.rawBody, req.headers["stripe-signature"], process.env.STRIPE_SIGNING_KEY);\n  }\n}',
  });
  expect([found.path, found.secret]).toEqual(["/stripe", "STRIPE_SIGNING_KEY"]);
});

test("init does not infer a sender from a project's own function that is named like a verifier", () => {
  const text =
    "const verifyWebhookSignature = (req) => check(req); if (!verifyWebhookSignature(req)) refuse();";
  expect(findSenders([{ path: "src/hook.ts", text, bare: text }], [], () => [])).toEqual([]);
});
