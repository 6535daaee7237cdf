import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect } from "vitest";
import { folderOf, runCli } from "../support/cli.ts";
import { ROOT } from "../support/docs.ts";
import { portOfItsOwn } from "../support/ports.ts";

/**
 * Projects whose servers can actually be started. Their source files are misleading on purpose, and each project comes
 * with the correct facts.
 */

interface Facts {
  sender: string;
  address: string;
  secret: string;
}

export interface Started {
  name: string;
  /** A program that the server needs, with arguments for a test run, which must succeed. */
  needs?: readonly [program: string, ...args: string[]];
  files: Record<string, string>;
  /** Databases to create, each with the SQL for its tables. */
  databases?: Record<string, string>;
  senders: readonly Facts[];
  start: string;
  database: string;
  /** The facts that starting the server must confirm, for the first sender. */
  seen: readonly string[];
  printed?: RegExp;
  flags?: readonly string[];
  /** Starts a helper that must run at the same time, and returns a function that stops it. */
  beside?: () => Promise<() => void>;
}

export type Sample = (port: number, other: number) => Started;

/** What init prints for a project without a database. */
const NONE = "none found";
export const ALL = ["sender", "address", "secret", "start", "database"] as const;

/**
 * Builds a package.json.
 * @param needs names of packages
 */
export const npm = (needs: string, scripts: Record<string, string> = {}): string =>
  JSON.stringify({
    type: "module",
    scripts,
    dependencies: Object.fromEntries(
      needs
        .split(" ")
        .filter(Boolean)
        .map((one) => [one, "^1.0.0"]),
    ),
  });

/** Code that verifies Stripe's signature without Stripe's package. */
export const ACCEPTS = `import { createHmac } from "node:crypto";
export function accepts(body, header, secret) {
  const [, t, v1] = /t=(\\d+),v1=(\\w+)/.exec(header ?? "") ?? [];
  return createHmac("sha256", secret ?? "").update(t + "." + body).digest("hex") === v1;
}
export async function read(request) {
  let body = "";
  for await (const chunk of request) body += chunk;
  return body;
}
`;

export const stripe = (port: number, path: string, secret = "STRIPE_WEBHOOK_SECRET"): Facts => ({
  ...{ sender: "stripe", address: `http://127.0.0.1:${port}${path}`, secret },
});

const EVENTS = "create table events (id text primary key)";
/** Code that stores an event in a file whose path the code chooses itself. */
export const storesIn = (file: string): string =>
  `import { DatabaseSync } from "node:sqlite";
const database = new DatabaseSync(${file});
const store = (body) => database.prepare("insert or ignore into events values (?)").run(JSON.parse(body).id);
`;

const HOOK = (path: string, secret: string, then = "store(body);") => `
  if (request.url === "${path}") {
    const body = await read(request);
    if (!accepts(body, request.headers["stripe-signature"], process.env.${secret})) return response.writeHead(400).end("bad signature");
    ${then}
    return response.end("ok");
  }`;

