import type { Webhook } from "../api-types.ts";
import type { Machine } from "./clock.ts";
import { createScore, shownAt } from "./score.ts";
import type { TimelineModel } from "./timeline/timeline.ts";

/** The endpoint of the demo shop whose story a person meets first: one that was disabled. */
export const heroOf = (endpoints: readonly Webhook[]): Webhook | undefined =>
  endpoints.find(({ status }) => status === "disabled") ?? endpoints[0];

/** The story plays at half the pace of an advance, as a person who has just arrived reads it for the first time. */
const PACE = 0.5;

/**
 * Plays an endpoint's latest episode once, from its first attempt to the end, on a timeline that shows the past.
 * @returns the end of it: everything is shown at once
 */
export function tellStory(
  machine: Machine,
  { past, told, marks, timeline, view }: TimelineModel,
): () => void {
  const seen = view.time.peek();
  const instants = marks
    .peek()
    .filter(({ kind, at }) => kind === "attempt" && at >= seen.from)
    .map(({ at }) => at);
  const from = instants[0];
  const to = instants.at(-1);
  if (from === undefined || to === undefined || from === to || !machine.moves()) return () => {};
  const disabled = timeline.peek()!.changes.findLast(({ type }) => type === "disabled");
  const score = createScore(from, to, instants, disabled ? [Date.parse(disabled.at)] : []);
  const began = machine.now();
  told.value = true;
  let stop = () => {};
  const end = () => {
    stop();
    past.value = undefined;
    told.value = false;
  };
  const draw = () => {
    const elapsed = (machine.now() - began) * PACE;
    if (elapsed >= score.duration) return end();
    past.value = shownAt(score, elapsed).until;
    stop = machine.frame(draw);
  };
  draw();
  return end;
}
