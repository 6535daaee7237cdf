import type { Static } from "typebox";
import { conflict, invalidState } from "../../errors/errors.ts";
import type * as schemas from "../../operations/stories.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { clip } from "../../timeline/text.ts";
import { wallNow } from "../../world/clock.ts";
import { iso } from "../../world/duration.ts";
import { deviationText } from "../findings/finding-schema.ts";
import type { SentAttempt } from "../schedules/attempt.ts";
import { deviationOf } from "../schedules/deviations/index.ts";
import { play } from "../schedules/play.ts";
import type { Schedule } from "../schedules/schedule.ts";
import { wireRoot } from "../schedules/wire.ts";
import { attemptWords } from "../schedules/words.ts";
import type { Story } from "../stories/stories.ts";
import { NOTHING_TO_COMPARE, stageIn } from "./as-it-is.ts";

/** The maximum number of journal entries to return, and the maximum length of a response in characters. */
const MOST_ENTRIES = 10_000;
const MOST_ANSWER = 300;

export interface Rehearsal {
  sandbox: Sandbox;
  webhook: string;
  story: Story;
  /** The name of the finding to play. */
  finding?: string;
  schedule: Schedule;
  /** The deviation for each event's first attempt, indexed by the event's number in the story. */
  wishes?: readonly (string | undefined)[];
}

/** Why a schedule cannot be played against a bare URL; undefined if it can. */
export function needOf(schedule: Schedule): string | undefined {
  for (const one of schedule) {
    const { server, does, isInside, keepsFromWork, name, carry } = deviationOf(one.kind);
    const isOfApi = name.startsWith("api-");
    // Two requests can still be sent at the same time, but how their statements interleave is then left to chance.
    if (carry && isInside && does === "hold") continue;
    if (server || isInside || one.point || isOfApi || keepsFromWork)
      return `${deviationText(one)} needs a server that Sandglass starts, with its database`;
  }
  return undefined;
}

/**
 * Plays a story in a world that keeps running, with a schedule of its deliveries, against an endpoint's unmodified server.
 * @throws SandboxError `conflict`, `invalid_state`
 */
export async function rehearse(rehearsal: Rehearsal): Promise<Static<typeof schemas.PlayedSchedule>> {
  const { sandbox, webhook, story, finding, schedule, wishes = [] } = rehearsal;
  const { clock, journal, webhooks } = sandbox;
  const endpoint = webhooks.list({}).data.find(({ id }) => id === webhook)!;
  if (endpoint.status !== "enabled")
    throw invalidState(
      `The endpoint ${webhook} is ${endpoint.status}.`,
      "Enable it and play the story again.",
    );
  if (webhooks.fault({ id: webhook }).spec !== null)
    throw conflict(
      "This endpoint has a fault, which responds instead of its server.",
      "Clear the fault (Works) and play the story again.",
    );
  return sandbox.playUndoable(async () => {
    const began = wallNow();
    const { now: from, mode, rate } = clock.state();
    const before = journal.lastSeq();
    // Pause the clock, so requests at the same instant have the same time.
    await clock.set({ mode: "paused" });
    const url = webhooks.urlOf(webhook)!;
    const { signal } = new AbortController();
    const { stage, leave } = stageIn({ sandbox, endpoint: { id: webhook, url }, story, signal });
    const numbers = new Map<string, number>();
    try {
      const { attempts } = await play(stage, withoutPoints(schedule), {
        ...{ calm: NOTHING_TO_COMPARE, root: wireRoot() },
        wishFor({ eventId, attempt, trigger }) {
          if (trigger !== "automatic" || attempt !== 1) return undefined;
          if (!numbers.has(eventId)) numbers.set(eventId, numbers.size);
          return wishes[numbers.get(eventId)!];
        },
      });
      const differs = (sent: SentAttempt, at: number): string | null => {
        const planned = schedule.find((one) => one.at === at);
        if (planned) return deviationText(planned);
        return sent.deviation === null ? null : deviationText({ at, kind: sent.deviation });
      };
      const steps = attempts.map((sent, at) => ({
        ...{ event: sent.event, delivery_id: sent.id, at: iso(sent.at), differs: differs(sent, at) },
        words: attemptWords(sent, at),
        statement: schedule.find((one) => one.at === at)?.point?.text ?? null,
        response_code: sent.status,
        answer: sent.answer === null ? null : clip(sent.answer, MOST_ANSWER),
      }));
      const played = {
        ...{ story: story.name, finding: finding ?? null, steps },
        schedule: finding ? schedule.map(deviationText) : steps.flatMap(({ differs }) => differs ?? []),
      };
      journal.append("webhook.story", { id: webhook, organization: endpoint.organization, from, ...played });
      return {
        ...{ world: sandbox.world.name, webhook_id: webhook, ...played, from, to: clock.state().now },
        wall_ms: Math.round(wallNow() - began),
        ledger: journal.list({ after: before, order: "asc", limit: MOST_ENTRIES }),
      };
    } finally {
      leave();
      await clock.set({ mode, rate });
    }
  });
}

/** Statements are not observed here. */
const withoutPoints = (schedule: Schedule): Schedule => schedule.map(({ point: _, ...one }) => one);
