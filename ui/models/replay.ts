import type { Webhook } from "../api-types.ts";
import type { Machine } from "./clock.ts";
import { createScore, shownAt } from "./score.ts";
import type { TimelineModel } from "./timeline/timeline.ts";

/** The endpoint of the demo shop to show first, preferably a disabled one. */
export const heroOf = (endpoints: readonly Webhook[]): Webhook | undefined =>
  endpoints.find(({ status }) => status === "disabled") ?? endpoints[0];

/** Half the speed of an advance, because a new user is seeing the timeline for the first time. */
const PACE = 0.5;

/**
 * Replays the latest episode of an endpoint once, from its first attempt to the end.
 * @param since where to start; by default, at the start of the visible period
 * @returns a function that ends the replay and shows everything
 */
export function replayTimeline(
  machine: Machine,
  { past, replaying, marks, timeline, view }: TimelineModel,
  since = view.time.peek().from,
): () => void {
  const instants = marks
    .peek()
    .filter(({ kind, at }) => kind === "attempt" && at >= since)
    .map(({ at }) => at);
  const from = instants[0];
  const to = instants.at(-1);
  if (from === undefined || to === undefined || from === to || !machine.moves()) return () => {};
  const disabled = timeline.peek()!.changes.findLast(({ type }) => type === "disabled");
  const score = createScore(from, to, instants, disabled ? [Date.parse(disabled.at)] : []);
  const began = machine.now();
  replaying.value = true;
  let stop = () => {};
  const end = () => {
    stop();
    past.value = undefined;
    replaying.value = false;
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
