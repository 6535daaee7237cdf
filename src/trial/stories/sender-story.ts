import { createHash } from "node:crypto";
import type { Settings } from "../../config/config.ts";
import { checkPlatformSecret } from "../../payments/webhooks/platform.ts";
import { chooseSender, instantsOf, type SenderChoice, type SenderStory } from "../../senders/event-list.ts";
import { clip, listed } from "../../timeline/text.ts";
import { valuesOf } from "../../webhooks/body-text.ts";
import type { FileSender } from "../../webhooks/described.ts";
import { idLike } from "../../webhooks/example.ts";
import { deviationOf } from "../schedules/deviations/index.ts";
import { RETRIES } from "../schedules/deviations/shared.ts";
import type { Schedule } from "../schedules/schedule.ts";
import { findStories, type Story, type StorySender } from "./stories.ts";

/**
 * The named stories: each is a list of a sender's events, or a name for `findStories`.
 * @param asked all stories by default
 * @param secret the server's secret, if one is specified
 * @throws SandboxError like `chooseSender` and `findStories`; `bad_request` for the secret
 */
export async function chooseStories(
  {
    sender,
    events,
    known,
    version,
    routes,
    stories = [],
  }: Omit<SenderChoice, "story"> & { stories?: readonly string[] | undefined },
  settings: Settings,
  cwd: string,
  secret?: string,
): Promise<readonly Story[]> {
  const names = stories.length === 0 ? [undefined] : [...new Set(stories)];
  const found = names.map(async (story) => {
    const chosen = await chooseSender({ sender, events, story, known, version, routes }, settings.senders);
    if (secret !== undefined) (chosen?.sender.checkSecret ?? checkPlatformSecret)(secret);
    return chosen
      ? chosen.stories.map((one) => senderStory(chosen.sender, sender!, one))
      : findStories(story, settings, cwd);
  });
  return (await Promise.all(found)).flat();
}

/** A story of a sender's listed events. */
export function senderStory(
  sender: FileSender,
  named: string,
  { name, events, isListed }: SenderStory,
): Story {
  return {
    name,
    title: clip(events.map(({ type }) => type).join(", "), 100),
    file: null,
    by: {
      ...{ sender, named, events, isListed },
      newSecret: sender.newSecret(createHash("sha256").update(named).digest()),
    },
    async *play(sandbox, { fresh }, from) {
      const instants = instantsOf(events);
      const times = instants.map(([first]) => first!.after);
      for (const [index, instant] of instants.entries()) {
        if (index < from) continue;
        await sandbox.clock.advance({ by: times[index]! - (times[index - 1] ?? 0) });
        for (const event of instant) {
          // The id is the same in every schedule, however many deliveries came before.
          const id = idLike("evt_0A0a0A0a0A0a0A0a", `${sender.name} ${events.indexOf(event)}`);
          sandbox.senders.emit(sender, { ...event, ...(!fresh && { id }) });
        }
        await sandbox.clock.advance({ by: 0 });
        yield;
      }
    },
  };
}

/** Names the unpublished facts on which a schedule depends, in a sentence; empty if there are none. */
export function assumedIn({ by }: Story, schedule: Schedule): string {
  if (!by) return "";
  const { name, facts } = by.sender;
  const fields = schedule.flatMap(({ kind }) => deviationOf(kind).restsOn ?? RETRIES);
  const assumed = facts.assumed.filter((field) => fields.includes(field));
  return assumed.length === 0
    ? ""
    : ` This relies on facts that ${name} does not publish: ${assumed.join(", ")}.`;
}

/** Matches an e-mail address, or a mix of letters and digits as in `cus_RaXg1o8vlGDgPx`, but not a time. */
const ID = /^(?![\da-f]{40}$)(?=.*\d)(?=(?:.*[a-z]){3})[\w-]{8,60}$|^[\w.+-]+@[\w.-]+$/i;
const MOST_IDS = 4;

/**
 * Names fields that a handler may miss: listed events have their own ids, and none of the user's metadata.
 * @param mayLookUp whether it may have looked up a row by an id
 */
export function missedWords({ sender, events }: StorySender, mayLookUp: boolean): string {
  const own = "If it needs your own strings or metadata, send them: --events with a file of { type, data }.";
  if (!mayLookUp) return own;
  const bodies = new Map(events.map(({ type, body }) => [type, body ?? sender.example(type)]));
  const texts = [...bodies.values()].map((body) => new Set(valuesOf(body).map(({ text }) => text)));
  const shared = [...new Set(texts.flatMap((one) => [...one]))].filter(
    (text) => ID.test(text) && texts.filter((one) => one.has(text)).length > 1,
  );
  const such = shared.length === 0 ? "" : `, such as ${listed(shared.slice(0, MOST_IDS))}`;
  return `If it looks up a row by an id or an e-mail address in these events${such}, add the row. ${own}`;
}
