import { expect, test } from "vitest";
import { formatDuration, roughly } from "../../src/timeline/duration.ts";

test.each([
  [0, "0 ms"],
  [250, "250 ms"],
  [999.6, "1 s"],
  [4_120, "4.1 s"],
  [12_000, "12 s"],
  [59_960, "1 min"],
  [90_000, "1 min 30 s"],
  [600_000, "10 min"],
  [3_600_000, "1 h"],
  [4_260_000, "1 h 11 min"],
  [4_269_600, "1 h 11 min 10 s"],
  [273_720_000, "3 d 4 h 2 min"],
])("formatDuration(%s) returns %s", (ms, text) => expect(formatDuration(ms)).toBe(text));

test("a rough duration shows only its two largest units", () => {
  expect([4_120, 4_269_600, 273_720_000, 86_460_000].map(roughly)).toEqual([
    "4.1 s",
    "1 h 11 min",
    "3 d 4 h",
    "1 d",
  ]);
});
