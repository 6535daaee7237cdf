import { expect, test } from "vitest";
import { clients } from "./clients/part.ts";
import { disk } from "./disk.ts";
import { load } from "./load.ts";
import type { Part } from "./part.ts";
import { soak } from "./soak.ts";
import { trials } from "./trials.ts";

/** A little of each part that `.ci/run` leaves out, so that the harness stays whole; `npm run torture` does the rest. */
test.each<[title: string, part: Part, count: number, figures: object]>([
  ["virtual days leave plans, timers, counters and journal in agreement", soak, 3, { "virtual days": 3 }],
  ["hostile clients hold up no other", clients, 10, { idle: expect.anything() }],
  ["copies of whole worlds hold up no other world", load, 2, { forks: expect.anything() }],
  ["a user's rows survive explore, however it ends", trials, 2, { rounds: 2, kills: 2 }],
  ["a server on a full disk says so, and loses nothing", disk, 1, { rounds: expect.anything() }],
])("%s", async (_title, part, count, figures) => {
  const options = { seed: "smoke", count, duration: Number.POSITIVE_INFINITY, progress: () => undefined };
  expect(await part.run(options)).toMatchObject(figures);
});
