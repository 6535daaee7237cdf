import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resolveConfig } from "../../config/config.ts";
import { nextFree } from "../../runtime/free-port.ts";
import { inPackage } from "../../runtime/package.ts";
import { shellArgument } from "../../runtime/shell.ts";
import { exploreStories } from "../../trial/schedules/explore.ts";
import type { DemoShop, DemoVersion } from "../../trial/stories/demo.ts";
import { findStories } from "../../trial/stories/stories.ts";
import { wallNow } from "../../world/clock.ts";
import { MINUTE, SECOND } from "../../world/duration.ts";
import { loadSqlite } from "../../world/sqlite.ts";
import { openSubject } from "../trial/open-subject.ts";

const SERVER = inPackage("fixtures/demo/sqlite-shop.mjs");
const LINES: Record<DemoVersion, string> = {
  faulty: "handle(message);",
  fixed: "db.transaction(handle)(message);",
};
const TABLES = `
  create table handled (event text primary key);
  create table orders (id text primary key, paid integer not null);`;
const FIRST_PORT = 3000;

/** The demo's second shop: a server with a database, which is killed between SQL statements. */
export async function openDemoServer(version: DemoVersion): Promise<DemoShop> {
  const line = LINES[version];
  const code = readFileSync(SERVER, "utf8").replace(LINES.faulty, line);

  async function exploreIn(folder: string, signal: AbortSignal) {
    const [program, database] = [join(folder, "server.mjs"), join(folder, "shop.db")];
    writeFileSync(
      program,
      code.replace('"better-sqlite3"', JSON.stringify(import.meta.resolve("better-sqlite3"))),
    );
    const db = new (loadSqlite())(database);
    db.exec(TABLES).close();
    const settings = resolveConfig({}, wallNow());
    const secret = "whsec_demo";
    const start = `${shellArgument(process.execPath)} ${shellArgument(program)}`;
    const url = `http://127.0.0.1:${await nextFree(FIRST_PORT, "127.0.0.1")}/webhooks`;
    const subject = await openSubject(
      {
        ...{ ...settings.subject, settings, url, start, secret, file: undefined, atNow: false },
        ...{ secretFrom: "the demo", secretVariables: [], startAt: settings.startAt, budget: MINUTE },
        state: `sqlite:${database}`,
      },
      30 * SECOND,
    );
    try {
      const { serve } = await import("../../server/serve.ts");
      return await exploreStories({
        stories: await findStories("checkout", settings, folder),
        ...{ subject, settings, signal, secret, serve, seed: "demo", ignore: [], deviations: 1 },
        ...{ budget: MINUTE, timeout: 30 * SECOND },
      });
    } finally {
      await subject.close();
    }
  }

  return {
    ...{ file: SERVER, code, line, expected: version === "faulty" ? "found" : "nothing_found" },
    about: "A server that stores its orders in SQLite and has a bug between two statements",
    fix: "run both statements in one transaction",
    async explore(signal) {
      const folder = mkdtempSync(join(tmpdir(), "sandglass-demo-"));
      try {
        return await exploreIn(folder, signal);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}
