import { expect, test } from "vitest";
import { clients } from "./clients/part.ts";
import { kills } from "./kill/part.ts";
import type { Part } from "./part.ts";
import { requests } from "./requests/part.ts";
import { soak } from "./soak.ts";
import { subscribers } from "./subscribers.ts";

/** A little of each part, so that the harness stays whole; `npm run torture` does the rest. */
const run = (part: Part, count: number) =>
  part.run({ seed: "smoke", count, duration: Number.POSITIVE_INFINITY, progress: () => undefined });

test("requests from the documents meet no unexpected answer", async () => {
  expect(await run(requests, 1_500)).toMatchObject({ requests: 1_500 });
}, 60_000);

test("a server that is killed keeps what it has confirmed", async () => {
  expect(await run(kills, 3)).toMatchObject({ kills: 3 });
}, 60_000);

test("virtual weeks leave plans, attempts, timers, counters and journal in agreement", async () => {
  expect(await run(soak, 30)).toMatchObject({ "virtual days": 30 });
}, 60_000);

test("hostile clients and subscribers hold up no other", async () => {
  expect(await run(clients, 100)).toHaveProperty("idle");
  expect(await run(subscribers, 1)).toMatchObject({ rounds: 1 });
}, 60_000);
