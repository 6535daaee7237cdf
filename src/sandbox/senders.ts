import { didYouMean } from "../errors/closest.ts";
import { notFound, type SandboxError } from "../errors/errors.ts";
import type { Payments } from "../payments/payments.ts";
import { PLATFORM_SENDER } from "../payments/webhooks/platform.ts";
import { loadOnce } from "../runtime/load-once.ts";
import type { ApiEffects, ApiRequest } from "../senders/api/api.ts";
import { secretVariable } from "../senders/secret-variable.ts";
import { parseBody } from "../webhooks/body-text.ts";
import type { FileSender } from "../webhooks/described.ts";
import { checkType } from "../webhooks/senders.ts";
import { iso } from "../world/duration.ts";

/** An event of a sender, which may already have its body and its id. */
export interface EventToEmit {
  type: string;
  data?: object | undefined;
  /** The body that is sent. */
  body?: string | undefined;
  id?: string;
}

function unknownStory(sender: string, story: string, stories: readonly { name: string }[]): SandboxError {
  const names = stories.map(({ name }) => name);
  const hint = didYouMean(story, names, `Its stories: ${names.join(", ")}.`);
  return notFound(`${sender} has no story ${story.slice(0, 100)}.`, hint);
}

/**
 * The operations on senders of files.
 * @param settleTimeout real milliseconds in which a first attempt has to get its answer
 */
export function createSenderControls(
  { world, senders, events, deliveries }: Payments,
  settleTimeout: number,
) {
  const { store, clock, ids } = world;

  /** A sender in use, or one of the package or of a file, which is loaded now. */
  async function load(name: string): Promise<FileSender> {
    if (senders.names().includes(name)) return senders.file(name);
    const { readShipped } = await import("../senders/files.ts");
    return readShipped(name, senders.names());
  }

  /** The APIs of senders, loaded at the first call. */
  const apis = loadOnce(async () => (await import("../senders/api/api.ts")).createSenderApis(world));

  /** Sends an event to a sender's endpoints. @param body replaces the example body with `data` merged over it */
  function emit(sender: FileSender, { type, data, body, id = ids.next("evt_") }: EventToEmit) {
    const made = body ?? sender.makeBody(type, data, id, clock.now());
    // The sender's API knows each event, whether it is delivered or not.
    store.transaction(() => events.emit(sender.name, type, () => made, { id, unsent: true }));
    return { id, body: made };
  }

  /**
   * Sends an event to a sender's endpoints, and waits for the first attempts. `data` is merged over the example body.
   * @throws SandboxError `not_found`, `bad_request`
   */
  async function send(name: string, { type, data }: { type: string; data?: object | undefined }) {
    const sender = await load(name);
    checkType(type, sender);
    const disabled = events.disabled(name, type);
    const { id, body } = emit(sender, { type, data });
    const rows = await deliveries.firstAttempts([id], settleTimeout);
    return {
      id,
      type,
      sender: name,
      body: parseBody(body),
      deliveries: rows.map(deliveries.resource),
      disabled,
    };
  }

  return {
    /** Answers a call of a sender's API. @throws SandboxError `not_found` */
    async callApi(name: string, request: ApiRequest) {
      const [sender, api] = await Promise.all([load(name), apis.get()]);
      return api.answer(sender, request);
    },

    /** The effects of a sender's API calls. */
    async effectsOf(sender: FileSender): Promise<ApiEffects> {
      return (await apis.get()).effectsOf(sender);
    },

    /**
     * Enables registering endpoints of a sender; the platform's can always be registered.
     * @throws SandboxError `not_found`
     */
    async use(name?: string): Promise<void> {
      if (name === undefined || name === PLATFORM_SENDER) return;
      const sender = await load(name);
      store.transaction(() => senders.keep(sender));
    },

    /** Every sender whose endpoints can be registered. */
    async list() {
      const [{ shippedSenders }, { storiesOf }] = await Promise.all([
        import("../senders/files.ts"),
        import("../senders/event-list.ts"),
      ]);
      const used = senders.names();
      const names = [...used, ...shippedSenders().filter((name) => !used.includes(name))];
      return Promise.all(
        names.map(async (name) => {
          const { facts, events, example } = await load(name);
          const isUsed = used.includes(name);
          return {
            name,
            documentation: facts.documentation ?? null,
            read: facts.read ?? null,
            events: events.map((type) => ({ type, body: isUsed ? parseBody(example(type)) : null })),
            assumed: facts.assumed,
            secret_variable: secretVariable(name),
            notes: facts.notes,
            stories: storiesOf({ name, facts, events }).map(({ name, events }) => ({
              name,
              events: events.map(({ type }) => type),
            })),
            in_use: isUsed,
          };
        }),
      );
    },

    emit,
    send,

    /** Sends the events of a sender's story, and moves the clock from each to the next. @throws SandboxError `not_found` */
    async play(name: string, story: string) {
      const sender = await load(name);
      const { storiesOf } = await import("../senders/event-list.ts");
      const stories = storiesOf(sender);
      const played = stories.find((one) => one.name === story);
      if (!played) throw unknownStory(name, story, stories);
      const from = clock.now();
      const sent = [];
      for (const { type, after, data } of played.events) {
        const due = from + after;
        if (due > clock.now()) await world.scheduler.advance({ to: due });
        sent.push(await send(name, { type, data }));
      }
      return { sender: name, story, from: iso(from), to: iso(clock.now()), events: sent };
    },
  };
}
