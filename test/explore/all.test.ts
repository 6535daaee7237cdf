import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectMisuse, folderOf, runCli } from "../support/cli.ts";
import type { Json } from "../support/sandbox.ts";
import { faultyShop, LATE } from "./all.ts";
import { correctShop } from "./handlers.ts";
import { serveShop } from "./server.ts";

describe("sandglass explore --shard and --merge", () => {
  it("explore --shard tries each schedule in exactly one part, and --merge combines the parts into one result", async () => {
    const { args } = await serveShop(correctShop());
    const cwd = folderOf();
    mkdirSync(join(cwd, "parts"));
    for (const part of ["1/2", "2/2"]) {
      const { code, stdout } = await runCli(["explore", ...args, ...LATE, "--shard", part, "--json"], {
        cwd,
      });
      expect(code).toBe(0);
      const merging = await runCli(["explore", "--merge", "parts"], { cwd });
      expectMisuse(
        merging,
        part === "1/2" ? /There are no results to merge/ : /The results are missing part 2\/2/,
      );
      writeFileSync(join(cwd, "parts", `${part[0]}.json`), stdout);
    }
    const merged = await runCli(["explore", "--merge", "parts", "--junit", "all.xml"], { cwd });
    expect({ code: merged.code, stderr: merged.stderr }).toEqual({ code: 0, stderr: "Wrote all.xml.\n" });
    expect(merged.stdout).toMatch(/No difference with up to 1 deviation: all 16 schedules tried/);
  });

  const ONE = ["--story", "checkout", "--deviations", "1"];
  async function explorePart(part: string, flags: string[] = ONE, shop = correctShop()) {
    const { args } = await serveShop(shop);
    const { code, stdout } = await runCli(["explore", ...args, ...flags, "--shard", part, "--json"], {
      cwd: folderOf(),
    });
    // Each server in a test uses a different port.
    return {
      code,
      part: JSON.parse(stdout.replaceAll(args[0]!.replace("/webhooks", ""), "http://127.0.0.1:1")),
    };
  }
  /** The complete exploration of a correct shop as a single shard, run once for all tests. */
  let explored: Promise<Json> | undefined;
  const wholePart = async (): Promise<Json> => {
    explored ??= explorePart("1/1").then(({ part }) => part);
    return structuredClone(await explored);
  };
  function merge(...parts: unknown[]) {
    const cwd = folderOf();
    mkdirSync(join(cwd, "parts"));
    for (const [at, part] of parts.entries())
      writeFileSync(
        join(cwd, "parts", `${at + 1}.json`),
        typeof part === "string" ? part : JSON.stringify(part),
      );
    return runCli(["explore", "--merge", "parts"], { cwd }).then((result) => ({ ...result, cwd }));
  }

  it("explore --merge rejects files that are not parts, and parts of different explorations", async () => {
    const part = await wholePart();
    /** A shard's report with a changed value at a path such as `stories.0.shard`. */
    const changed = (whole: Json, place: string, value: unknown) => {
      const copy = structuredClone(whole);
      const path = place.split(".");
      path.slice(0, -1).reduce((one, name) => one[name], copy)[path.at(-1)!] = value;
      return copy;
    };
    const half = (index: number) =>
      changed(changed(part, "part", { ...part.part, index, count: 2 }), "stories.0.shard", `${index}/2`);
    const cases: [RegExp, ...unknown[]][] = [
      [/1\.json is not valid JSON/, "{"],
      [/1\.json is not a part: it is not an object/, "[]"],
      [/1\.json is not a part: part is required/, '{"stories":[],"unplayed":[]}'],
      [/written without --shard/, changed(part, "part", null)],
      [/stories must be the stories that were played/, changed(part, "stories", [])],
      [/levels\[0\]\.tried must be a whole number/, changed(part, "stories.0.levels.0.tried", "1")],
      [/has the shard 2\/9, not 1\/1/, changed(part, "stories.0.shard", "2/9")],
      [/a story twice: checkout, checkout/, changed(part, "stories", [part.stories[0], part.stories[0]])],
      [/event must be a name without control/, changed(part, "stories.0.calm.attempts.0.event", "a\nb")],
      [/There are 2 results for 1 parts/, part, part],
      [/The results are missing part 2\/2/, half(1), half(1)],
      [/their numbers of parts differ: 2; 1/, part, half(2)],
      [/their seed differ: "x"; "explore"/, half(1), changed(half(2), "part.of.seed", '"x"')],
      [/their version of Sandglass differ/, half(1), changed(half(2), "part.of.version of Sandglass", "9.9")],
      [/their stories differ: rush; checkout/, half(1), changed(half(2), "stories.0.story.name", "rush")],
    ];
    for (const [message, ...parts] of cases) expectMisuse(await merge(...parts), message);
    expect((await merge(half(1), half(2))).code).toBe(0);

    const other = await explorePart("2/2", LATE);
    const first = await explorePart("1/2");
    expectMisuse(await merge(first.part, other.part), /their stories differ: late-payment; checkout/);
  }, 60_000);

  it("explore --merge calls a level complete only if every part completed it", async () => {
    const part = await wholePart();
    const half = (index: number, second: object) => {
      const copy = structuredClone(part);
      copy.part = { ...copy.part, index, count: 2 };
      Object.assign(copy.stories[0], { shard: `${index}/2`, stopped: "budget" });
      const { levels } = copy.stories[0];
      levels.push({ ...levels[0], deviations: 2, ...second });
      return copy;
    };
    const { code, stdout } = await merge(half(1, {}), half(2, { schedules: null, tried: 0, compared: 0 }));
    expect(code).toBe(0);
    expect(stdout).toMatch(/2 deviations +not started/);
    expect(stdout).toContain(
      "including all with up to 1 deviation. Not all schedules with more deviations were tried",
    );
  });

  it("explore --merge treats findings from two parts as one finding only if the same thing is wrong", async () => {
    const { part } = await explorePart("1/1", ONE, faultyShop("cancels"));
    const a = { path: "a", expected: 1, actual: 2 };
    const handled = { deviation: "db-error", status: 200 };
    const cases: [what: string, first: object[], second: object[], findings: number, sent?: object][] = [
      ["the same place is wrong", [a], [{ ...a, actual: 3 }], 1],
      ["something known and something new is wrong", [a], [a, { ...a, path: "b" }], 2],
      ["a value is missing, and another one is there", [{ path: "a", expected: 1 }], [a], 2],
      ["a number is too large, and too small", [a], [{ ...a, actual: 0 }], 2],
      ["a failed statement is answered 200", [a], [a], 2, handled],
      ["an event is answered 500", [a], [a], 2, { ...handled, deviation: null, status: 500 }],
    ];
    for (const [what, first, second, findings, sent] of cases) {
      const parts = [first, second].map((differences, at) => {
        const copy = structuredClone(part);
        copy.part = { ...copy.part, index: at + 1, count: 2 };
        copy.stories[0].shard = `${at + 1}/2`;
        Object.assign(copy.stories[0].finding, { differences });
        if (at === 1) Object.assign(copy.stories[0].finding.run.attempts[0], sent);
        return copy;
      });
      const { stdout } = await merge(...parts);
      expect(stdout.match(/^Why:/gm), what).toHaveLength(findings);
    }
  });

  it("explore --merge never saves a part's content, so no field in a part can become code", async () => {
    const { part } = await explorePart("1/1", LATE, faultyShop());
    const [story] = part.stories;
    story.story.name = "rush:1; globalThis.hacked = true; //";
    story.reset = "touch hacked";
    const { code, stdout, cwd } = await merge(part);
    expect(code).toBe(1);
    expect(stdout).toContain("A paid order ends up cancelled.");
    expect(stdout).toContain("The part that found it saved it");
    expect(existsSync(join(cwd, "scenarios"))).toBe(false);
  });

  it("explore --shard exits 3 if a part has no schedules, and --merge still accepts that part", async () => {
    const empty = await explorePart("26/26");
    expect(empty.code).toBe(3);
    expect(empty.part.reason).toContain(
      "No schedule of checkout is in part 26/26: there are fewer schedules than parts.",
    );
    const parts = Array.from({ length: 26 }, () => structuredClone(empty.part));
    for (const [at, { part, stories }] of parts.entries()) {
      part.index = at + 1;
      stories[0].shard = `${at + 1}/26`;
      if (at < 25) Object.assign(stories[0].levels[0], { schedules: 1, tried: 1, compared: 1 });
    }
    const merged = await merge(...parts);
    expect(merged.stdout).toContain("No difference with up to 1 deviation: all 25 schedules tried");
    expect(merged.code).toBe(0);
  });
});
