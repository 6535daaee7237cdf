import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { listenAt } from "../../src/runtime/listen.ts";
import { ACCEPTS, ALL, initStarted, npm, runs, type Sample, storesIn, stripe } from "./init-started.ts";

const EVENTS = "create table events (id text primary key)";
const NODE_HTTP = `import { createServer } from "node:http";
import { accepts, read } from "./accepts.js";
`;
const of = (server: string, more: Record<string, string> = {}): Record<string, string> => ({
  "package.json": npm("stripe", { start: "node server.js" }),
  "accepts.js": ACCEPTS,
  "server.js": server,
  ...more,
});
const verified = 'accepts(body, request.headers["stripe-signature"], process.env.STRIPE_WEBHOOK_SECRET)';
const NODE = { start: "node server.js", database: "none found" };
const KNOWN = ["sender", "address", "secret", "start"];

const PYTHON_ACCEPTS = `import hashlib, hmac, os, re
def accepts(body, header):
    match = re.match(r"t=(\\d+),v1=(\\w+)", header or "")
    if not match:
        return False
    secret = os.environ.get("STRIPE_WEBHOOK_SECRET", "").encode()
    return hmac.compare_digest(hmac.new(secret, match[1].encode() + b"." + body, hashlib.sha256).hexdigest(), match[2])
`;

