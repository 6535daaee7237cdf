import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { surveyLines, UNPAINTED } from "../../src/explore/report.ts";
import { startCli } from "../support/built.ts";
import { expectMisuse, folderOf, runCli } from "../support/cli.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { apply, correctShop, makeShop } from "./handlers.ts";
import { serveShop } from "./server.ts";

/** A shop with three bugs, each of which is fixed where it is named. */
const faultyShop = (...fixed: ("cancels" | "repeats" | "tests")[]) =>
  makeShop((event, shop, seen) => {
    if (event.isTest && fixed.includes("tests")) return undefined;
    if (event.isTest) {
      shop.orders.test = { payments: 1, status: "paid" };
      return undefined;
    }
    if (event.type === "checkout.expired" && !fixed.includes("cancels"))
      shop.orders[event.order] = { payments: 0, ...shop.orders[event.order], status: "cancelled" };
    if (seen.has(event.key) && fixed.includes("repeats")) return undefined;
    seen.add(event.key);
    apply(event, shop);
    return undefined;
  });

const TWO = ["--story", "late-payment", "--deviations", "2"];

describe("sandglass explore --all", () => {
  it("goes on after a finding, and prints each way to go wrong once, with the smallest schedule", async () => {
    const { args } = await serveShop(faultyShop());
    const options = ["--story", "late-payment", "--deviations", "1", "--all", "--json", "--html", "all.html"];
    const cwd = folderOf();
    const { code, stdout } = await runCli(["explore", ...args, ...options], { cwd });
    const { findings, finding, stories } = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(findings.map(({ replay }: { replay: string }) => replay)).toEqual([
      "late-payment: lost@1",
      "late-payment: answer-lost@2",
      "late-payment: test@2",
    ]);
    expect(finding.run.schedule).toEqual([{ at: 0, kind: "lost" }]);
    for (const { saved } of findings) expect(saved).toMatch(/^scenarios\/explore-.*\.ts$/);
    expect(stories[0].levels).toMatchObject([{ schedules: 16, tried: 16 }]);
    const lines = surveyLines({ explorations: stories, unplayed: [], wallMs: 0 }, { paint: UNPAINTED });
    expect(lines.filter((line) => line.startsWith("Why:"))).toHaveLength(3);
    expect(lines.join("\n")).toContain("went wrong in no other way.");
    expect(readFileSync(join(cwd, "all.html"), "utf8").match(/<h2>Why/g)).toHaveLength(3);
  });
});

describe("sandglass explore --replay", () => {
  const args = async (shop = faultyShop()) => ["explore", ...(await serveShop(shop)).args];

  it("plays one schedule, from a line or from what --json printed, and says whether it still goes wrong", async () => {
    const cwd = folderOf();
    const line = ["--replay", "late-payment: lost@1"];
    const found = await runCli([...(await args()), ...line, "--json"], { cwd });
    expect(found.code).toBe(1);
    writeFileSync(join(cwd, "found.json"), found.stdout);
    const again = await runCli([...(await args()), "--replay", "found.json"], { cwd });
    expect(again.code).toBe(1);
    expect(again.stdout).toContain("1 deviation   1 of 1 schedule tried   found\n");
    const fixed = await runCli([...(await args(correctShop())), ...line], { cwd });
    expect(fixed.code).toBe(0);
    expect(fixed.stdout).toContain("No difference: this schedule ends as when everything goes well.");
  });

  it("refuses a schedule that cannot happen, and a text that is no schedule", async () => {
    const never = await runCli([
      ...(await args(correctShop())),
      "--replay",
      "checkout: lost@1, manual-retry@2",
    ]);
    expect(never.code).toBe(3);
    expect(never.stderr).toContain("attempt 2 of the run cannot have 'manual-retry'");
    for (const text of ["lost@1", "checkout: lost", "checkout: gone@1", "checkout: lost@0"])
      expectMisuse(
        await runCli([
          "explore",
          "localhost:1",
          "--state",
          "http://localhost:1",
          "--reset",
          "true",
          "--secret",
          "whsec_a",
          "--replay",
          text,
        ]),
        /--replay takes a schedule/,
      );
  });
});

describe("sandglass explore --shard and --merge", () => {
  it("tries each schedule in one part, and the parts are one result", async () => {
    const { args } = await serveShop(correctShop());
    const cwd = folderOf();
    mkdirSync(join(cwd, "parts"));
    for (const part of ["1/2", "2/2"]) {
      const { code, stdout } = await runCli(["explore", ...args, ...TWO, "--shard", part, "--json"], { cwd });
      expect(code).toBe(0);
      const merging = await runCli(["explore", "--merge", "parts"], { cwd });
      expectMisuse(merging, part === "1/2" ? /There is no result to merge/ : /The results lack part 2\/2/);
      writeFileSync(join(cwd, "parts", `${part[0]}.json`), stdout);
    }
    const merged = await runCli(["explore", "--merge", "parts", "--junit", "all.xml"], { cwd });
    expect({ code: merged.code, stderr: merged.stderr }).toEqual({ code: 0, stderr: "Wrote all.xml.\n" });
    expect(merged.stdout).toMatch(/No difference with up to 2 deviations: all 223 schedules tried/);
  });
});

describe("sandglass explore --watch", () => {
  /** A shop that stores its state in a file. */
  const shop = (isRepeated: string) => `
    import { readFileSync, writeFileSync } from "node:fs";
    import { createServer } from "node:http";
    createServer(async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const { event, data } = JSON.parse(Buffer.concat(chunks));
      const state = JSON.parse(readFileSync("state.txt", "utf8"));
      if (event === "payment.completed" && !request.headers["x-platform-test"] && !(${isRepeated})) {
        state.seen = data.id;
        state.paid += 1;
        writeFileSync("state.txt", JSON.stringify(state));
      }
      response.end();
    }).listen(Number(process.env.PORT), "127.0.0.1");`;

  it("plays the last finding first once a source has changed, and then everything", async () => {
    const cwd = folderOf();
    writeFileSync(join(cwd, "shop.mjs"), shop("false"));
    writeFileSync(join(cwd, "state.txt"), '{"paid":0}');
    const { saw, kill, ended, output } = startCli(
      [
        ...["explore", `127.0.0.1:${await portOfItsOwn()}`, "--watch", "--start", "node shop.mjs"],
        ...["--state", "cat state.txt", "--reset", `echo '{"paid":0}' > state.txt`, "--secret", "whsec_test"],
        ...["--story", "checkout", "--deviations", "1"],
      ],
      { cwd },
    );
    await saw(/Waiting for a change/);
    expect(output.stdout).toContain("Paid is counted twice.");
    writeFileSync(join(cwd, "shop.mjs"), shop("state.seen === data.id"));
    await saw(/shop\.mjs changed\.\n[\s\S]*Waiting for a change/);
    expect(output.stdout).toMatch(
      /this schedule ends as when everything goes well\.[\s\S]*No difference with up to 1 deviation/,
    );
    kill("SIGINT");
    expect((await ended).code).toBe(0);
    expectMisuse(await runCli(["explore", "localhost:1", "--watch"]), /--watch needs --start/);
  });
});
