import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { surveyLines, UNPAINTED } from "../../src/trial/findings/report.ts";
import { configured, folderOf, runCli } from "../support/cli.ts";
import type { Json } from "../support/sandbox.ts";
import { faultyShop, LATE } from "./all.ts";
import { serveShop } from "./server.ts";

describe("sandglass explore --all", () => {
  it("explore --all continues after a finding, and prints each kind of failure once with its shortest schedule", async () => {
    const { args } = await serveShop(faultyShop());
    const options = [...LATE, "--json", "--html", "all.html"];
    const cwd = folderOf();
    const { code, stdout } = await runCli(["explore", ...args, ...options, "--all"], { cwd });
    const { findings, finding, stories } = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(findings.map(({ run }: Json) => run.schedule)).toEqual([
      [{ at: 0, kind: "lost" }],
      [{ at: 1, kind: "answer-lost" }],
      [{ at: 1, kind: "test" }],
    ]);
    expect(finding.run.schedule).toEqual([{ at: 0, kind: "lost" }]);
    for (const { saved } of findings) expect(saved).toMatch(/^sandglass\/findings\/.*\.yaml$/);
    expect(stories[0].levels).toMatchObject([{ schedules: 16, tried: 16 }]);
    const lines = surveyLines({ explorations: stories, unplayed: [], wallMs: 0 }, { paint: UNPAINTED });
    expect(lines.filter((line) => line.startsWith("Why:"))).toHaveLength(3);
    expect(lines.join("\n")).toContain("failed in the same way.");
    expect(readFileSync(join(cwd, "all.html"), "utf8").match(/<h2>Why/g)).toHaveLength(3);
    // Known findings are replayed first, and are not found again.
    const all = configured({ all: true });
    const again = JSON.parse((await runCli(["explore", ...args, ...options, ...all], { cwd })).stdout);
    expect(again.findings.map(({ saved, known }: Json) => [saved, known])).toEqual(
      findings.map(({ saved }: Json) => [saved, true]).sort(),
    );
  });
});
