import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ApiError } from "../../ui/api.ts";
import type { JournalEntry } from "../../ui/api-types.ts";
import { createLive } from "../../ui/live.ts";
import { entry } from "./support/entries.ts";
import { clockMessage, fakeSockets } from "./support/socket.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function listen(newest: () => Promise<JournalEntry | undefined> = async () => undefined) {
  const { sockets, open, last } = fakeSockets();
  const live = createLive({ open, newest });
  const heard: number[] = [];
  const batches: number[] = [];
  let replaced = 0;
  let returned = 0;
  live.onEntries((entries) => {
    heard.push(...entries.map(({ seq }) => seq));
    batches.push(entries.length);
  });
  live.onReplaced(() => {
    replaced += 1;
  });
  live.onReturned(() => {
    returned += 1;
  });
  live.start();
  await vi.advanceTimersByTimeAsync(0);
  return { live, sockets, last, heard, batches, replaced: () => replaced, returned: () => returned };
}

test("the page processes live entries in batches, in order", async () => {
  const { live, last, heard, batches } = await listen();
  last().open();
  expect(live.connection.value.state).toBe("open");
  last().say(clockMessage(), entry(1), entry(2), entry(3));
  await vi.advanceTimersByTimeAsync(20);
  expect(heard).toEqual([1, 2, 3]);
  expect(batches).toEqual([3]);
});

test("the page reconnects with back-off, and continues after the last entry", async () => {
  const { live, sockets, last, heard } = await listen(async () => entry(4));
  expect(last().query).toBe("?clock=true&calls=true&after=3");
  last().open();
  last().say(clockMessage({ last_seq: 4 }), entry(4), entry(5));
  await vi.advanceTimersByTimeAsync(20);
  last().drop();
  expect(live.connection.value).toEqual({ state: "lost", attempt: 1 });
  await vi.advanceTimersByTimeAsync(250);
  expect(sockets).toHaveLength(2);
  last().drop();
  await vi.advanceTimersByTimeAsync(499);
  expect(sockets).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(sockets).toHaveLength(3);
  expect(last().query).toBe("?clock=true&calls=true&after=4");
  last().open();
  last().say(clockMessage({ last_seq: 7 }), entry(5), entry(6), entry(7));
  await vi.advanceTimersByTimeAsync(20);
  expect(heard).toEqual([5, 6, 7]);
  expect(live.connection.value).toEqual({ state: "open", attempt: 0 });
});

test("the page retries a lost connection after at most five seconds, and immediately on request", async () => {
  const { live, sockets, last } = await listen();
  for (let count = 0; count < 8; count += 1) {
    last().drop();
    await vi.advanceTimersByTimeAsync(5_000);
  }
  expect(sockets).toHaveLength(9);
  last().drop();
  live.retryNow();
  await vi.advanceTimersByTimeAsync(0);
  expect(sockets).toHaveLength(10);
  live.retryNow();
  await vi.advanceTimersByTimeAsync(0);
  expect(sockets).toHaveLength(10);
});

test("the page ignores messages from an old connection", async () => {
  const { sockets, last, heard } = await listen();
  const old = last();
  old.drop();
  await vi.advanceTimersByTimeAsync(250);
  expect(sockets).toHaveLength(2);
  old.say(entry(1));
  await vi.advanceTimersByTimeAsync(20);
  expect(heard).toEqual([]);
});

test("the page requests a missing live entry again", async () => {
  const { last, heard, replaced } = await listen();
  last().say(entry(1), entry(3));
  await vi.advanceTimersByTimeAsync(0);
  expect(last().query).toBe("?clock=true&calls=true&after=0");
  last().say(entry(1), entry(2), entry(3));
  await vi.advanceTimersByTimeAsync(20);
  expect(heard).toEqual([1, 2, 3]);
  expect(replaced()).toBe(0);
});

test.each([
  ["a reset", () => entry(1, { type: "world.reset" })],
  ["another run", () => entry(9, { wall: "2027-01-01T00:00:00.000Z" })],
  ["a shorter journal", () => clockMessage({ last_seq: 3 })],
  ["the removal of missed entries", () => ({ type: "notice", data: { message: "" } })],
])("the page treats %s as a different world and starts from its newest entry", async (_name, message) => {
  let newest = entry(9);
  const { last, heard, replaced, sockets } = await listen(async () => newest);
  newest = entry(2);
  last().say(message());
  await vi.advanceTimersByTimeAsync(0);
  expect(replaced()).toBe(1);
  expect(sockets[0]!.closed).toBe(true);
  expect(last().query).toBe("?clock=true&calls=true&after=1");
  last().say(entry(2), entry(3));
  await vi.advanceTimersByTimeAsync(20);
  expect(heard).toEqual([3]);
});

test("the page treats an unresponsive server as a lost connection", async () => {
  let answers = false;
  const { live, sockets } = await listen(async () => {
    if (!answers) throw new Error("unreachable");
    return undefined;
  });
  expect(live.connection.value.state).toBe("lost");
  answers = true;
  await vi.advanceTimersByTimeAsync(250);
  expect(sockets).toHaveLength(1);
  live.close();
});

test("the page notices within three seconds that a server hangs, and when it responds again", async () => {
  const { live, last, sockets, returned } = await listen();
  last().open();
  last().say(clockMessage());
  await vi.advanceTimersByTimeAsync(1_000);
  expect(last().sent).toHaveLength(1);
  last().say(clockMessage());
  await vi.advanceTimersByTimeAsync(2_400);
  expect(live.connection.value.state).toBe("open");
  await vi.advanceTimersByTimeAsync(600);
  expect(live.connection.value.state).toBe("silent");
  expect(returned()).toBe(0);
  last().say(clockMessage());
  expect(live.connection.value.state).toBe("open");
  expect(returned()).toBe(1);
  expect(sockets).toHaveLength(1);
  live.close();
});

test("the page stays connected to a quiet server that responds when asked", async () => {
  const { live, last } = await listen();
  last().open();
  for (let second = 0; second < 30; second += 1) {
    await vi.advanceTimersByTimeAsync(1_000);
    last().say(clockMessage());
  }
  expect(last().sent).toHaveLength(30);
  expect(live.connection.value).toEqual({ state: "open", attempt: 0 });
  live.close();
});

test("the page shows a connection that never opens as silent, and replaces it", async () => {
  const { live, sockets, last } = await listen();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(live.connection.value.state).toBe("silent");
  await vi.advanceTimersByTimeAsync(15_000);
  expect(sockets.map(({ closed }) => closed)).toEqual([true, false]);
  last().open();
  expect(live.connection.value).toEqual({ state: "open", attempt: 0 });
  live.close();
});

test("the page shows that a world has ended, and reconnects once one with the same name exists", async () => {
  let refusal: Error | undefined;
  const { live, sockets, last, returned } = await listen(async () => {
    if (refusal) throw refusal;
    return undefined;
  });
  last().open();
  refusal = new ApiError(404, { code: "not_found", message: "There is no world 'demo'." });
  last().drop();
  await vi.advanceTimersByTimeAsync(250);
  expect(live.connection.value.state).toBe("ended");
  refusal = undefined;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(sockets).toHaveLength(2);
  last().open();
  expect(live.connection.value.state).toBe("open");
  expect(returned()).toBe(1);
  live.close();
});
