import { useComputed, useSignalEffect } from "@preact/signals";
import type { TimelineModel } from "../../models/timeline/timeline.ts";

/** Whether all attempts of an event are read; until then, it has them read part by part. */
export function useWholeEvent(model: TimelineModel, eventId: string): boolean {
  const whole = useComputed(() => model.hasWhole(eventId));
  useSignalEffect(() => {
    if (!whole.value && model.data.timeline.value) void model.data.readOlder();
  });
  return whole.value;
}
