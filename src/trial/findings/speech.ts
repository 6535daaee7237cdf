import { timesOf } from "../../timeline/instant.ts";
import { factOf } from "../../webhooks/by-type.ts";
import { valueAt } from "../../webhooks/example.ts";
import { SECOND } from "../../world/duration.ts";
import type { SentAttempt } from "../schedules/attempt.ts";
import type { Run } from "../schedules/run.ts";
import type { StorySender } from "../stories/stories.ts";

/** How sentences about a run refer to its sender and events. */
export interface Speech {
  /** `the platform`, or the sender's name. */
  sender: string;
  /** Who retries a temporarily rejected event. */
  retries: string;
  /** What the events are about: `an order`. */
  thing: string;
  /** How a handler gets the current state, phrased to follow "or". */
  ask: string;
  /** What identifies an event. */
  id: string;
  /** An attempt's event type, with its time if the type occurs several times, or its number if the times are equal. */
  nameOf(sent: SentAttempt): string;
  /** Formats an instant of the run. @param at virtual milliseconds */
  timeOf(at: number): string;
  /** When the event happened according to its body, in virtual milliseconds; undefined if the body contains no time. */
  statedTime(sent: SentAttempt): number | undefined;
}

/** @param by the story's sender; undefined for the platform */
export function createSpeech({ attempts }: Run, by: StorySender | undefined): Speech {
  const events = attempts.filter(
    (sent, index) =>
      !sent.background &&
      sent.trigger !== "test" &&
      attempts.findIndex(({ eventId }) => eventId === sent.eventId) === index,
  );
  const name = by?.sender.name;
  const timeOf = timesOf(attempts.map(({ at }) => at));
  return {
    timeOf,
    ...(name === undefined
      ? {
          ...{ sender: "the platform", retries: "the platform sends it again", thing: "an order" },
          ...{ ask: "read the session again", id: "its id (on the platform, by its type and data.id)" },
        }
      : {
          ...{ sender: name, thing: "a record", ask: `ask ${name} for its current state` },
          // All copies of an event have the same body.
          id:
            by!.sender.facts.id === undefined ? `a hash of its body, because ${name} sends no id` : "its id",
          retries:
            by!.sender.policy.retryDelays.length > 0
              ? `${name} sends it again`
              : "it can be sent again by hand",
        }),
    nameOf({ event, eventId, trigger }) {
      const alike = trigger === "test" ? [] : events.filter((one) => one.event === event);
      if (alike.length < 2) return event;
      const { at } = attempts.find((one) => one.eventId === eventId)!;
      const atOnce = alike.filter((one) => one.at === at);
      const number = atOnce.length < 2 ? "" : ` #${atOnce.findIndex((one) => one.eventId === eventId) + 1}`;
      return atOnce.length === alike.length ? event + number : `${event}${number} of ${timeOf(at)}`;
    },
    statedTime({ body, event }) {
      const facts = by?.sender.facts ?? { time: "body.timestamp", unit: "iso" };
      const [time, unit] = [factOf(facts.time, event), factOf<string>(facts.unit, event)];
      if (!time?.startsWith("body.")) return undefined;
      const text = valueAt(time, {}, body) ?? "";
      const at = unit === "iso" ? Date.parse(text) : Number(text) * (unit === "seconds" ? SECOND : 1);
      return text === "" || Number.isNaN(at) ? undefined : at;
    },
  };
}
