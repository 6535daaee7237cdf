import { createHash } from "node:crypto";
import type { Settings } from "../../config/config.ts";
import { chooseSender, type SenderChoice, type SenderStory } from "../../senders/event-list.ts";
import { clip } from "../../timeline/text.ts";
import type { FileSender } from "../../webhooks/described.ts";
import { idLike } from "../../webhooks/example.ts";
import type { DeviationKind, Schedule } from "../schedules/schedule.ts";
import { findStories, type Story, type StorySender } from "./stories.ts";

/**
 * The stories that a person names: a list of a sender's events, or as `findStories`.
 * @param secret that the server verifies with, where one is named
 * @throws SandboxError as `chooseSender` and `findStories`; `bad_request` for the secret
 */
export async function chooseStories(
  asked: SenderChoice,
  settings: Settings,
  cwd: string,
  secret?: string,
): Promise<readonly Story[]> {
  const chosen = await chooseSender(asked, settings.senders);
  if (secret !== undefined) chosen?.sender.checkSecret(secret);
  return chosen
    ? chosen.stories.map((story) => senderStory(chosen.sender, asked.sender!, story))
    : findStories(asked.story, settings, cwd);
}

/** A story that is a list of a sender's events. */
function senderStory(sender: FileSender, named: string, { name, events }: SenderStory): Story {
  return {
    name,
    title: clip(events.map(({ type }) => type).join(", "), 100),
    file: null,
    by: { sender, named, events, newSecret: sender.newSecret(createHash("sha256").update(named).digest()) },
    repeats: true,
    async *play(sandbox, _site, from) {
      for (const [index, { type, after, data, body }] of events.entries()) {
        if (index < from) continue;
        await sandbox.clock.advance({ by: after - (events[index - 1]?.after ?? 0) });
        // The same in every schedule, however many deliveries came before.
        const id = idLike("evt_0A0a0A0a0A0a0A0a", `${sender.name} ${index}`);
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