export const QUICK: Sample[] = [
  (port) => ({
    name: "a node:http server with a hard-coded SQLite path",
    files: {
      "package.json": npm("stripe", { start: "node server.js" }),
      "accepts.js": ACCEPTS,
      "server.js": `import { createServer } from "node:http";
import { accepts, read } from "./accepts.js";
${storesIn('"shop.db"')}createServer(async (request, response) => {${HOOK("/stripe", "STRIPE_WEBHOOK_SECRET")}
  response.writeHead(404).end();
}).listen(${port}, "127.0.0.1");`,
    },
    databases: { "shop.db": EVENTS },
    senders: [stripe(port, "/stripe")],
    start: "node server.js",
    database: "sqlite:shop.db",
    seen: ALL,
  }),
  (port, other) => ({
    name: "an Express app with two ports whose code names the admin port first",
    files: {
      "package.json": npm("express stripe", { start: "node index.js" }),
      "accepts.js": ACCEPTS,
      "index.js": `import express from "express";
import { readFileSync } from "node:fs";
import { accepts } from "./accepts.js";
const admin = express();
admin.get("/health", (req, res) => res.send("up"));
admin.listen(${other}, "127.0.0.1");
const router = express.Router();
router.post("/webhook", express.text({ type: "*/*" }), (req, res) => {
  if (!accepts(req.body, req.get("stripe-signature"), process.env.STRIPE_WEBHOOK_SECRET)) return res.sendStatus(400);
  res.send("ok");
});
const app = express().use("/billing", router);
app.listen(Number(readFileSync("port.txt", "utf8")), "127.0.0.1");`,
      "port.txt": String(port),
    },
    senders: [stripe(port, "/billing/webhook")],
    start: "node index.js",
    database: NONE,
    seen: ["sender", "address", "secret", "start"],
  }),
  (port) => ({
    name: "a server that returns 200 and the path for everything, and whose prefix is set in another file",
    files: {
      "package.json": npm("stripe", { start: "node server.js" }),
      "accepts.js": ACCEPTS,
      "prefix.txt": "/v9",
      "server.js": `import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { accepts, read } from "./accepts.js";
const hook = readFileSync("prefix.txt", "utf8") + "/stripe/webhook";
createServer(async (request, response) => {
  if (request.url !== hook) return response.end("Nothing is served at " + request.url);
  const body = await read(request);
  response.writeHead(accepts(body, request.headers["stripe-signature"], process.env.STRIPE_WEBHOOK_SECRET) ? 200 : 400).end();
}).listen(process.env.PORT ?? ${port}, "127.0.0.1");`,
      "old/routes.js": `export const routes = (app) => app.post("/stripe/webhook", (req, res) => take(req.headers["stripe-signature"]));`,
    },
    senders: [stripe(port, "/v9/stripe/webhook")],
    start: "node server.js",
    database: NONE,
    seen: [],
  }),
  (port) => ({
    name: "a server with three secrets, of which the one with the usual name belongs to another webhook",
    files: {
      "package.json": npm("stripe", { start: "node server.js" }),
      "accepts.js": ACCEPTS,
      ".env.example": "STRIPE_WEBHOOK_SECRET=\nSTRIPE_CONNECT_WEBHOOK_SECRET=\nSTRIPE_THIN_WEBHOOK_SECRET=\n",
      "server.js": `import { createServer } from "node:http";
import { accepts, read } from "./accepts.js";
const secrets = { account: process.env.STRIPE_WEBHOOK_SECRET, connect: process.env.STRIPE_CONNECT_WEBHOOK_SECRET, thin: process.env.STRIPE_THIN_WEBHOOK_SECRET };
const kind = ["con", "nect"].join("");
createServer(async (request, response) => {
  if (request.url !== "/webhooks/stripe") return response.writeHead(404).end();
  const body = await read(request);
  response.writeHead(accepts(body, request.headers["stripe-signature"], secrets[kind]) ? 200 : 400).end();
}).listen(${port}, "127.0.0.1");`,
    },
    senders: [stripe(port, "/webhooks/stripe", "STRIPE_CONNECT_WEBHOOK_SECRET")],
    start: "node server.js",
    database: NONE,
    seen: ["sender", "address", "secret", "start"],
  }),
];

/** Whether a program is installed and can be run. */
export const runs = ([program, ...args]: readonly [string, ...string[]]): boolean =>
  spawnSync(program, args).status === 0;

const LINE = /^ {2}(sender|address|secret|start|database) +(\S.*?) {2,}(\S.*)$/gm;

/**
 * Runs `init --yes` on a project, and compares its output with the correct facts.
 * @returns the values that it marks as seen although they are wrong, and those that it failed to confirm
 */
export async function initStarted(sample: Sample): Promise<{ wrong: string[]; missed: string[] }> {
  const made = sample(await portOfItsOwn(), await portOfItsOwn());
  const cwd = folderOf(made.files);
  mkdirSync(join(cwd, "node_modules"));
  for (const name of ["express", "fastify", "stripe"])
    symlinkSync(join(ROOT, "node_modules", name), join(cwd, "node_modules", name));
  for (const [name, sql] of Object.entries(made.databases ?? {})) {
    const database = new DatabaseSync(join(cwd, name));
    database.exec(sql);
    database.close();
  }
  const bytes = () => Object.keys(made.databases ?? {}).map((name) => readFileSync(join(cwd, name), "hex"));
  const before = bytes();
  const end = await made.beside?.();
  const { code, stdout, stderr } = await runCli(["init", "--yes", ...(made.flags ?? [])], {
    cwd,
  }).finally(end);
  expect(code, stderr).toBe(0);
  expect(bytes(), "the databases are unchanged").toEqual(before);
  if (made.printed) expect(stdout + stderr).toMatch(made.printed);
  const [, started = ""] = stdout.split("With your server started:");
  const wrong: string[] = [];
  const seen: string[] = [];
  let at = -1;
  for (const [line, name = "", value, mark = ""] of started.matchAll(LINE)) {
    if (name === "sender") at += 1;
    const right: Record<string, string> = { ...made.senders[at], start: made.start, database: made.database };
    if (!mark.startsWith("seen: ")) continue;
    if (value !== right[name]) wrong.push(`${made.name}:${line.trimEnd()}, not ${right[name]}`);
    else if (at === 0 || name === "start" || name === "database") seen.push(name);
  }
  const missed = made.seen.filter((name) => !seen.includes(name));
  return { wrong, missed: missed.map((name) => `${made.name}: ${name}\n${stdout}${stderr}`) };
}
