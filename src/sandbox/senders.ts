import type { Static } from "typebox";
import type { Settings } from "../config/config.ts";
import { didYouMean } from "../errors/closest.ts";
import { notFound, type SandboxError } from "../errors/errors.ts";
import type { DoesLater, ResultOf } from "../operations/index.ts";
import type * as schemas from "../operations/senders.ts";
import { PLATFORM_SENDER } from "../payments/webhooks/platform.ts";
import { loadOnce } from "../runtime/load-once.ts";
import type { ApiEffects, SenderCall } from "../senders/api/api.ts";
import type { ApiAnswer } from "../senders/api/call.ts";
import type { Known } from "../senders/known.ts";
import { secretVariable } from "../senders/secret-variable.ts";
import { parseBody } from "../webhooks/body-text.ts";
import type { FileSender } from "../webhooks/described.ts";
import type { WebhookEngine } from "../webhooks/engine.ts";
import { checkType } from "../webhooks/senders.ts";
import { iso } from "../world/duration.ts";

/** A sender's event, which may already come with a body and an id. */
export interface EventToEmit {
  type: string;
  data?: object | undefined;
  body?: string | undefined;
  id?: string;
}

interface Knowing {
  /** Values from the user's database. They also apply to later events in the world. */
  known?: Known | undefined;
}

/** The events of a story that happen at the same instant. */
export interface StoryInstant {
  /** The time since the story started, in milliseconds. */
  after: number;
  /** Sends the events and waits for their first attempts. */
  send(): Promise<Static<typeof schemas.SentEvent>[]>;
}

/** Operations on senders from files, by name. See docs/senders.md. @throws SandboxError `not_found` */
export interface SenderControls {
  callApi(name: string, request: SenderCall): Promise<ApiAnswer>;
  effectsOf(sender: FileSender): Promise<ApiEffects>;
  /** Allows endpoints of a sender to be registered. Endpoints of the platform can always be registered. */
  use(name?: string): Promise<void>;
  /** All senders whose endpoints can be registered. */
  list: DoesLater<"senders.list">;
  /**
   * Sends an event to a sender's endpoints without waiting. `body` replaces the whole example body, so `data` has no
   * effect.
   */
  emit(sender: FileSender, event: EventToEmit): { id: string; body: string };
  /** Like `emit`, but waits for the first attempts. @throws SandboxError `bad_request` for an unknown type */
  send(
    event: { name: string } & Pick<EventToEmit, "type" | "data"> & Knowing,
  ): Promise<ResultOf<"senders.send">>;
  /** The instants of a sender's story, in order. @throws SandboxError `not_found` */
  storyOf(name: string, story: string, knowing?: Knowing): Promise<StoryInstant[]>;
  /** Sends a story's events, advancing the clock from one event to the next. */
  play(story: { name: string; story: string } & Knowing): Promise<ResultOf<"senders.play">>;
}

function unknownStory(sender: string, story: string, stories: readonly { name: string }[]): SandboxError {
  const names = stories.map(({ name }) => name);
  const hint = didYouMean(story, names, `Its stories: ${names.join(", ")}.`);
  return notFound(`${sender} has no story ${story.slice(0, 100)}.`, hint);
}

function viewOf(
  { name, facts, events, example }: FileSender,
  stories: readonly { name: string; events: readonly { type: string }[] }[],
  isUsed: boolean,
): Static<typeof schemas.SenderView> {
  return {
    name,
    documentation: facts.documentation ?? null,
    read: facts.read ?? null,
    events: events.map((type) => ({ type, body: isUsed ? parseBody(example(type)) : null })),
    assumed: facts.assumed,
    secret_variable: secretVariable(name),
    notes: facts.notes,
    stories: stories.map(({ name, events }) => ({ name, events: events.map(({ type }) => type) })),
    in_use: isUsed,
  };
}

