import { effect, signal } from "@preact/signals";
import { expect, test } from "vitest";
import type { Api } from "../../ui/api.ts";
import type { ClockMessage } from "../../ui/api-types.ts";
import type { Connection, Live } from "../../ui/live.ts";
import { progressWords } from "../../ui/models/advances.ts";
import { createClock, type Machine } from "../../ui/models/clock.ts";
import { stamp } from "../../ui/models/format.ts";
import { clockMessage } from "./support/socket.ts";

function wound() {
  let real = 0;
  let ticks: (() => void)[] = [];
  let tell: (clock: ClockMessage["data"]) => void = () => {};
  const machine: Machine = {
    now: () => real,
    every(_ms, run) {
      ticks.push(run);
      return () => {
        ticks = ticks.filter((tick) => tick !== run);
      };
    },
    frame: () => () => {},
    moves: () => false,
  };
  const connection = signal<Connection>({ state: "open", attempt: 0 });
  const live = {
    connection,
    onClock(listener: typeof tell) {
      tell = listener;
      return () => {};
    },
  } as unknown as Live;
  const clock = createClock({} as Api, live, machine, {
    mode: "live",
    rate: 1,
    now: "2026-01-15T09:00:00.000Z",
  });
  return {
    clock,
    connect(state: Connection["state"]) {
      connection.value = { state, attempt: 1 };
    },
    shown: () => stamp(clock.now.value),
    tell: (over: Partial<ClockMessage["data"]>) => tell(clockMessage(over).data),
    pass(ms: number) {
      real += ms;
      for (const tick of ticks) tick();
    },
    ticking: () => ticks.length,
  };
}

test("the page redraws its clock once per second of real time", () => {
  const { clock, pass } = wound();
  let drawn = 0;
  effect(() => {
    clock.now.value;
    drawn += 1;
  });
  for (let ticks = 0; ticks < 12; ticks += 1) pass(250);
  expect(drawn).toBe(4);
});

test("the page's clock runs at its rate, and stops when paused", () => {
  const { shown, pass, tell, ticking } = wound();
  pass(1_500);
  expect(shown()).toBe("2026-01-15 09:00:01");
  tell({ mode: "scaled", rate: 60, now: "2026-01-15T09:00:02.000Z" });
  pass(2_000);
  expect(shown()).toBe("2026-01-15 09:02:02");
  tell({ mode: "paused", rate: 60, now: "2026-01-15T09:03:00.000Z" });
  expect(ticking()).toBe(0);
  pass(60_000);
  expect(shown()).toBe("2026-01-15 09:03:00");
});

test("a clock message without changes causes no redraw, but every message about an advance does", () => {
  const { clock, tell } = wound();
  let drawn = 0;
  effect(() => {
    void clock.state.value;
    drawn += 1;
  });
  const drawsFor = (over: Partial<ClockMessage["data"]>) => {
    const before = drawn;
    tell(over);
    return drawn - before;
  };
  const paused = { mode: "paused", now: "2026-01-15T09:00:00.000Z", last_seq: 7 } as const;
  expect(drawsFor(paused)).toBe(1);
  expect(drawsFor(paused)).toBe(0);
  expect(drawsFor({ ...paused, last_seq: 8 })).toBe(1);
  const advance = { from: paused.now, to: null, entries: 0, waiting: 1, ending: false };
  expect([drawsFor({ ...paused, advance }), drawsFor({ ...paused, advance })]).toEqual([1, 1]);
});

test("a finished advance moves the page's clock, and the message about it has no further effect", () => {
  const { clock, shown, tell } = wound();
  clock.reach(Date.parse("2026-01-15T10:00:00.000Z"));
  expect(shown()).toBe("2026-01-15 10:00:00");
  tell({ now: "2026-01-15T10:00:00.000Z", next_own_due: "2026-01-15T10:10:00.000Z", last_seq: 7 });
  expect(shown()).toBe("2026-01-15 10:00:00");
  expect(clock.state.value).toMatchObject({ nextDue: Date.parse("2026-01-15T10:10:00.000Z"), lastSeq: 7 });
  clock.reach(Date.parse("2026-01-15T09:30:00.000Z"));
  expect(shown()).toBe("2026-01-15 10:00:00");
});

test("the page's live clock stops running during an advance", () => {
  const { clock, shown, pass, tell } = wound();
  const advance = {
    from: "2026-01-15T09:00:00.000Z",
    to: "2026-01-15T10:00:00.000Z",
    entries: 12,
    waiting: 1,
    ending: false,
  };
  tell({ mode: "live", now: "2026-01-15T09:24:00.000Z", advance });
  pass(5_000);
  expect(shown()).toBe("2026-01-15 09:24:00");
  expect(progressWords(clock.state.value.advance!)).toBe("24 min of 1 h: 12 entries, waiting for 1 response");
  tell({ mode: "live", now: "2026-01-15T10:00:00.000Z" });
  pass(1_000);
  expect(shown()).toBe("2026-01-15 10:00:01");
});

test.each(["silent", "lost", "ended"] as const)(
  "the page's clock stops while the connection to the server is %s",
  (state) => {
    const { clock, connect, shown, pass, tell, ticking } = wound();
    pass(2_000);
    connect(state);
    expect(ticking()).toBe(0);
    pass(60_000);
    expect(shown()).toBe("2026-01-15 09:00:02");
    expect(stamp(clock.exact())).toBe("2026-01-15 09:00:02");
    connect("open");
    tell({ mode: "live", now: "2026-01-15T09:01:10.000Z" });
    pass(1_000);
    expect(shown()).toBe("2026-01-15 09:01:11");
  },
);
