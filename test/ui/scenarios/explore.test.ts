import type { ReadonlySignal } from "@preact/signals";
import { describe, expect, test } from "vitest";
import type { Exploration, ScenarioApi } from "../../../ui/models/scenarios/api.ts";
import { drawRuns } from "../../../ui/models/scenarios/drawing.ts";
import {
  EMPTY_DRAFT,
  Explore,
  progressWords,
  readDraft,
  scenarioCommand,
} from "../../../ui/models/scenarios/explore.ts";

const subscriber = "http://127.0.0.1:3000/webhooks";

/** Resolves once a signal has such a value. */
const until = <Value>(signal: ReadonlySignal<Value>, matches: (value: Value) => boolean): Promise<void> =>
  new Promise((resolve) => {
    signal.subscribe((value) => {
      if (matches(value)) resolve();
    });
  });

const whole = {
  ...EMPTY_DRAFT,
  subscriber: ` ${subscriber} `,
  state: "http://127.0.0.1:3000/state",
  reset: "http://127.0.0.1:3000/reset",
};

describe("a draft", () => {
  test("has the addresses that were filled in", () => {
    expect(readDraft(whole)).toEqual({
      subscriber,
      state: "http://127.0.0.1:3000/state",
      reset: "http://127.0.0.1:3000/reset",
      deviations: 2,
    });
    const draft = {
      ...whole,
      story: "late-payment",
      state: "http://127.0.0.1:4000/s",
      secret: "whsec_x",
      ignore: 'a, b.*, c["d,e"],',
      deviations: "3",
    } as const;
    expect(readDraft(draft)).toMatchObject({
      story: "late-payment",
      state: "http://127.0.0.1:4000/s",
      secret: "whsec_x",
      ignore: ["a", "b.*", 'c["d,e"]'],
      deviations: 3,
    });
  });

  test("says which address is missing: nothing is sent to one that was not filled in", () => {
    expect(() => readDraft(EMPTY_DRAFT)).toThrow(/Where does your server receive webhooks/);
    expect(() => readDraft({ ...whole, state: "" })).toThrow(/return its state.*3000\/state/);
    expect(() => readDraft({ ...whole, reset: " " })).toThrow(/empty its state.*3000\/reset/);
  });

  test("has a command with the secret, where the exploration had one", () => {
    expect(scenarioCommand("explore-x", { subscriber, own_secret: true })).toBe(
      `npx sandglass run explore-x --subscriber ${subscriber} --secret <secret>`,
    );
    expect(scenarioCommand("explore-x", { subscriber, own_secret: false })).not.toContain("--secret");
  });
});

test("the progress is a count", () => {
  expect(progressWords({ progress: null })).toBe("Playing the story when everything goes well");
  const progress = { story: "checkout", deviations: 2, schedules: 342, tried: 61, alike: 3, undelivered: 0 };
  expect(progressWords({ progress })).toBe("checkout, 2 deviations: 61 of 342 schedules");
});

describe("an exploration", () => {
  const running = { id: "exp_1", status: "running", progress: null } as Exploration;
  const startWhole = async (explore: Explore): Promise<void> => {
    explore.draft.value = whole;
    await explore.start();
  };

  test("is followed until it has ended", async () => {
    const answers = [running, running, { ...running, status: "nothing_found" }];
    const api = {
      stories: async () => [],
      explorations: async () => [],
      explore: async () => running,
      exploration: async () => answers.shift()!,
    } as unknown as ScenarioApi;
    using explore = new Explore(api);
    await startWhole(explore);
    await until(explore.current, (current) => current?.status === "nothing_found");
    expect(answers).toEqual([]);
  });

  test("is there again when the page is opened again, with what it was asked for with", async () => {
    const asked = { ...readDraft(whole), story: null, ignore: ["a", "b.*"], deviations: 4, own_secret: true };
    const latest = { ...running, ...asked };
    const answers = [latest, { ...latest, status: "found" as const }];
    const api = {
      stories: async () => [],
      explorations: async () => [{ ...running, id: "exp_0" }, latest],
      exploration: async () => answers.shift()!,
    } as unknown as ScenarioApi;
    using explore = new Explore(api);
    await until(explore.current, (current) => current?.status === "found");
    expect(explore.draft.value).toEqual({
      ...whole,
      subscriber,
      ignore: "a, b.*",
      deviations: "3",
    });
  });

  test("that the server does not have any more is an error", async () => {
    const api = {
      stories: async () => [],
      explorations: async () => [],
      explore: async () => running,
      exploration: async () => {
        throw new Error("There is no exploration 'exp_1'.");
      },
    } as unknown as ScenarioApi;
    using explore = new Explore(api);
    await startWhole(explore);
    await until(explore.error, (error) => error !== undefined);
    expect(explore.error.value?.message).toBe("There is no exploration 'exp_1'.");
  });
});

test("both runs are drawn on one axis", () => {
  const attempt = (at: string, event: string, status: string) => ({
    delivery_id: `del_${at}`,
    event_id: `evt_${event}`,
    event,
    attempt: 1,
    trigger: "automatic",
    status,
    response_code: status === "success" ? 200 : null,
    error: status === "success" ? null : "connection_refused",
    started_at: `2026-01-15T09:${at}Z`,
    ended_at: `2026-01-15T09:${at}Z`,
    next_attempt_at: null,
  });
  const timeline = (now: string, ...attempts: object[]) =>
    ({
      now: `2026-01-15T09:${now}Z`,
      attempts,
      planned: [],
      skipped: [],
      forecast: { attempts: [], disabled_at: null },
      changes: [{ type: "created", reason: null, at: "2026-01-15T09:00:00Z" }],
    }) as never;
  const timelines = {
    calm: timeline("01:00", attempt("01:00", "a", "success")),
    found: timeline("11:00", attempt("01:00", "a", "failed"), attempt("11:00", "a", "success")),
    second: timeline("11:00", attempt("02:00", "a", "success")),
  };
  const drawn = drawRuns({ timelines, lost: ["del_01:00"] }, 400);
  expect(drawn.calm.groups.map(({ at }) => drawn.x(at))).toEqual([
    drawn.x(Date.parse("2026-01-15T09:01:00Z")),
  ]);
  expect(drawn.found.groups.map(({ tone }) => tone)).toEqual(["bad", "good"]);
  const labels = drawn.found.groups.flatMap(({ marks }) => marks.map(({ label }) => label));
  expect(labels, "a lost request is no refused connection").toEqual(["lost", "200"]);
  expect(drawn.x(Date.parse("2026-01-15T09:11:00Z"))).toBe(400);
  expect(drawn.second!.groups.map(({ tone }) => tone)).toEqual(["good"]);
  expect(drawRuns({ timelines: { ...timelines, second: null }, lost: [] }, 400).second).toBeNull();
  expect(drawn.axis.filter(({ label }) => label !== undefined).length).toBeGreaterThan(1);
});
