import type { Static } from "typebox";
import type { Settings } from "../../config/config.ts";
import type * as schemas from "../../operations/stories.ts";
import { isTyped } from "../../webhooks/by-type.ts";
import { SECOND } from "../../world/duration.ts";
import type { SentAttempt } from "../schedules/attempt.ts";
import { play } from "../schedules/play.ts";
import { canHappenIn, extensions } from "../schedules/schedule.ts";
import { openStage } from "../schedules/stage.ts";
import { wireRoot } from "../schedules/wire.ts";
import type { Story } from "../stories/stories.ts";
import { FUNCTION_URL } from "../subject/subscriber.ts";
import { asItIs, NOTHING_TO_COMPARE } from "./as-it-is.ts";

/** The deviations that a person can choose, keyed by their names on the page. */
export const KINDS = { lost: "lost", twice: "resend", late: "slow", swapped: "swap" } as const;
export type Arrival = Static<typeof schemas.StoryToPlay>["arrivals"] extends (infer One)[] | undefined
  ? One
  : never;

interface Outlined {
  settings: Settings;
  story: Story;
  endpoint: { secret: string; events: readonly string[] };
}

/**
 * Plays a story in which everything is accepted, without sending anything. @returns what an endpoint gets, and how it could
 * arrive
 */
export async function outlineOf({
  settings,
  story,
  endpoint,
}: Outlined): Promise<Static<typeof schemas.StoryOutline>> {
  const { signal } = new AbortController();
  const subject = asItIs(FUNCTION_URL, () => new Response());
  const stage = await openStage(
    {
      ...{ subject, story, settings, secret: endpoint.secret, seed: "outline", deviations: 1 },
      ...{ budget: SECOND, timeout: SECOND, ignore: [] },
    },
    signal,
  );
  try {
    const begun = stage.sandbox.clock.now();
    const { attempts } = await play(stage, [], { calm: NOTHING_TO_COMPARE, root: wireRoot() });
    const gets = (type: string) =>
      endpoint.events.length === 0 || endpoint.events.some((one) => one === "*" || isTyped(one, type));
    const got = attempts.filter(({ event }) => gets(event));
    const possible = extensions([], got, null, canHappenIn({ story, subject: {} }));
    return {
      story: story.name,
      events: got.map(({ event, at }: SentAttempt, index) => ({
        event,
        after_ms: at - begun,
        can: [
          "arrives" as const,
          ...(Object.keys(KINDS) as (keyof typeof KINDS)[]).filter((name) =>
            possible.some(
              ([one]) =>
                one!.at === index && one!.kind === KINDS[name] && (one!.beside ?? index + 1) === index + 1,
            ),
          ),
        ],
      })),
    };
  } finally {
    await stage.close();
  }
}
