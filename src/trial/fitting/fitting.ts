import { isDeepStrictEqual } from "node:util";
import { storiesOf } from "../../senders/event-list.ts";
import { knowing } from "../../senders/known.ts";
import type { FileSender } from "../../webhooks/described.ts";
import { wallNow } from "../../world/clock.ts";
import type { SentAttempt } from "../schedules/attempt.ts";
import { Stopped } from "../schedules/exploration.ts";
import type { ExploreOptions } from "../schedules/options.ts";
import { play } from "../schedules/play.ts";
import { CalmRunFailed } from "../schedules/run.ts";
import { openStage } from "../schedules/stage.ts";
import { wireRoot } from "../schedules/wire.ts";
import { senderStory } from "../stories/sender-story.ts";
import type { Story } from "../stories/stories.ts";
import { changesBetween, type Delivered, delivered } from "./delivered.ts";
import type { Fitted, Fitting } from "./fitted.ts";
import { exampleIds } from "./leads.ts";
import { knownOf, senderWith } from "./rows.ts";
import { searchRows } from "./search.ts";
import { fittedWords } from "./words.ts";

export type FittingOptions = Omit<ExploreOptions, "story" | "only" | "known" | "shard" | "fitting"> & {
  stories: readonly Story[];
  /** Receives a description of what was found. */
  onFound?: ((words: readonly string[]) => void) | undefined;
};

/** The story of the same name in another version of the sender's file; undefined for a user-written story. */
function storyWith(story: Story, sender: FileSender): Story | undefined {
  const { by } = story;
  const own = by && storiesOf(sender).find(({ name }) => name === story.name);
  const types = new Set(by?.events.map(({ type }) => type));
  const events = own?.events.filter(({ type }) => types.has(type)) ?? [];
  const isSame = isDeepStrictEqual(
    events.map(({ type, after }) => [type, after]),
    by?.events.map(({ type, after, body }) => [type, after, ...(body === undefined ? [] : [body])]),
  );
  return own && isSame ? senderStory(sender, by!.named, { ...own, events }) : undefined;
}

/**
 * Prepares to fit a sender's stories to the rows of the database copy that the server under test works on. It changes
 * neither rows in place nor user-written stories.
 * @returns undefined if that is not possible
 */
export function createFitting({ onFound, ...options }: FittingOptions): Fitting | undefined {
  const { subject, stories } = options;
  const sender = stories[0]?.by?.sender;
  const isOwn = stories.some((story) => !sender || !storyWith(story, sender));
  if (!sender || isOwn || !subject.server || !subject.statements || !subject.state.tables) return undefined;
  let fitted: Promise<Fitted | undefined> | undefined;
  return {
    find() {
      fitted ??= findRows({ ...options, subject }, sender, onFound);
      return fitted;
    },
  };
}

async function findRows(
  options: FittingOptions,
  sender: FileSender,
  onFound: FittingOptions["onFound"],
): Promise<Fitted | undefined> {
  const { subject, stories, signal } = options;
  const tables = await subject.state.tables!();
  const { copied } = tables;
  if (!copied) return undefined;
  const shapes = await tables.shapes();
  const end = new AbortController();
  const cancel = () => end.abort(new Stopped("cancelled"));
  signal?.addEventListener("abort", cancel);
  if (signal?.aborted) cancel();

  /** Plays a story's calm run, and reads the rows after each event. */
  async function playStory(name: string, own: FileSender): Promise<readonly Delivered[]> {
    const story = storyWith(stories.find((one) => one.name === name)!, own)!;
    if (subject.server!.hasEnded()) await subject.server!.restart();
    // Statements show when the work on an event is done, so there is no need to wait for the state.
    const quiet = subject.statements!.seesAll ? 0 : subject.quiet;
    const stage = await openStage({ ...options, story, subject: { ...subject, quiet } }, end.signal);
    const done: Delivered[] = [];
    const arrived = new Set<SentAttempt>();
    let reading = Promise.resolve();
    try {
      await subject.state.reset();
      let before = await tables.read();
      const run = play(stage, [], {
        root: wireRoot(),
        onStep(_read, attempts) {
          const now = wallNow();
          const all = attempts.filter((sent) => sent.arrivals > 0 && !arrived.has(sent));
          for (const sent of all) arrived.add(sent);
          reading = reading.then(async () => {
            const after = await tables.read();
            const changes = changesBetween(shapes, before, after);
            before = after;
            for (const sent of all) done.push(delivered(sent, own, changes, now));
          });
          return reading;
        },
      });
      await run.catch((error) => {
        if (!(error instanceof CalmRunFailed)) throw error;
      });
      await reading;
      // Statements may be observed only from the first one on.
      const { seesAll } = subject.statements!;
      return done.map((one) => (seesAll || one.statements?.length ? one : { ...one, statements: undefined }));
    } finally {
      await stage.close();
    }
  }

  try {
    const names = stories.map(({ name }) => name);
    const { fits, empty, effective } = await searchRows({
      sender,
      stories: names,
      copied,
      shapes,
      play: playStory,
    });
    onFound?.(fittedWords(fits, empty));
    if (fits.length === 0) return undefined;
    // A row that was given an example's id needs no other example.
    const examples = new Set(exampleIds(sender.facts).map(({ value }) => value));
    const own = senderWith(
      sender,
      fits.filter(({ value }) => !examples.has(value)),
    );
    return {
      effective,
      setsRows: fits.some(({ isSet }) => isSet),
      fit: (story) => storyWith(story, own) ?? story,
      knowing: (one) => knowing(one, knownOf(fits, sender, true)),
    };
  } finally {
    signal?.removeEventListener("abort", cancel);
    await subject.state.reset();
  }
}
