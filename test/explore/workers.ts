import { join } from "node:path";
import Database from "better-sqlite3";
import { onTestFinished } from "vitest";
import { configured, folderOf } from "../support/cli.ts";
import { ROOT } from "../support/docs.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { runWarmCli } from "../support/warm-cli.ts";

/** A shop that uses the SQLite file in DB_FILE. If correct, it handles each event only once. */
export const shop = (isCorrect: boolean) => `
const { createServer } = process.getBuiltinModule("node:http");
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(`${ROOT}package.json`)})("better-sqlite3");
const db = new Database(process.env.DB_FILE);
${isCorrect ? 'db.exec("create unique index if not exists once on handled (key)");' : ""}
const handle = db.prepare("insert or ignore into handled values (?)");
createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { event, data } = JSON.parse(Buffer.concat(chunks));
  const work = () => handle.run(event + data.id);
  let status = process.argv[2] === "2" ? 500 : 200;
  try {
    if (!request.headers["x-platform-test"]) process.argv[3] ? setTimeout(work, process.argv[3]) : work();
  } catch {
    status = 503;
  }
  response.writeHead(status).end();
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

export async function exploreShop(
  isCorrect: boolean,
  workers: number | undefined,
  command: string | ((port: number) => string) = "node shop.mjs",
  ...more: string[]
) {
  const cwd = folderOf({ "shop.mjs": shop(isCorrect) });
  const db = new Database(join(cwd, "shop.db"));
  onTestFinished(() => void db.close());
  db.exec("create table handled (key text); insert into handled values ('before')");
  const port = await portOfItsOwn();
  const start = typeof command === "string" ? command : command(port);
  const ended = await runWarmCli(
    [
      ...["explore", `127.0.0.1:${port}/webhooks`, "--secret", "whsec_test", ...more, "--json"],
      ...[
        "--start",
        start,
        "--state",
        "sqlite:shop.db",
        ...configured({ databaseEnv: ["DB_FILE"], workers }),
      ],
      ...["--story", "checkout", "--deviations", "1"],
    ],
    { cwd },
  );
  const rows = db.prepare("select key from handled").pluck().all();
  return { ...ended, cwd, rows, port, result: ended.stdout === "" ? undefined : JSON.parse(ended.stdout) };
}
