import { signal } from "@preact/signals";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Api } from "../../ui/api.ts";
import type { AdvanceResult, ClockMessage, JournalEntry, Timeline, Webhook } from "../../ui/api-types.ts";
import type { Live } from "../../ui/live.ts";
import { createClock, type Machine } from "../../ui/models/clock.ts";
import { createEndpoints } from "../../ui/models/endpoints.ts";
import { createCatchUp, createJournal } from "../../ui/models/journal.ts";
import { createLedger } from "../../ui/models/ledger.ts";
import { unreadCount } from "../../ui/models/refresh.ts";
import { createStage, createStagedLive } from "../../ui/models/stage.ts";
import { createTimeline } from "../../ui/models/timeline/timeline.ts";
import { createToasts } from "../../ui/models/toasts.ts";
import { attempt, iso, NONE, START, timeline } from "../support/timelines.ts";
import { entry } from "./support/entries.ts";
import { clockMessage } from "./support/socket.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const MINUTES = [1, 11, 71];
/** The first attempt failed at 0. Its three retries fail as well, and the last of them disables the endpoint. */
const AFTER = timeline({
  now: iso(80),
  status: "disabled",
  counter: { consecutive_failures: 4, threshold: 4, counts: "attempts" },
  attempts: [0, ...MINUTES].map((minutes, index) =>
    attempt(minutes, { attempt: index + 1, consecutive_failures: index + 1 }),
  ),
  planned: [],
  forecast: NONE,
  changes: [
    { type: "created", reason: null, at: iso(-5) },
    { type: "disabled", reason: "consecutive_failures", at: iso(71) },
    { type: "mail", reason: "Webhook endpoint disabled", at: iso(71) },
  ],
});
const BEFORE = timeline({
  now: iso(0),
  counter: { consecutive_failures: 1, threshold: 4, counts: "attempts" },
  attempts: AFTER.attempts.slice(0, 1),
  planned: [{ event_id: "a", event: "payment.completed", attempt: 2, due_at: iso(1) }],
  forecast: {
    attempts: MINUTES.map((minutes, index) => ({ event_id: "a", attempt: index + 2, due_at: iso(minutes) })),
    disabled_at: iso(71),
  },
});
const CAUSED: JournalEntry[] = [
  ...MINUTES.map((minutes, index) =>
    entry(index + 1, {
      type: "delivery.failed",
      at: iso(minutes),
      data: {
        id: `d${index}`,
        webhook_id: "wh_1",
        event: "payment.completed",
        attempt: index + 2,
        consecutive_failures: index + 2,
      },
    }),
  ),
  entry(4, { type: "webhook.disabled", at: iso(71), data: { id: "wh_1", reason: "consecutive_failures" } }),
  entry(5, { type: "mail.sent", at: iso(71), data: { id: "mail_1", webhook_id: "wh_1" } }),
];
const HOOK = { id: "wh_1", status: "enabled", consecutive_failures: 1 } as Webhook;
const DISABLED = { id: "wh_1", status: "disabled", consecutive_failures: 4 } as Webhook;
const RESULT: AdvanceResult = {
  from: iso(0),
  to: iso(80),
  wall_ms: 9,
  reached: true,
  cancelled: false,
  ledger: CAUSED,
};

