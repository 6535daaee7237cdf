import { createHash } from "node:crypto";
import type { Settings } from "../../config/config.ts";
import { chooseSender, type ListedEvent, type SenderChoice } from "../../senders/event-list.ts";
import { clip } from "../../timeline/text.ts";
import type { FileSender } from "../../webhooks/described.ts";
import { idLike } from "../../webhooks/example.ts";
import { SECOND } from "../../world/duration.ts";
import type { DeviationKind, Schedule } from "../schedules/schedule.ts";
import { findStories, type Story, type StorySender } from "./stories.ts";

/** Between two events that nothing is said of. */
const GAP = 20 * SECOND;

/**
 * The stories that a person names: each is a list of a sender's events, or as `findStories`.
 * @param asked without stories, all of them
 * @throws SandboxError as `chooseSender` and `findStories`
 */
export async function chooseStories(
  { sender, events, stories = [] }: Omit<SenderChoice, "story"> & { stories?: readonly string[] | undefined },
  settings: Settings,
  cwd: string,
): Promise<readonly Story[]> {
  const names = stories.length === 0 ? [undefined] : [...new Set(stories)];
  const found = names.map(async (story) => {
    const chosen = await chooseSender({ sender, events, story }, settings.senders);
    return chosen ? [senderStory(chosen.sender, sender!, chosen.listed)] : findStories(story, settings, cwd);
  });
  return (await Promise.all(found)).flat();
}

/**
 * A story that is a list of a sender's events.
 * @param listed the story of its file, or all its types one after another, by default
 */
export function senderStory(
  sender: FileSender,
  named: string,
  listed: readonly ListedEvent[] | undefined,
): Story {
  const events =
    listed ??
    (sender.facts.story ?? sender.events).map((type, index): ListedEvent => ({ type, after: index * GAP }));
  return {
    name: sender.name,
    title: clip(events.map(({ type }) => type).join(", "), 100),
    file: null,
    by: { sender, named, events, newSecret: sender.newSecret(createHash("sha256").update(named).digest()) },
    repeats: true,
    async *play(sandbox, _site, from) {
      for (const [index, { type, after, data, body }] of events.entries()) {
        if (index < from) continue;
        await sandbox.clock.advance({ by: after - (events[index - 1]?.after ?? 0) });
        // The same in every schedule, however many deliveries came before.
        const id = String(idLike("evt_0A0a0A0a0A0a0A0a", `${sender.name} ${index}`));
        sandbox.senders.emit(sender, { type, data, body, id });
        await sandbox.clock.advance({ by: 0 });
        yield;
      }
    },
  };
}

/** Whether a sender can produce a deviation. What is said of no sender here, the network or the subscriber does. */
export function canProduce({ sender: { facts, policy } }: StorySender, kind: DeviationKind): boolean {
  switch (kind) {
    case "test":
    // Two endpoints of a sender may have no id in common by which a handler could tell the copies.
    case "second-endpoint":
      return false;
    case "manual-retry":
    case "manual-resend":
    case "outage":
      return facts.resend;
    case "secret-rotated":
      return facts.signature.also !== undefined;
    case "resend":
      return policy.retryDelays.length > 0;
    case "swap":
    case "overlap":
    case "overlap-5":
    case "overlap-30":
    case "overlap-100":
      return facts.order === "none";
    default:
      return true;
  }
}

/** What deviations rest on, as fields of the sender's file. */
const RESTS_ON: Partial<Record<DeviationKind, string[]>> = {
  slow: ["timeout"],
  outage: ["disable", "resend"],
  "manual-retry": ["resend"],
};
const OF_RETRIES = ["retries.delays", "retries.every", "retries.jitter"];
const WITHOUT_RETRY: ReadonlySet<DeviationKind> = new Set(["overlap", "restart", "resend", "secret-rotated"]);

/** That a schedule rests on facts which the sender does not publish, in a sentence; empty without one. */
export function assumedIn({ sender: { name, facts } }: StorySender, schedule: Schedule): string {
  const fields = schedule.flatMap(({ kind }) => [
    ...(RESTS_ON[kind] ?? []),
    ...(WITHOUT_RETRY.has(kind) ? [] : OF_RETRIES),
  ]);
  const assumed = facts.assumed.filter((field) => fields.includes(field));
  return assumed.length === 0 ? "" : ` This rests on what ${name} does not publish: ${assumed.join(", ")}.`;
}
