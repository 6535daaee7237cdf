import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { describe, expect, it } from "vitest";
import { folderOf } from "../support/cli.ts";
import { exploreShop } from "./workers.ts";

const portsIn = (file: string): string[] =>
  [...new Set(readFileSync(file, "utf8").split("\n"))].filter(Boolean);

describe("sandglass explore with several workers", () => {
  it("explore recommends workers for a server that keeps working long after its responses", async () => {
    // Use a delay far above the threshold for slow work, because a busy machine starts watching later.
    const late = await exploreShop(true, 1, "node shop.mjs 1 600", "--shard", "12/12");
    expect(late.code).toBe(0);
    expect(late.stderr).toContain("With --start, subject.workers: 8 tries eight schedules at once");
  });

  it("a long exploration uses as many servers as there are processors", async () => {
    // Files next to the database would be discarded.
    const ports = `${folderOf({})}/ports`;
    // The server starts slowly enough that a second one pays off.
    const slow = `sleep 1.5; echo $PORT >> ${ports}; exec node shop.mjs`;
    const { code, result, rows } = await exploreShop(true, undefined, slow);
    expect([code, result.verdict, rows]).toEqual([0, "nothing_found", ["before"]]);
    expect(result.stories[0].levels).toMatchObject([{ schedules: 32, tried: 32 }]);
    expect(portsIn(ports)).toHaveLength(Math.min(4, availableParallelism()));
  });

  it.each([
    ["exits because its port is in use", "exec env PORT=%d node shop.mjs"],
    ["listens on another port", "exec env PORT=$(($PORT == %d ? $PORT : 1 + $PORT)) node shop.mjs"],
  ])("explore continues with one worker if a second server %s", async (_how, command) => {
    const start = (port: number) => `sleep 1.5; ${command.replace("%d", String(port))}`;
    const { code, stderr, result } = await exploreShop(true, undefined, start);
    expect([code, stderr, result.verdict]).toEqual([0, "", "nothing_found"]);
    expect(result.stories[0].levels).toMatchObject([{ schedules: 32, tried: 32 }]);
  });

  it("two workers give the same result as one, and use the address that the user specified", async () => {
    const { code, port, result } = await exploreShop(false, 2);
    const { result: alone } = await exploreShop(false, 1);
    expect(result.finding.run.schedule).toEqual(alone.finding.run.schedule);
    expect(result.stories[0].levels).toEqual(alone.stories[0].levels);
    expect(code).toBe(1);
    expect(result.findings).toHaveLength(1);
    expect(result.finding.run.schedule).toHaveLength(1);
    expect(result.stories[0]).toMatchObject({
      subscriber: `http://127.0.0.1:${port}/webhooks`,
      stateUrl: "sqlite:shop.db",
      stopped: null,
    });
  });
});
