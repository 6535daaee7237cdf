import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import type { Survey } from "../../src/explore/exploration.ts";
import { joinSurveys } from "../../src/explore/findings.ts";
import { surveyVerdict } from "../../src/explore/report/verdict.ts";
import { expectMisuse, folderOf, runBuiltCli, runCli } from "../support/cli.ts";
import { ROOT } from "../support/docs.ts";
import { portOfItsOwn } from "../support/ports.ts";

/** A shop with the SQLite file that DB names. A correct one handles each event once. */
const shop = (isCorrect: boolean) => `
import { createServer } from "node:http";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(`${ROOT}package.json`)})("better-sqlite3");
const db = new Database(process.env.DB);
db.exec("create table if not exists handled (key text ${isCorrect ? "primary key" : ""})");
db.exec("insert into handled select 'kept' where not exists (select 1 from handled)");
const handle = db.prepare("insert or ignore into handled values (?)");
createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { event, data } = JSON.parse(Buffer.concat(chunks));
  const work = () => handle.run(event + data.id);
  if (!request.headers["x-platform-test"]) process.argv[3] ? setTimeout(work, process.argv[3]) : work();
  response.writeHead(process.argv[2] === "2" ? 500 : 200).end();
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

async function exploreShop(isCorrect: boolean, workers: string, start = "node shop.mjs") {
  const cwd = folderOf({ "shop.mjs": shop(isCorrect) });
  const port = await portOfItsOwn();
  const ended = await runBuiltCli(
    [
      ...["explore", `127.0.0.1:${port}/webhooks`, "--secret", "whsec_test", "--workers", workers, "--json"],
      ...["--start", `DB=shop-{worker}.db ${start}`, "--state", "sqlite:shop-{worker}.db"],
      ...["--story", "checkout", "--deviations", "1"],
    ],
    { cwd },
  );
  return { ...ended, cwd, port, result: ended.stdout === "" ? undefined : JSON.parse(ended.stdout) };
}

/** The rows of a worker's database. */
function rowsOf(cwd: string, worker: number): unknown[] {
  const db = new Database(join(cwd, `shop-${worker}.db`), { readonly: true });
  try {
    return db.prepare("select key from handled").pluck().all();
  } finally {
    db.close();
  }
}

describe("sandglass explore --workers", { timeout: 60_000 }, () => {
  it("tries each schedule with one of several servers, and puts the tables of each back", async () => {
    const { code, stderr, cwd, result } = await exploreShop(true, "3");
    expect([code, stderr]).toEqual([0, ""]);
    expect(result.verdict).toBe("nothing_found");
    expect(result.stories[0].levels).toMatchObject([{ schedules: 24, tried: 24 }]);
    for (const worker of [1, 2, 3]) expect(rowsOf(cwd, worker)).toEqual(["kept"]);

    // What one part could not play stays open, even if another one could.
    const [story] = result.stories;
    const part = (index: number, ...names: string[]): Survey => ({
      explorations: names.map((name) => ({ ...story, story: { ...story.story, name }, shard: `${index}/2` })),
      unplayed: ["checkout", "rush"].flatMap((name) =>
        names.includes(name) ? [] : { name, title: name, reason: "It answered 500.", failed: true },
      ),
      wallMs: 0,
    });
    const merge = (...surveys: Survey[]) => surveyVerdict(joinSurveys(surveys));
    expect(merge(part(1, "checkout", "rush"), part(2, "checkout", "rush"))).toBe("nothing_found");
    expect(merge(part(1, "checkout", "rush"), part(2, "checkout"))).toBe("inconclusive");
  });

  it("has one result, about the server at the address that was named", async () => {
    const { code, port, result } = await exploreShop(false, "2");
    expect(code).toBe(1);
    expect(result.findings).toHaveLength(1);
    expect(result.finding.run.schedule).toHaveLength(1);
    expect(result.stories[0]).toMatchObject({
      subscriber: `http://127.0.0.1:${port}/webhooks`,
      stateUrl: "sqlite:shop-1.db",
      stopped: null,
    });
  });

  it("are recommended for one server that works on for long after its answers", async () => {
    const late = await exploreShop(false, "1", "node shop.mjs 1 150");
    expect(late.code).toBe(1);
    expect(late.stderr).toContain("with --start, --workers 8 tries eight at once");
  });

  it("fails as the first worker does that fails", async () => {
    const { code, stdout, stderr } = await exploreShop(true, "2", "node shop.mjs {worker}");
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toMatch(
      /^sandglass: The subscriber does not accept .* when everything goes well: it answered 500\./,
    );
  });

  it("refuses workers that would share a server, a state or their part of the schedules", async () => {
    const explore = (...options: string[]) =>
      runCli(["explore", "127.0.0.1:9/webhooks", "--secret", "whsec_test", ...options]);
    const start = ["--start", "node shop.mjs"];
    const own = ["--state", "sqlite:shop-{worker}.db"];
    expectMisuse(await explore(...own, "--workers", "2"), /--workers needs --start/);
    for (const count of ["0", "33", "two"])
      expectMisuse(await explore(...own, ...start, "--workers", count), /a whole number from 1 to 32/);
    expectMisuse(
      await explore(...start, "--workers", "2", "--state", "sqlite:shop.db"),
      /--state 'sqlite:shop\.db' would be the same for all workers/,
    );
    expectMisuse(
      await explore(...own, ...start, "--workers", "2", "--reset", "npm run reset"),
      /--reset 'npm run reset' would be the same/,
    );
    expectMisuse(
      await explore(...own, ...start, "--workers", "2", "--shard", "1/2"),
      /--workers and --shard both divide the schedules/,
    );
  });
});
