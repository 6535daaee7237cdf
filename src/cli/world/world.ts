import type { ResultOf } from "../../client/http.ts";
import { instant } from "../../timeline/instant.ts";
import { view, viewsOf } from "../operation/view.ts";
import { columns, fields, pace, paint, UNDO } from "../output.ts";

const clock = {
  lines: (clock: ResultOf<"clock.state">) =>
    fields([
      ["clock", pace(clock)],
      ["now", `${instant(clock.now)} UTC`],
    ]),
};

/** A clock with the given rate, where 1 is real time. An invalid rate is passed on for the sandbox to reject. */
function clockOf(rate: string | number | undefined, paused = false) {
  const value =
    typeof rate === "string" && rate.trim() !== "" && !Number.isNaN(Number(rate)) ? Number(rate) : rate;
  const mode = paused ? "paused" : value === undefined ? undefined : value === 1 ? "live" : "scaled";
  return { ...(mode && { mode }), ...(value !== undefined && { rate: value }) };
}

export const views = viewsOf(
  view("clock.state", clock),
  view("clock.pause", clock),
  view("clock.resume", clock),
  view("clock.set", { ...clock, read: ({ rate }) => clockOf(rate) }),

  view("reset", {
    lines: ({ world, seed, clock }) => [
      ...fields([
        ["reset", `world ${world}, to seed ${seed}`],
        ["clock", `${pace(clock)}, at ${instant(clock.now)} UTC`],
      ]),
      UNDO,
    ],
  }),

  view("undo", {
    lines: ({ world, clock }) => [
      ...fields([
        ["undone", `world ${world} is as it was before the last reset or restore`],
        ["clock", `${pace(clock)}, at ${instant(clock.now)} UTC`],
      ]),
      paint.dim("Undo that: npx sandglass undo"),
    ],
  }),

  view("worlds.list", {
    lines: ({ data, not_opened }) =>
      columns([
        ...data.map(({ name, url, seed, clock }) => [
          { text: name, color: paint.bold },
          `${instant(clock.now)} UTC`,
          pace(clock),
          `seed ${seed}`,
          { text: url, color: paint.cyan },
        ]),
        ...not_opened.map(({ name, problem, kept_as: file }) => [
          { text: name, color: paint.bold },
          { text: "not opened", color: paint.red },
          problem,
          file,
        ]),
      ]),
  }),

  view("worlds.create", {
    read: ({ paused, rate, ...world }) =>
      paused || rate !== undefined ? { ...world, clock: clockOf(rate, paused) } : world,
    lines: ({ world, url, clock }) => [
      ...fields([
        ["world", { text: world, color: paint.bold }],
        ["url", { text: url, color: paint.cyan }],
        ["clock", `${pace(clock)}, at ${instant(clock.now)} UTC`],
      ]),
      paint.dim(`Use it in other commands: --world ${world}, or SANDGLASS_URL=${url}`),
    ],
  }),

  view("worlds.delete", { lines: ({ name }) => [`Deleted ${name}.`] }),
);