/** @param settings `settleTimeout` is how long a first attempt may take, in real milliseconds */
export function createSenderControls(
  { world, senders, events, deliveries }: WebhookEngine,
  { settleTimeout, subject }: Pick<Settings, "settleTimeout" | "subject">,
): SenderControls {
  const { store, clock, ids } = world;

  /** Finds a sender that is already in use, or loads one from the package or a file. */
  async function load(name: string): Promise<FileSender> {
    if (senders.names().includes(name)) return senders.file(name);
    const { readShipped } = await import("../senders/files.ts");
    return readShipped(name, senders.names(), subject);
  }

  /**
   * Loads a sender with values from the user's database. The world stores these values, so the sender's API returns
   * them as well.
   */
  async function loadKnowing(name: string, known: Known | undefined): Promise<FileSender> {
    const sender = await load(name);
    if (known === undefined || Object.keys(known).length === 0) return sender;
    const { knowing } = await import("../senders/known.ts");
    const result = knowing(sender, known);
    store.transaction(() => senders.keep(result));
    return result;
  }

  /** The senders' APIs, loaded on the first call. */
  const apis = loadOnce(async () => (await import("../senders/api/api.ts")).createSenderApis(world));

  const emit: SenderControls["emit"] = (sender, { type, data, body, id = ids.next("evt_") }) => {
    const made = body ?? sender.makeBody(type, data, id, clock.now());
    // The sender's API includes every event, whether or not it was delivered.
    store.transaction(() => events.emit(sender.name, type, () => made, { id, unsent: true }));
    return { id, body: made };
  };

  /**
   * Emits an event immediately.
   * @returns a promise for its first attempts
   */
  function sendNow(sender: FileSender, { type, data }: EventToEmit) {
    const { name } = sender;
    checkType(type, sender);
    const disabled = events.disabled(name, type);
    const { id, body } = emit(sender, { type, data });
    return deliveries.firstAttempts([id], settleTimeout).then((rows) => ({
      ...{ id, type, sender: name, body: parseBody(body) },
      ...{ deliveries: rows.map(deliveries.resource), disabled },
    }));
  }

  const storyOf: SenderControls["storyOf"] = async (name, story, { known } = {}) => {
    const sender = await loadKnowing(name, known);
    const { instantsOf, storiesOf } = await import("../senders/event-list.ts");
    const stories = storiesOf(sender);
    const played = stories.find((one) => one.name === story);
    if (!played) throw unknownStory(name, story, stories);
    return instantsOf(played.events).map((instant) => ({
      after: instant[0]!.after,
      send: () => Promise.all(instant.map((event) => sendNow(sender, event))),
    }));
  };

  return {
    async callApi(name, request) {
      const [sender, api] = await Promise.all([load(name), apis.get()]);
      return api.answer(sender, request);
    },

    effectsOf: async (sender) => (await apis.get()).effectsOf(sender),

    async use(name) {
      if (name === undefined || name === PLATFORM_SENDER) return;
      const sender = await load(name);
      store.transaction(() => senders.keep(sender));
    },

    async list() {
      const [{ shippedSenders }, { storiesOf }] = await Promise.all([
        import("../senders/files.ts"),
        import("../senders/event-list.ts"),
      ]);
      const used = senders.names();
      const names = [...used, ...shippedSenders().filter((name) => !used.includes(name))];
      const views = names.map(async (name) => {
        const sender = await load(name);
        return viewOf(sender, storiesOf(sender), used.includes(name));
      });
      return { data: await Promise.all(views) };
    },

    emit,
    send: async ({ name, known, ...event }) => sendNow(await loadKnowing(name, known), event),

    storyOf,

    async play({ name, story, known }) {
      const instants = await storyOf(name, story, { known });
      const from = clock.now();
      const sent = [];
      for (const { after, send } of instants) {
        const due = from + after;
        if (due > clock.now()) await world.scheduler.advance({ to: due });
        sent.push(...(await send()));
      }
      return { sender: name, story, from: iso(from), to: iso(clock.now()), events: sent };
    },
  };
}
