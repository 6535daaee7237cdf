import { expect, onTestFinished, test, vi } from "vitest";
import { progressShower } from "../../src/cli/trial/progress.ts";

test("without a terminal, an exploration prints a line each minute, with an estimate of the rest", () => {
  const lines: string[] = [];
  const write = vi.spyOn(process.stderr, "write").mockImplementation((line) => lines.push(String(line)) > 0);
  onTestFinished(() => write.mockRestore());
  let seconds = 0;
  const show = progressShower(() => seconds * 1_000);
  for (let tried = 1; tried <= 16; tried += 1) {
    seconds = tried * 10;
    show({ story: "checkout", ...{ deviations: 1, tried, schedules: 100 } } as Parameters<typeof show>[0]);
  }
  expect(lines).toEqual([
    "checkout  1 deviation  6 of 100 schedules, about 15 min 40 s left\n",
    "checkout  1 deviation  12 of 100 schedules, about 14 min 40 s left\n",
  ]);
});
