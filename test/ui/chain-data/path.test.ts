import { expect, test } from "vitest";
import type { JournalEntry } from "../../../ui/api-types.ts";
import { fellThrough, runsOf } from "../../../ui/models/chain-data/path.ts";

const KEY = "holdings?address=0xaa&chain_id=1";
let seq = 0;

function entry(type: string, data: Record<string, unknown>): JournalEntry {
  seq += 1;
  return { seq, type, at: "2026-01-15T09:00:00.000Z", wall: "2026-01-15T09:00:00.000Z", data } as never;
}
const call = (provider: string, result: string, more: object = {}, key = KEY) =>
  entry(`upstream.${result}`, {
    request: key,
    provider,
    chain_id: 1,
    path: "/tokens",
    status: 200,
    reason: null,
    rows: 3,
    ...more,
  });
const stored = () => entry("cache.stored", { key: KEY, rows: 3 });

test("a request's path is its calls in order, with why each fell through", () => {
  const entries = [
    call("explorer-1", "failed", { status: null, reason: "connection_refused" }),
    call("indexer", "answered"),
    stored(),
  ];
  const [run] = runsOf(entries, (key) => key === KEY);
  expect(run!.steps.map(({ who, text, tone }) => [who, text, tone])).toEqual([
    ["explorer-1", "refused the connection", "bad"],
    ["indexer", "returned 3 rows", "good"],
    ["cache", "cached 3 rows", "good"],
  ]);
  const [first, second, third] = run!.steps;
  expect(fellThrough(first!, second)).toBe("so indexer is next");
  expect(fellThrough(second!, third)).toBe("");
});

test("the latest request comes first, and those of others are left out", () => {
  const entries = [
    call("explorer-1", "answered"),
    stored(),
    call("indexer", "answered", {}, "lookup?symbol=usdc&chain_id=1"),
    call("explorer-1", "failed", { status: 503, reason: "status" }),
    entry("cache.served_stale", { key: KEY }),
  ];
  const runs = runsOf(entries, (key) => key === KEY);
  expect(runs.map(({ steps }) => steps.map(({ mark }) => mark))).toEqual([
    ["503", "stale"],
    ["200", "cached"],
  ]);
});

test("two requests that failed in a row are two", () => {
  const failed = () => call("explorer-1", "failed", { status: 502, reason: "status" });
  expect(runsOf([failed(), failed()], () => true)).toHaveLength(2);
});

test("nothing there is no failure, and a reason without words is a status", () => {
  const [run] = runsOf(
    [call("explorer-1", "empty", { status: 404, rows: 0 }), call("indexer", "failed", { status: 418 })],
    () => true,
  );
  expect(run!.steps.map(({ text, tone }) => [text, tone])).toEqual([
    ["has no data", "plain"],
    ["answered 418", "bad"],
  ]);
});