const SAMPLES: Sample[] = [
  (port, other) => ({
    name: "an app that starts listening 3 s after its admin port",
    files:
      of(`${NODE_HTTP}createServer((request, response) => response.writeHead(404).end()).listen(${other}, "127.0.0.1");
setTimeout(() => createServer(async (request, response) => {
  if (request.url !== "/stripe") return response.writeHead(404).end();
  const body = await read(request);
  response.writeHead(${verified} ? 200 : 400).end();
}).listen(${port}, "127.0.0.1"), 3_000);`),
    senders: [stripe(port, "/stripe")],
    ...NODE,
    seen: KNOWN,
  }),
  (port) => ({
    name: "an app whose database is not the one in .env.example",
    files: of(
      `${NODE_HTTP}${storesIn('["sh", "op.db"].join("")')}createServer(async (request, response) => {
  if (request.url !== "/stripe") return response.writeHead(404).end();
  const body = await read(request);
  if (!${verified}) return response.writeHead(400).end();
  store(body);
  response.end();
}).listen(${port}, "127.0.0.1");`,
      { ".env.example": "DATABASE_URL=file:./dev.db\nSTRIPE_WEBHOOK_SECRET=\n" },
    ),
    databases: { "dev.db": EVENTS, "shop.db": EVENTS },
    senders: [stripe(port, "/stripe")],
    start: NODE.start,
    database: "sqlite:shop.db",
    seen: KNOWN,
  }),
  (port) => ({
    name: "an app that exits immediately because a variable is missing",
    files: of(`${NODE_HTTP}if (!process.env.SHOP_LICENCE) throw new Error("SHOP_LICENCE is not set");
createServer(async (request, response) => response.writeHead(${verified.replace("body", "await read(request)")} ? 200 : 400).end()).listen(${port});`),
    senders: [stripe(port, "/webhook")],
    ...NODE,
    seen: [],
    printed: /Not confirmed\. The server exited with code 1[\s\S]*SHOP_LICENCE is not set/,
  }),
  (port) => ({
    name: "an app whose port is used by another program",
    files: of(`${NODE_HTTP}createServer(async (request, response) => {
  if (request.url !== "/stripe") return response.writeHead(404).end();
  const body = await read(request);
  response.writeHead(${verified} ? 200 : 400).end();
}).listen(${port}, "127.0.0.1");`),
    async beside() {
      const stranger = createServer((socket) => socket.end());
      await listenAt(stranger, { port, host: "127.0.0.1" });
      return () => void stranger.close();
    },
    senders: [stripe(port, "/stripe")],
    ...NODE,
    seen: [],
    printed: /Not confirmed\. Something is already listening on port/,
  }),
  (port) => ({
    name: "a Fastify app with plugins for GitHub's and Stripe's webhooks, each with its own validator",
    files: {
      "package.json": npm("fastify stripe", { start: "node index.js" }),
      "accepts.js": ACCEPTS,
      "index.js": `import { createHmac } from "node:crypto";
import fastify from "fastify";
import { accepts } from "./accepts.js";
const app = fastify();
app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => done(null, body));
async function github(scope) {
  scope.post("/webhook", async (request, reply) => {
    const expected = "sha256=" + createHmac("sha256", process.env.GITHUB_HOOK_SECRET ?? "").update(request.body).digest("hex");
    if (request.headers["x-hub-signature-256"] !== expected) return reply.code(401).send("no");
    return "ok";
  });
}
async function stripe(scope) {
  scope.post("/webhook", async (request, reply) => {
    if (!accepts(request.body, request.headers["stripe-signature"], process.env.STRIPE_SIGNING_SECRET)) return reply.code(400).send("no");
    return "ok";
  });
}
app.register(github, { prefix: "/github" });
app.register(stripe, { prefix: "/stripe" });
await app.listen({ port: ${port}, host: "127.0.0.1" });`,
    },
    senders: [
      stripe(port, "/stripe/webhook", "STRIPE_SIGNING_SECRET"),
      { sender: "github", address: `http://127.0.0.1:${port}/github/webhook`, secret: "GITHUB_HOOK_SECRET" },
    ],
    start: "node index.js",
    database: "none found",
    seen: KNOWN,
  }),
  (port) => ({
    name: "a Stripe route that its sources do not show, next to another webhook that rejects everything",
    files: of(
      `${NODE_HTTP}import { readFileSync } from "node:fs";
const hidden = readFileSync("path.txt", "utf8");
createServer(async (request, response) => {
  const body = await read(request);
  if (request.url === "/hooks/mail") return response.writeHead(401).end("no");
  if (request.url !== hidden) return response.writeHead(404).end();
  response.writeHead(${verified} ? 200 : 400).end();
}).listen(${port}, "127.0.0.1");`,
      { "path.txt": "/in/here", "mail.js": 'app.post("/hooks/mail", (req, res) => res.sendStatus(401));' },
    ),
    senders: [stripe(port, "/in/here")],
    ...NODE,
    seen: [],
  }),
  (port) => ({
    name: "an app that returns 401 with the request's id for everything without a token",
    files: of(
      `${NODE_HTTP}let count = 0;
createServer((request, response) => {
  count += 1;
  response.writeHead(401).end(JSON.stringify({ error: "unauthorized", request: "req_" + count }));
}).listen(${port}, "127.0.0.1");`,
      {
        "routes.js":
          'app.post("/stripe/webhook", (req, res) => take(req.headers["stripe-signature"], process.env.STRIPE_WEBHOOK_SECRET));',
      },
    ),
    senders: [stripe(port, "/elsewhere")],
    ...NODE,
    seen: [],
  }),
  (port) => ({
    name: "an app that rejects its first requests and does not verify signatures",
    files: of(
      `${NODE_HTTP}let count = 0;
createServer(async (request, response) => {
  if (request.url !== "/stripe") return response.writeHead(404).end();
  await read(request);
  count += 1;
  response.writeHead(count > 1 ? 200 : 503).end();
}).listen(${port}, "127.0.0.1");
export const verifies = (body, request) => ${verified};`,
    ),
    senders: [stripe(port, "/stripe", "NO_VARIABLE")],
    ...NODE,
    seen: ["address", "start"],
  }),
  (port) => ({
    name: "an app that returns 429 from its fifth request on",
    files: of(
      `${NODE_HTTP}let count = 0;
createServer(async (request, response) => {
  if (request.url !== "/stripe") return response.writeHead(404).end();
  const body = await read(request);
  count += 1;
  if (count > 2) return response.writeHead(429).end();
  response.writeHead(accepts(body, request.headers["stripe-signature"], secretOf()) ? 200 : 400).end();
}).listen(${port}, "127.0.0.1");
const secretOf = () => process.env[["STRIPE", "THIRD", "SECRET"].join("_")];`,
      { ".env.example": "STRIPE_WEBHOOK_SECRET=\nSTRIPE_OTHER_WEBHOOK_SECRET=\n" },
    ),
    senders: [stripe(port, "/stripe", "STRIPE_THIRD_SECRET")],
    ...NODE,
    seen: ["address", "start"],
  }),
  (port) => ({
    name: "two routes that both return 500 for a wrong signature, with the other webhook's route first",
    files: {
      "package.json": npm("express stripe", { start: "node index.js" }),
      "accepts.js": ACCEPTS,
      "index.js": `import express from "express";
import { accepts } from "./accepts.js";
const app = express();
app.use(express.text({ type: "*/*" }));
app.post("/webhooks/stripe/mail", (req, res) => { throw new Error("bad signature"); });
app.post("/payments/events", (req, res) => {
  if (!accepts(req.body, req.get("stripe-signature"), process.env.STRIPE_WEBHOOK_SECRET)) throw new Error("bad signature");
  res.send("ok");
});
app.use((error, req, res, next) => res.status(500).send("sorry"));
app.listen(${port}, "127.0.0.1");`,
    },
    senders: [stripe(port, "/payments/events")],
    start: "node index.js",
    database: "none found",
    seen: KNOWN,
  }),
  (port) => ({
    name: "a project with MongoDB whose two webhooks reject each other's signatures",
    files: {
      "package.json": npm("express stripe mongoose", { start: "node index.js" }),
      "accepts.js": ACCEPTS,
      "db.js":
        'import mongoose from "mongoose";\nexport const connect = () => mongoose.connect(process.env.MONGODB_URI);',
      "index.js": `import express from "express";
import { accepts } from "./accepts.js";
const app = express();
app.use(express.text({ type: "*/*" }));
app.post("/webhooks/stripe-mail", (req, res) => res.sendStatus(401));
app.post("/payments/events", (req, res) => {
  if (!accepts(req.body, req.get("stripe-signature"), process.env.STRIPE_WEBHOOK_SECRET)) return res.sendStatus(400);
  res.send("ok");
});
app.listen(${port}, "127.0.0.1");`,
    },
    senders: [stripe(port, "/payments/events")],
    start: "node index.js",
    database: "MongoDB",
    seen: [],
  }),
  (port, other) => ({
    name: "a script that starts only the site, next to a server with its own script",
    files: {
      "package.json": npm("stripe", { dev: "node site.js", api: "node server.js" }),
      "accepts.js": ACCEPTS,
      "site.js": `import { createServer } from "node:http";
createServer((request, response) => response.writeHead(request.method === "GET" ? 200 : 404).end("<html>")).listen(${port}, "127.0.0.1");`,
      "server.js": `${NODE_HTTP}createServer(async (request, response) => {
  if (request.url !== "/stripe") return response.writeHead(404).end();
  const body = await read(request);
  response.writeHead(${verified} ? 200 : 400).end();
}).listen(${other}, "127.0.0.1");`,
    },
    senders: [stripe(other, "/stripe")],
    start: "node server.js",
    database: "none found",
    seen: [],
  }),
  (port) => ({
    name: "a Python http.server with a hard-coded SQLite path",
    needs: ["python3", "--version"],
    files: {
      "requirements.txt": "stripe\n",
      "signature.py": PYTHON_ACCEPTS,
      "main.py": `import json, sqlite3
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from signature import accepts
class Hooks(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path != "/stripe/webhook":
            return self.answer(404)
        if not accepts(body, self.headers.get("stripe-signature")):
            return self.answer(400)
        with sqlite3.connect("shop.db") as database:
            database.execute("insert or ignore into events values (?)", [json.loads(body)["id"]])
        self.answer(200)
    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()
if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", ${port}), Hooks).serve_forever()
`,
    },
    databases: { "shop.db": EVENTS },
    senders: [stripe(port, "/stripe/webhook")],
    start: "python3 main.py",
    database: "sqlite:shop.db",
    // The routes are strings that the code compares, which cannot be recognized as routes by reading the sources.
    seen: [],
  }),
  (port) => ({
    name: "a Flask app with a blueprint and a SQLite file next to its code",
    needs: ["python3", "-c", "import flask"],
    files: {
      "requirements.txt": "flask\nstripe\n",
      "signature.py": PYTHON_ACCEPTS,
      "app.py": `import os, sqlite3
from flask import Blueprint, Flask, request
from signature import accepts
FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shop.db")
hooks = Blueprint("hooks", __name__, url_prefix="/api/hooks")
@hooks.route("/stripe", methods=["POST"])
def take():
    if not accepts(request.get_data(), request.headers.get("Stripe-Signature")):
        return "bad signature", 400
    with sqlite3.connect(FILE) as database:
        database.execute("insert or ignore into events values (?)", [request.get_json()["id"]])
    return "ok"
app = Flask(__name__)
app.register_blueprint(hooks)
if __name__ == "__main__":
    app.run(port=${port})
`,
    },
    databases: { "shop.db": EVENTS },
    senders: [stripe(port, "/api/hooks/stripe")],
    start: 'flask --app app.py run --port "$PORT"',
    database: "sqlite:shop.db",
    seen: ALL,
  }),
  (port) => ({
    name: "a plain PHP app with PDO and a SQLite file above its public folder",
    needs: ["php", "-r", 'exit(extension_loaded("pdo_sqlite") ? 0 : 1);'],
    files: {
      "composer.json": '{"require": {"stripe/stripe-php": "^17"}}',
      "public/webhook.php": `<?php
$body = file_get_contents("php://input");
preg_match('/t=(\\d+),v1=(\\w+)/', $_SERVER["HTTP_STRIPE_SIGNATURE"] ?? "", $parts);
$expected = hash_hmac("sha256", ($parts[1] ?? "") . "." . $body, getenv("STRIPE_WEBHOOK_SECRET"));
if (!hash_equals($expected, $parts[2] ?? "")) { http_response_code(400); exit("bad signature"); }
$database = new PDO("sqlite:" . __DIR__ . "/../shop.db");
$database->prepare("insert or ignore into events values (?)")->execute([json_decode($body)->id]);
echo "ok";
`,
    },
    databases: { "shop.db": EVENTS },
    flags: ["--port", String(port)],
    senders: [stripe(port, "/webhook.php")],
    start: 'PHP_CLI_SERVER_WORKERS=4 php -S 127.0.0.1:"$PORT" -t ./public',
    database: "sqlite:shop.db",
    seen: ALL,
  }),
];

describe.skipIf(process.platform !== "linux")("init --yes", () => {
  for (const sample of SAMPLES) {
    const { name, needs } = sample(1, 2);
    test(`init --yes marks only correct facts as seen for ${name}`, async ({ skip }) => {
      if (needs && !runs(needs)) return skip(`no ${needs[0]} here that runs ${needs.slice(1).join(" ")}`);
      expect(await initStarted(sample)).toEqual({ wrong: [], missed: [] });
    });
  }
});
