import { invalidState } from "../errors/errors.ts";
import type { Delivery, Inbox, InboxMessage, Sandbox } from "../library/index.ts";

/** The platform's maximum page size for deliveries. */
const DELIVERIES = 100;

/** What a scenario's sandbox has in addition to the library's sandbox. */
export interface RunHooks {
  /** The subscriber that replaces every inbox. */
  subscriber: string | null;
  /** Called whenever the clock's time becomes known, with that time in ISO 8601 format. */
  clockAt: (now: string) => void;
  /** Called with each world that the scenario opens. */
  opened: (world: Sandbox) => void;
  /** Runs a function that takes the world back to an earlier time. */
  goBack: (work: () => Promise<void>) => Promise<void>;
  /** Wraps a world so that its calls are tracked until they settle. */
  watch: (world: Sandbox) => Sandbox;
}

/** A scenario's world: the library's sandbox, in which the user's subscriber replaces the inboxes. */
export function scenarioSandbox(sandbox: Sandbox, hooks: RunHooks): Sandbox {
  const { subscriber, clockAt, opened, goBack, watch } = hooks;
  const { clock } = sandbox;
  const inWorld = (world: Sandbox): Sandbox => {
    opened(world);
    return scenarioSandbox(world, { ...hooks, clockAt: () => {}, goBack: (work) => work() });
  };
  const own: Partial<Sandbox> = {
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
  };
  // Do not spread the sandbox: that would read properties that a world with only senders does not have.
  return watch(Object.assign(Object.create(sandbox), own));
}

/**
 * An inbox that stands for the user's subscriber. Its messages are derived from the deliveries that were actually sent
 * to the subscriber.
 */
function receiverAsInbox(sandbox: Sandbox, url: string): Inbox {
  return {
    url,
    async messages() {
      const started = await sandbox.events({ types: ["delivery.started"] });
      const resumed = new Set(
        (await sandbox.events({ types: ["delivery.resumed"] })).map(({ data }) => data.id),
      );
      // If a fault lets the request through, the journal contains the request that was sent.
      const sent = new Map(started.map(({ data }) => [data.id, data.sent]));
      const order = new Map(started.map(({ data }, index) => [data.id, index]));
      const endpoints = (await sandbox.webhooks.list()).filter((endpoint) => endpoint.url === url);
      const lists = await Promise.all(
        endpoints.map(({ id }) =>
          sandbox.platform.call<{ data: Delivery[] }>(
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
          // A request that was interrupted after it arrived has been sent again, so it arrived twice.
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
              // If the request was sent, the subscriber's response was replaced by the fault's.
              answered:
                sent.get(delivery.id) === true && !resumed.has(delivery.id) ? 0 : delivery.response_code!,
            }),
          )
      );
    },
    behave: async () => {
      throw invalidState(
        `The subscriber at ${url} replaces the inbox, so its behaviour cannot be set.`,
        "Make the endpoint fail with sandbox.webhooks.fail(id, fault), which works with any subscriber.",
      );
    },
  };
}

const lowerCase = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