/** Creates the page's models around a stage, with a clock and a server that the test simulates. */
async function open({ moves = true, begun = 0 } = {}) {
  let real = 0;
  let frames: (() => void)[] = [];
  let server: { timeline: Timeline; webhooks: Webhook[] } = { timeline: BEFORE, webhooks: [HOOK] };
  let answer = (_result: AdvanceResult) => {};
  let hearClock: (data: ClockMessage["data"]) => void = () => {};
  const listeners = new Set<(entries: JournalEntry[]) => void>();
  const replaced = new Set<() => void>();
  const machine: Machine = {
    now: () => real,
    every: () => () => {},
    frame(run) {
      frames.push(run);
      return () => {
        frames = frames.filter((frame) => frame !== run);
      };
    },
    moves: () => moves,
  };
  const live = {
    connection: signal({ state: "open", attempt: 0 }),
    onClock: (listener: typeof hearClock) => {
      hearClock = listener;
      return () => {};
    },
    onEntries: (listener: (entries: JournalEntry[]) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    begun: () => begun,
    onReplaced: (listener: () => void) => {
      replaced.add(listener);
      return () => void replaced.delete(listener);
    },
    onReturned: () => () => {},
  } as unknown as Live;
  const api = {
    timeline: async () => server.timeline,
    webhooks: async () => server.webhooks,
    advance: () =>
      new Promise<AdvanceResult>((resolve) => {
        answer = resolve;
      }),
  } as unknown as Api;
  const journal = createJournal(live);
  const clock = createClock(api, live, machine, { mode: "paused", rate: 1, now: iso(0) });
  const caughtUp = createCatchUp(live, journal, unreadCount);
  const stage = createStage({ machine, clock, entries: journal.entries, caughtUp });
  const endpoints = createEndpoints({ api, live, entries: journal.entries, until: stage.until });
  await endpoints.read();
  const listed: JournalEntry[] = [];
  createStagedLive(live, stage).onEntries((entries) => void listed.push(...entries));
  const toasts = createToasts();
  const ledger = createLedger({
    api,
    toasts,
    stage,
    undo: { save: async () => undefined, ended: () => undefined, kept: () => undefined },
  });
  const model = createTimeline({ api, arriving: live, stage, machine }, "wh_1");
  await vi.advanceTimersByTimeAsync(500);

  const minutes = (at: number) => (at - START) / 60_000;
  return {
    stage,
    ledger,
    listed,
    /** Waits until pending reads have finished. */
    settle: () => vi.advanceTimersByTimeAsync(500),
    answer: () => answer(RESULT),
    /** The server has reached the end of the advance, and reports it. */
    happen() {
      server = { timeline: AFTER, webhooks: [DISABLED] };
      for (const listener of listeners) listener(CAUSED);
      hearClock(clockMessage({ now: iso(80), last_seq: 5 }).data);
    },
    /** The clock moves without anything happening. */
    pass: (to: number, lastSeq: number) => hearClock(clockMessage({ now: iso(to), last_seq: lastSeq }).data),
    /** The world is replaced by another, whose journal is followed from this entry. */
    replace(newest: number) {
      begun = newest;
      for (const listener of replaced) listener();
      stage.cut();
    },
    goBack() {
      server = { timeline: BEFORE, webhooks: [HOOK] };
      hearClock(clockMessage({ now: iso(-3) }).data);
    },
    frame(ms: number) {
      real += ms;
      for (const run of frames.splice(0)) run();
    },
    /** Everything that the page draws. */
    drawn: () => ({
      line: minutes(stage.now.value),
      attempts: model.marks.value.filter(({ kind }) => kind === "attempt").map(({ at }) => minutes(at)),
      ghosts: model.marks.value
        .filter(({ kind }) => kind === "planned" || kind === "forecast")
        .map(({ at }) => minutes(at)),
      counter: model.timeline.value!.counter.consecutive_failures,
      curve: model.curve.value.past.map(({ at }) => minutes(at)),
      flags: model.timeline.value!.changes.slice(1).map(({ at }) => minutes(Date.parse(at))),
      listed: endpoints.list.value!.map(({ consecutive_failures: count }) => count)[0],
      badge: endpoints.own.value.filter(({ status }) => status === "disabled").length,
      summary: ledger.last.value?.entries.map(({ at }) => minutes(Date.parse(at))),
    }),
  };
}

describe("the animation of an advance", () => {
  test("the page draws an advance frame by frame, and shows the state at the position of the progress line", async () => {
    const page = await open();
    void page.ledger.advance({ by: "80m" });
    await page.settle();
    page.happen();
    await page.settle();
    // The data has arrived, but the line has not moved, so nothing else on the page has changed.
    expect(page.drawn()).toMatchObject({ line: 0, attempts: [0], ghosts: [1, 11, 71], counter: 1, badge: 0 });
    expect(page.drawn().summary).toBeUndefined();
    page.answer();
    await page.settle();

    const seen = new Set<string>();
    for (let frames = 0; frames < 200 && page.stage.until.value !== undefined; frames += 1) {
      const { line, attempts, ghosts, counter, curve, flags, listed, badge, summary } = page.drawn();
      const reached = MINUTES.filter((minutes) => minutes <= line);
      const disabled = line >= 71;
      expect({ line, attempts }).toEqual({ line, attempts: [0, ...reached] });
      expect({ line, ghosts }).toEqual({ line, ghosts: MINUTES.filter((minutes) => minutes > line) });
      expect({ line, curve }).toEqual({ line, curve: attempts });
      expect({ line, counter, listed }).toEqual({ line, counter: attempts.length, listed: attempts.length });
      expect({ line, flags }).toEqual({ line, flags: disabled ? [71, 71] : [] });
      expect({ line, badge }).toEqual({ line, badge: disabled ? 1 : 0 });
      expect({ line, summary }).toEqual({ line, summary: [...reached, ...(disabled ? [71, 71] : [])] });
      expect(page.listed).toEqual([]);
      seen.add(String(attempts.length));
      page.frame(16);
      await vi.advanceTimersByTimeAsync(0);
    }
    expect([...seen]).toEqual(["1", "2", "3", "4"]);
    expect(page.drawn()).toMatchObject({ line: 80, counter: 4, badge: 1, flags: [71, 71] });
    expect(page.listed).toHaveLength(CAUSED.length);
    expect(page.ledger.last.value).toMatchObject({ playing: false, total: 5 });
  });

  test("an advance is drawn immediately if the user skips the animation or prefers reduced motion", async () => {
    const page = await open();
    void page.ledger.advance({ by: "80m" });
    await page.settle();
    page.happen();
    await page.settle();
    page.answer();
    await page.settle();
    page.frame(100);
    page.stage.skip();
    await page.settle();
    expect(page.drawn()).toMatchObject({ line: 80, counter: 4, badge: 1 });

    const still = await open({ moves: false });
    void still.ledger.advance({ by: "80m" });
    await still.settle();
    still.happen();
    await still.settle();
    expect(still.drawn()).toMatchObject({ line: 0, counter: 1, badge: 0 });
    still.answer();
    await still.settle();
    expect(still.drawn()).toMatchObject({ line: 80, counter: 4, badge: 1 });
    expect(still.ledger.last.value).toMatchObject({ playing: false, total: 5 });
  });

  test("the page skips the animation if there are no new entries, even if there are older ones", async () => {
    const page = await open({ moves: false, begun: 7 });
    page.pass(30, 7);
    await page.settle();
    expect(page.drawn().line).toBe(30);
  });

  test("the page skips the animation if the journal is shorter than before", async () => {
    const page = await open({ moves: false });
    void page.ledger.advance({ by: "80m" });
    await page.settle();
    page.happen();
    page.answer();
    await page.settle();
    expect(page.drawn().line).toBe(80);
    page.replace(2);
    page.pass(0, 2);
    page.pass(30, 2);
    await page.settle();
    expect(page.drawn().line).toBe(30);
  });

  test("the page skips the animation if another world's clock arrives before that world's entries", async () => {
    const page = await open({ moves: false });
    page.pass(30, 9);
    await page.settle();
    expect(page.drawn().line).toBe(0);
    page.replace(9);
    await page.settle();
    expect(page.drawn().line).toBe(30);
  });

  test("while another advance is pending, the page draws no entries beyond the progress line unless the world goes back in time", async () => {
    const page = await open({ moves: false });
    page.stage.expect();
    page.stage.expect();
    page.stage.expect();
    void page.stage.arrive(START, 0);
    await page.settle();
    expect(page.stage.until.value).toBe(START);
    page.happen();
    void page.stage.arrive(Date.parse(iso(80)), 5);
    await page.settle();
    expect(page.drawn().line).toBe(80);
    expect(page.stage.until.value).toBe(Date.parse(iso(80)));
    page.goBack();
    await page.settle();
    expect(page.drawn().line).toBe(-3);
    expect(page.stage.until.value).toBeUndefined();
  });

  test("the page also animates an advance started by another client, and stops if the world goes back in time", async () => {
    const page = await open();
    page.happen();
    await page.settle();
    page.frame(300);
    const { line, counter } = page.drawn();
    expect(line).toBeGreaterThan(0);
    expect(line).toBeLessThan(80);
    expect(counter).toBeLessThan(4);
    page.goBack();
    await page.settle();
    expect(page.drawn().line).toBe(-3);
    expect(page.stage.until.value).toBeUndefined();
  });
});
