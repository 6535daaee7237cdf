import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { readJunit } from "../reports/read-junit.ts";
import { expectMisuse, folderOf, runCli } from "../support/cli.ts";
import { ROOT } from "../support/docs.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { runWarmCli } from "../support/warm-cli.ts";
import { correctShop } from "./handlers.ts";
import { allBut, project } from "./test-command.ts";

describe("sandglass test", () => {
  it("sandglass test prints the worst result first, saves it, and replays it first in the next run", async () => {
    const { cwd, test } = await project();
    const first = await test("--junit", "all.xml");
    expect(first.code).toBe(1);
    expect(first.stderr).toMatch(
      /^About to replay the saved findings, check \d+ hazards, with up to 30 s for each response, and explore late-payment with 1 deviation\.$/m,
    );
    expect(first.stdout).toMatch(
      /^A paid order ends up cancelled\.\n\nCheck\n[\s\S]*\n\nExplore\nStory late-payment[\s\S]*\nSaved as sandglass\/findings\/paid-order-cancelled\.yaml\./,
    );
    const report = readFileSync(join(cwd, "sandglass/findings/report.html"), "utf8");
    expect(report).toContain("<h1><bdi>A paid order ends up cancelled</bdi></h1>");
    expect(report).toContain("What was checked");
    expect(report).not.toContain("<script");
    const suites = (await readJunit(readFileSync(join(cwd, "all.xml"), "utf8"))).children;
    expect(suites.map(({ attributes }) => [attributes.name!.split(" ")[1], attributes.failures])).toEqual([
      ["check", "0"],
      ["explore", "1"],
    ]);

    const again = await test("--json", "--html", "to-send.html", "--config", "signed.json");
    expect(again.code).toBe(1);
    expect(JSON.parse(again.stdout)).toMatchObject({
      verdict: "failed",
      // The worst result is a server that accepts events from anyone.
      worst: expect.stringMatching(/^Your server accepts events without a valid signature\./),
      findings: [{ name: "paid-order-cancelled", status: "failed" }],
      check: { verdict: "fail" },
      explore: { verdict: "nothing_found", findings: [] },
      problem: null,
    });
    expect(readFileSync(join(cwd, "to-send.html"), "utf8")).toContain("paid-order-cancelled");
  });

  it("sandglass test exits 0 for a correct server, and prints how many hazards and schedules it tried", async () => {
    const { test } = await project(correctShop());
    const { code, stdout } = await test("--budget", "5m");
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Nothing wrong found: 2 of 2 hazards passed and \d\d schedules ended correctly\.\n/,
    );
  });

  it("sandglass test starts the server on a copy with a new secret, and restarts it if a hazard stopped it", async () => {
    const port = await portOfItsOwn();
    const cwd = folderOf({
      "server.mjs": `
        import { createHmac } from "node:crypto";
        const { createServer } = process.getBuiltinModule("node:http");
        import { createRequire } from "node:module";
        const Database = createRequire(${JSON.stringify(`${ROOT}package.json`)})("better-sqlite3");
        const db = new Database(process.env.DB_FILE);
        createServer(async (request, response) => {
          const chunks = [];
          for await (const chunk of request) chunks.push(chunk);
          const body = Buffer.concat(chunks);
          const expected = createHmac("sha256", process.env.SHOP_SECRET).update(body).digest("hex");
          if (request.headers["x-platform-signature"] !== expected) return response.writeHead(401).end();
          const { event, data } = JSON.parse(body);
          try {
            if (!request.headers["x-platform-test"]) db.prepare("insert or ignore into handled values (?)").run(event + data.id);
          } catch {
            response.statusCode = 503;
          }
          response.end();
        }).listen(Number(process.env.PORT), "127.0.0.1");`,
      "sandbox.config.json": JSON.stringify({
        subject: {
          ...{
            url: `127.0.0.1:${port}`,
            secret: "SHOP_SECRET",
            start: "node server.mjs",
            state: "sqlite:shop.db",
          },
          ...{ databaseEnv: ["DB_FILE"], stories: ["checkout"], deviations: 1 },
          skip: allBut("wrong-signature", "not-an-event"),
        },
      }),
    });
    const db = new Database(join(cwd, "shop.db"));
    db.exec("create table handled (key text primary key); insert into handled values ('before')");
    db.close();
    const bytes = readFileSync(join(cwd, "shop.db"));
    const { code, stdout } = await runWarmCli(["test"], { cwd });
    const said =
      /^A valid signature, but not an event: It stopped the server, and did so again after a restart, and printed: SyntaxError: .*\.[\s\S]*\nExplore\n[\s\S]*\nNo difference /;
    expect([code, stdout]).toEqual([1, expect.stringMatching(said)]);
    expect(readFileSync(join(cwd, "shop.db")).equals(bytes)).toBe(true);
  });

  it("sandglass test runs findings and check only in the first shard, and --merge joins the shards", async () => {
    const { cwd, test } = await project(correctShop());
    mkdirSync(join(cwd, "parts"));
    const parts = ["1/2", "2/2"].map(async (part) => {
      const { code, stdout } = await test("--shard", part, "--json");
      writeFileSync(join(cwd, `parts/${part[0]}.json`), stdout);
      return [code, JSON.parse(stdout).check?.verdict];
    });
    expect(await Promise.all(parts)).toEqual([
      [0, "pass"],
      [0, undefined],
    ]);
    const merge = (command: string) => runCli([command, "--merge", "parts", "--junit", "all.xml"], { cwd });
    const sentence = /^Nothing wrong found: \d+ of \d+ hazards passed and 16 schedules ended correctly\.\n/;
    expect(await merge("test")).toMatchObject({ code: 0, stdout: expect.stringMatching(sentence) });
    expect(readFileSync(join(cwd, "all.xml"), "utf8")).toMatch(/sandglass check[\s\S]*sandglass explore/);
    expect(await merge("explore")).toMatchObject({ code: 0, stdout: expect.stringMatching(sentence) });

    const file = join(cwd, "parts/1.json");
    const first = JSON.parse(readFileSync(file, "utf8"));
    const finding = "Your server accepts events without a valid signature.";
    const failed = { ...first, check: { ...first.check, verdict: "fail", finding } };
    writeFileSync(file, JSON.stringify(failed));
    const said = expect.stringMatching(/^Your server accepts events without a valid signature\.\n/);
    expect(await merge("test")).toMatchObject({ code: 1, stdout: said });
    const saved = {
      name: "once",
      file: "sandglass/findings/once.yaml",
      status: "failed",
      reason: "A paid order is lost.",
    };
    const played = {
      ...saved,
      finding: { finding: "once", story: "checkout", schedule: ["lost@1"] },
      result: null,
    };
    writeFileSync(file, JSON.stringify({ ...first, findings: [played] }));
    expect(await merge("test")).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^A paid order is lost\.\n/),
    });

    writeFileSync(file, JSON.stringify({ ...first, check: { ...first.check, counts: "many" } }));
    expectMisuse(await merge("test"), /1\.json is not a part: .*counts/);
    const problem = { message: "The server does not answer.", hint: "" };
    writeFileSync(file, JSON.stringify({ ...first, explore: null, problem }));
    expectMisuse(
      await merge("test"),
      /1\.json is not a part: nothing was explored: The server does not answer/,
    );
  });

  it("sandglass test needs an address in the configuration or on the command line", async () => {
    expectMisuse(await runCli(["test"], { cwd: folderOf() }), /test needs your server's webhook URL/);
  });
});
