import { readdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { folderOf } from "../support/cli.ts";
import { ROOT } from "../support/docs.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { runWarmCli as runCli } from "../support/warm-cli.ts";

/**
 * A shop that stores its data in the given SQLite file or, without one, in memory. Its handler is the body of `handle`.
 */
export const shop = (handle: string) => `
const { createServer } = process.getBuiltinModule("node:http");
import { createRequire } from "node:module";
const require = createRequire(${JSON.stringify(`${ROOT}package.json`)});
const address = process.env.DATABASE_URL;
const db = address && new (require("better-sqlite3"))(address.replace("file:", ""));
if (db) db.exec("create table if not exists handled (key text primary key); create table if not exists paid (order_id text)");
const seen = new Set();
const orders = {};
const pay = (order) => db.prepare("insert into paid values (?)").run(order);
async function handle(key, order, { data, timestamp }, sentAt) {${handle}}
createServer(async (request, response) => {
  if (request.url === "/state") return response.end(JSON.stringify(orders));
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const message = JSON.parse(Buffer.concat(chunks));
  const { event, data } = message;
  const delivery = request.headers["x-github-delivery"];
  try {
    if (delivery) await handle(delivery, request.headers["x-github-event"], {});
    if (event === "payment.completed" && !request.headers["x-platform-test"])
      await handle(event + data.id, data.checkoutSession.clientReferenceId, message, request.headers["x-platform-timestamp"]);
  } catch {
    response.statusCode = 500;
  }
  response.end();
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

export const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    onTestFinished(() => void socket.destroy());
  });

/** Checks a shop that the command starts. */
export async function checkShop(handle: string, state = "inbox:mails") {
  const cwd = folderOf({ "shop.mjs": shop(handle) });
  const url = `http://127.0.0.1:${await portOfItsOwn()}/webhooks`;
  const only = ["--only", "duplicate,unicode", "--secret", "whsec_test"];
  const ended = await runCli(["check", url, "--start", "node shop.mjs", "--state", state, ...only], { cwd });
  return { ...ended, files: readdirSync(cwd) };
}

/** Using only one event keeps an exploration short. */
export const ONE_EVENT = ["--sender", "github", "--events", "push", "--story", "github"];

/** Explores a shop that the command starts. */
export async function exploreShop(handle: string, ...options: string[]) {
  const cwd = folderOf();
  return { ...(await exploreIn(cwd, handle, ...options)), cwd };
}

export async function exploreIn(cwd: string, handle: string, ...options: string[]) {
  writeFileSync(join(cwd, "shop.mjs"), shop(handle));
  const port = await portOfItsOwn();
  const url = `http://127.0.0.1:${port}`;
  const state = options.includes("--state") ? [] : ["--state", "sqlite:shop.db"];
  const story = options.includes("--story") ? [] : ["--story", "checkout"];
  const ended = await runCli(
    [
      ...["explore", `${url}/webhooks`, "--start", "node shop.mjs", "--secret", "whsec_test"],
      ...["--deviations", "1", ...story, ...state],
      ...options.map((option) => option.replace("STATE", `${url}/state`)),
    ],
    { cwd },
  );
  expect(await isOpen(port)).toBe(false);
  return { ...ended, text: ended.stdout.replaceAll(/\s+/g, " ") };
}
