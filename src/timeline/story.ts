import type { PlayedSteps } from "./schemas.ts";
import { count } from "./text.ts";

/** A story run stored in a journal entry. */
export type PlayedStory = PlayedSteps & { from: string };

/** Whether a journal entry's data describe a story run. A foreign snapshot may contain anything. */
export const isStory = (data: object): data is PlayedStory =>
  "steps" in data &&
  Array.isArray(data.steps) &&
  "schedule" in data &&
  Array.isArray(data.schedule) &&
  "from" in data &&
  typeof data.from === "string" &&
  "story" in data &&
  typeof data.story === "string";

/** `Story checkout`, or `Finding paid-order-cancelled`. */
export const storyTitle = ({ story, finding }: Pick<PlayedStory, "story" | "finding">): string =>
  finding ? `Finding ${finding}` : `Story ${story}`;

/** Summarizes a story run in a line: `4 attempts with lost@2; your handler responded with 500 to one.` */
export function storyText({ steps, schedule }: Pick<PlayedStory, "steps" | "schedule">): string {
  const answers = new Map<number, number>();
  for (const { response_code: code } of steps)
    if (code !== null && (code < 200 || code > 299)) answers.set(code, (answers.get(code) ?? 0) + 1);
  const parts = [
    `${count(steps.length, "attempt")}${schedule.length === 0 ? ", as usual" : ` with ${schedule.join(", ")}`}`,
    ...[...answers].map(
      ([code, times]) => `your handler responded with ${code} to ${times === 1 ? "one" : `${times} of them`}`,
    ),
    ...(answers.size === 0 ? ["your handler accepted every request"] : []),
  ];
  return `${parts.join("; ")}.`;
}
