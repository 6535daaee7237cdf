import type { Api } from "../../api.ts";
import type { Arrival, PlayedSchedule, StoryOutline, Timeline } from "../../api-types.ts";
import type { LedgerModel } from "../ledger.ts";

/** How an event can arrive, in a person's words. */
export const ARRIVAL_WORDS: Record<Arrival, string> = {
  arrives: "arrives",
  lost: "lost",
  twice: "arrives twice",
  late: "late, with the next one",
  swapped: "swapped with the next one",
};

/** Marks of a story that is not played yet have ids of their own. */
const GHOST = "story/";
export const isGhost = (eventId: string): boolean => eventId.startsWith(GHOST);

/** The events of a story as attempts to come, from an instant on. */
export const ghostsOf = ({ events }: StoryOutline, from: number): Timeline["planned"] =>
  events.map(({ event, after_ms }, index) => ({
    ...{ event, event_id: `${GHOST}${index}`, attempt: 1 },
    due_at: new Date(from + after_ms).toISOString(),
  }));

/** Plays a story, and shows it as an advance. @returns undefined if it was refused, which is said */
export async function playStory(
  api: Pick<Api, "playStory">,
  ledger: Pick<LedgerModel, "advance">,
  webhook: string,
  { story, arrivals }: { story: string; arrivals: Arrival[] },
): Promise<PlayedSchedule | undefined> {
  let played: PlayedSchedule | undefined;
  const send = async () => {
    played = await api.playStory(webhook, story, arrivals);
    return { ...played, cancelled: false, reached: true };
  };
  await ledger.advance({ by: 0 }, { label: "the story", send });
  return played;
}
