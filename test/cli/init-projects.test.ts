import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { findSenders } from "../../src/cli/init/senders.ts";
import { folderOf, runCli } from "../support/cli.ts";
import { type Expected, NODE, npm } from "./init-projects.ts";
import { FILES } from "./init-projects-files.ts";
import { GO, PHP_PROJECTS, RUBY } from "./init-projects-other.ts";
import { PYTHON } from "./init-projects-python.ts";

const SAMPLES = [...NODE, ...FILES, ...PYTHON, ...RUBY, ...PHP_PROJECTS, ...GO];
const LINE = /^ {2}(sender|address|secret|start|database) +(\S.*?) {2,}(\S.*)$/gm;

/** What init reads of a project, and the names of the facts that it marks as guesses. */
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

test("finds at least four of five facts about 40 projects from their sources, and marks each one that it has not seen as a guess", async () => {
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
  expect(SAMPLES.length).toBe(40);
  expect(1 - wrong.length / count, wrong.join("\n")).toBeGreaterThanOrEqual(0.8);
});

/** Pieces of code that a reader without a parser may stumble over. */
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

test("init reads any project without an error of its own", async () => {
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

test.each([
  ["lemonsqueezy", "const secret = process.env.LEMONSQUEEZY_WEBHOOK_SECRET;"],
  ["razorpay", "Razorpay.validateWebhookSignature(body, signature, secret);"],
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
])("recognizes a handler of %s by the code that verifies", (name, text) => {
  const found = findSenders([{ path: "src/hook.ts", text, bare: text }], [], () => []);
  expect(found.map((one) => one.name.value)).toEqual([name]);
});
