import type { Api } from "../../api.ts";
import type { Arrival, PlayedSchedule, StoryOutline, Timeline } from "../../api-types.ts";
import type { LedgerModel } from "../ledger.ts";

/** Labels for the ways an event can arrive. */
export const ARRIVAL_WORDS: Record<Arrival, string> = {
  arrives: "arrives",
  lost: "lost",
  twice: "arrives twice",
  late: "late, with the next one",
  swapped: "swapped with the next one",
};

/** The id prefix of marks for a story that has not been run yet. */
const GHOST = "story/";
export const isGhost = (eventId: string): boolean => eventId.startsWith(GHOST);

/** A story's events as planned attempts, starting at a given instant. */
export const ghostsOf = ({ events }: StoryOutline, from: number): Timeline["planned"] =>
  events.map(({ event, after_ms }, index) => ({
    ...{ event, event_id: `${GHOST}${index}`, attempt: 1 },
    due_at: new Date(from + after_ms).toISOString(),
  }));

/**
 * Runs a story and shows it as an advance.
 * @returns undefined if the story was rejected, which is then reported to the user
 */
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
