import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { joinSurveys } from "../../src/trial/findings/findings.ts";
import { surveyVerdict } from "../../src/trial/findings/verdict.ts";
import type { Survey } from "../../src/trial/schedules/exploration.ts";
import { configured, expectMisuse, folderOf, runCli } from "../support/cli.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { runWarmCli } from "../support/warm-cli.ts";
import { exploreShop, shop } from "./workers.ts";

describe("sandglass explore with several workers", () => {
  it("workers share the schedules, each with its own server and copy of the database", async () => {
    const { code, stderr, rows, result } = await exploreShop(true, 3);
    expect([code, stderr]).toEqual([0, ""]);
    expect(result.verdict).toBe("nothing_found");
    expect(result.stories[0].levels).toMatchObject([{ schedules: 32, tried: 32 }]);
    expect(rows).toEqual(["before"]);

    // A story that one shard could not run counts as not run, even if another shard could run it.
    const [story] = result.stories;
    const part = (index: number, ...names: string[]): Survey => ({
      explorations: names.map((name) => ({ ...story, story: { ...story.story, name }, shard: `${index}/2` })),
      unplayed: ["checkout", "rush"].flatMap((name) =>
        names.includes(name) ? [] : { name, title: name, reason: "It returned 500.", failed: true },
      ),
      wallMs: 0,
    });
    const merge = (...surveys: Survey[]) => surveyVerdict(joinSurveys(surveys));
    expect(merge(part(1, "checkout", "rush"), part(2, "checkout", "rush"))).toBe("nothing_found");
    expect(merge(part(1, "checkout", "rush"), part(2, "checkout"))).toBe("inconclusive");
  });

  it("explore fails with the error of the first worker that fails", async () => {
    const { code, stdout, stderr } = await exploreShop(true, 2, "node shop.mjs {worker}");
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toMatch(/^sandglass: Your server returned 500 to /);
  });

  it("explore rejects workers that would share a server or a state", async () => {
    const two = ["--secret", "whsec_test", ...configured({ workers: 2 })];
    const explore = (...options: string[]) => runCli(["explore", "127.0.0.1:9/webhooks", ...two, ...options]);
    const start = ["--start", "node shop.mjs"];
    const own = ["--state", "sqlite:shop.db"];
    expectMisuse(await explore(...own), /subject\.workers needs subject\.start/);
    expectMisuse(
      await explore(...start, "--state", "cat state.json"),
      /The state 'cat state\.json' would be the same for all workers/,
    );
    expectMisuse(
      await explore(...own, ...start, "--reset", "npm run reset"),
      /The reset 'npm run reset' would be the same/,
    );
  });
});

describe("sandglass explore --shard with --start", () => {
  it("explore --shard starts its server on the next port if another shard is using its own", async () => {
    const cwd = folderOf({ "shop.mjs": shop(true) });
    const db = new Database(join(cwd, "shop.db"));
    onTestFinished(() => void db.close());
    db.exec("create table handled (key text)");
    mkdirSync(join(cwd, "parts"));
    const port = await portOfItsOwn();
    const explorePart = (part: string) =>
      runWarmCli(
        [
          ...["explore", `127.0.0.1:${port}/webhooks`, "--secret", "whsec_test", "--start", "node shop.mjs"],
          ...["--state", "sqlite:shop.db", ...configured({ databaseEnv: ["DB_FILE"], apiPort: port + 1 })],
          ...["--story", "checkout", "--deviations", "1", "--shard", part, "--json"],
        ],
        { cwd },
      );
    const first = await explorePart("1/2");
    const other = createServer((_request, response) => response.writeHead(500).end()).listen(
      port,
      "127.0.0.1",
    );
    onTestFinished(() => void other.close());
    const second = await explorePart("2/2");
    expect([first.code, second.code]).toEqual([0, 0]);
    for (const [at, { stdout }] of [first, second].entries())
      writeFileSync(join(cwd, `parts/${at}.json`), stdout);
    const merged = await runCli(["explore", "--merge", "parts"], { cwd });
    expect([merged.code, merged.stderr]).toEqual([0, ""]);
  });
});
