import { expect, test } from "vitest";
import { capture } from "./capture.ts";
import { clients } from "./clients/part.ts";
import { disk } from "./disk.ts";
import { explorations } from "./explorations.ts";
import { files } from "./files.ts";
import { kills } from "./kill/part.ts";
import { load } from "./load.ts";
import type { Part } from "./part.ts";
import { requests } from "./requests/part.ts";
import { soak } from "./soak.ts";
import { subscribers } from "./subscribers.ts";
import { trials } from "./trials.ts";

/** Each part starts processes: seconds on a machine that is free, more on one that is not. */
const PATIENCE_MS = 180_000;

/** A little of each part, so that the harness stays whole; `npm run torture` does the rest. */
const run = (part: Part, count: number) =>
  part.run({ seed: "smoke", count, duration: Number.POSITIVE_INFINITY, progress: () => undefined });

test("requests from the documents meet no unexpected answer", { timeout: PATIENCE_MS }, async () => {
  expect(await run(requests, 100)).toMatchObject({ requests: expect.any(Number) });
});

test("a server that is killed keeps what it has confirmed", { timeout: PATIENCE_MS }, async () => {
  expect(await run(kills, 1)).toMatchObject({ kills: 1 });
});

test("virtual days leave retry schedules, timers, counters and journal in agreement", {
  timeout: PATIENCE_MS,
}, async () => {
  expect(await run(soak, 3)).toMatchObject({ "virtual days": 3 });
});

test("hostile clients delay no other client", { timeout: PATIENCE_MS }, async () => {
  expect(await run(clients, 10)).toHaveProperty("idle");
});

test("hostile subscribers delay no other subscriber", { timeout: PATIENCE_MS }, async () => {
  expect(await run(subscribers, 1)).toMatchObject({ rounds: 1 });
});

test("hostile files are refused, and delay no other call", { timeout: PATIENCE_MS }, async () => {
  expect(await run(files, 1)).toMatchObject({ rounds: 1 });
});

test("copies of whole worlds delay no other world", { timeout: PATIENCE_MS }, async () => {
  expect(await run(load, 2)).toHaveProperty("forks");
});

test("capture changes no byte and loses no line", { timeout: PATIENCE_MS }, async () => {
  expect(await run(capture, 40)).toMatchObject({ requests: 40, kills: 1 });
});

test("explore and a brute force agree on random handlers", { timeout: PATIENCE_MS }, async () => {
  expect(await run(explorations, 2)).toMatchObject({ handlers: 2 });
});

test("a user's rows survive explore, however it ends", { timeout: PATIENCE_MS }, async () => {
  expect(await run(trials, 2)).toMatchObject({ rounds: 2, kills: 2 });
});

test("a server on a full disk says so, and loses nothing", { timeout: PATIENCE_MS }, async () => {
  expect(await run(disk, 1)).toHaveProperty("rounds");
});
