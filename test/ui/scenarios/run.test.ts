import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ApiError } from "../../../ui/api.ts";
import { FollowedRun } from "../../../ui/models/scenarios/run.ts";
import { endOf, eventsOf, fakeServer, reportWith, runOf, stepOf } from "./support/runs.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const settle = (ms = 20) => vi.advanceTimersByTimeAsync(ms);
const report = reportWith({ steps: [stepOf({ title: "Pay" }), stepOf({ title: "Wait" })], failed: false });
const events = eventsOf(report);

test("a run is followed to its end, and its report is read then", async () => {
  const server = fakeServer();
  let ended = 0;
  const run = new FollowedRun(server.api, "run_1", () => {
    ended += 1;
  });
  await settle();
  server.tell(...events.slice(0, 3));
  await settle();
  expect(run.course.value).toMatchObject({ state: "running", steps: [{ title: "Pay", state: "passed" }] });
  server.answer = runOf({ status: "passed", report });
  server.tell(...events.slice(3));
  await settle();
  expect(run.course.value).toMatchObject({ state: "passed", wallMs: 12 });
  expect(run.run.value!.report).toBe(report);
  expect([ended, server.last().closed, server.followers.length]).toEqual([1, true, 1]);
});

test("a run that has ended is told by its report alone", async () => {
  const server = fakeServer(runOf({ status: "passed", report }));
  const run = new FollowedRun(server.api, "run_1");
  await settle();
  expect(run.course.value.steps.map(({ title }) => title)).toEqual(["Pay", "Wait"]);
  expect(server.followers).toEqual([]);
});

test("a connection that is lost and comes back shows nothing twice", async () => {
  const server = fakeServer();
  const run = new FollowedRun(server.api, "run_1");
  await settle();
  server.tell(...events.slice(0, 2));
  server.last().listener.connection("lost");
  await settle();
  expect(run.lost.value).toBe(true);
  server.last().listener.connection("open");
  server.tell(...events.slice(0, 4));
  await settle();
  expect(run.lost.value).toBe(false);
  expect(run.course.value.steps.map(({ title }) => title)).toEqual(["Pay", "Wait"]);
  expect(server.followers).toHaveLength(1);
});

test("a stream that is refused is asked for again, until the server knows the run no more", async () => {
  const server = fakeServer();
  const run = new FollowedRun(server.api, "run_1");
  await settle();
  server.last().listener.connection("refused");
  await settle(1_000);
  expect([server.reads, server.followers.length]).toEqual([2, 2]);
  server.answer = new ApiError(404, { message: "There is no run 'run_1' of a scenario." });
  server.last().listener.connection("refused");
  await settle(1_000);
  expect(run.error.value?.message).toBe("There is no run 'run_1' of a scenario.");
  await settle(10_000);
  expect(server.reads).toBe(3);
});

test("a run that is removed shows its end, and is not asked for again", async () => {
  const server = fakeServer();
  const run = new FollowedRun(server.api, "run_1");
  await settle();
  server.tell(...events.slice(0, 2));
  await settle();
  run.forget();
  server.tell(endOf(3, "stopped", "Pay"));
  await settle();
  expect([run.course.value.state, run.removed.value, server.reads]).toEqual(["stopped", true, 1]);
});

test("a run that waits ends at once when it is removed", async () => {
  const server = fakeServer(runOf({ status: "waiting" }));
  const run = new FollowedRun(server.api, "run_1");
  await settle();
  run.forget();
  expect([run.course.value.state, server.last().closed]).toEqual(["stopped", true]);
});

test("nothing is read once the view is left", async () => {
  const server = fakeServer();
  const run = new FollowedRun(server.api, "run_1");
  run[Symbol.dispose]();
  await settle();
  expect(server.followers).toEqual([]);
  const other = new FollowedRun(server.api, "run_1");
  await settle();
  other[Symbol.dispose]();
  expect(server.last().closed).toBe(true);
});
