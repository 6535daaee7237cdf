import { invalidState } from "../errors/errors.ts";
import type { Inbox, InboxMessage, Sandbox } from "../library/index.ts";

/** A delivery of the platform, as far as a message is made of it. */
interface SentDelivery {
  id: string;
  created_at: string;
  request_headers: Record<string, string>;
  request_body: string;
  response_code: number | null;
}

/** Most that the platform lists at once. */
const DELIVERIES = 100;

/** What a scenario's sandbox does for its run beside what the library's does. */
export interface RunHooks {
  /** The receiver that takes the part of every inbox. */
  subscriber: string | null;
  /** Hears where the clock stands, ISO 8601, whenever that is known. */
  clockAt: (now: string) => void;
  /** Hears of worlds that the scenario opened. */
  opened: (world: Sandbox) => void;
  /** Does what takes the world back to an earlier time. */
  goBack: (work: () => Promise<void>) => Promise<void>;
  /** Returns the world with calls that are followed to their end. */
  watch: (world: Sandbox) => Sandbox;
}

/** A world as a scenario sees it: the library's surface, with the user's receiver in place of the inboxes. */
export function scenarioSandbox(sandbox: Sandbox, hooks: RunHooks): Sandbox {
  const { subscriber, clockAt, opened, goBack, watch } = hooks;
  const { clock } = sandbox;
  const inWorld = (world: Sandbox): Sandbox => {
    opened(world);
    return scenarioSandbox(world, { ...hooks, clockAt: () => {}, goBack: (work) => work() });
  };
  return watch({
    ...sandbox,
    clock: {
      ...clock,
      async advance(by) {
        const result = await clock.advance(by);
        clockAt(result.to);
        return result;
      },
      async set(change) {
        const state = await clock.set(change);
        clockAt(state.now);
        return state;
      },
    },
    ...(subscriber === null ? {} : { inbox: () => receiverAsInbox(sandbox, subscriber) }),
    restore: (snapshot) => goBack(() => sandbox.restore(snapshot)),
    reset: (seed) => goBack(() => sandbox.reset(seed)),
    undo: () => goBack(() => sandbox.undo()),
    open: async (options) => inWorld(await sandbox.open(options)),
    fork: async (name) => inWorld(await sandbox.fork(name)),
  });
}

/** What a receiver of the user's got is known from the deliveries that were really sent to it. */
function receiverAsInbox(sandbox: Sandbox, url: string): Inbox {
  return {
    url,
    async messages() {
      const started = await sandbox.events({ types: ["delivery.started"] });
      const resumed = new Set(
        (await sandbox.events({ types: ["delivery.resumed"] })).map(({ data }) => data.id),
      );
      // Of a fault that lets the request through, it is known that it was sent.
      const sent = new Map(started.map(({ data }) => [data.id, data.sent]));
      const order = new Map(started.map(({ data }, index) => [data.id, index]));
      const endpoints = (await sandbox.webhooks.list()).filter((endpoint) => endpoint.url === url);
      const lists = await Promise.all(
        endpoints.map(({ id }) =>
          sandbox.platform.call<{ data: SentDelivery[] }>(
            "GET",
            `/webhooks/${id}/deliveries?limit=${DELIVERIES}`,
          ),
        ),
      );
      return (
        lists
          .flatMap(({ data }) => data)
          .filter(({ id, response_code }) => order.has(id) && (sent.get(id) ?? response_code !== null))
          .sort((a, b) => order.get(a.id)! - order.get(b.id)!)
          // What was interrupted after it had arrived came twice.
          .flatMap((delivery) =>
            sent.get(delivery.id) === true && resumed.has(delivery.id) ? [delivery, delivery] : [delivery],
          )
          .map(
            (delivery, index): InboxMessage => ({
              seq: index + 1,
              received_at: delivery.created_at,
              headers: lowerCase(delivery.request_headers),
              body: delivery.request_body,
              signature: "valid",
              // Such a fault takes the place of the answer.
              answered:
                sent.get(delivery.id) === true && !resumed.has(delivery.id) ? 0 : delivery.response_code!,
            }),
          )
      );
    },
    behave: async () => {
      throw invalidState(
        `The subscriber at ${url} takes the place of the inbox, so its behaviour cannot be set.`,
        "Make the endpoint fail with sandbox.webhooks.fail(id, fault), which works with any subscriber.",
      );
    },
  };
}

const lowerCase = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
