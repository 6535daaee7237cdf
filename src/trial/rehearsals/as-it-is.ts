import type { Sandbox } from "../../sandbox/sandbox.ts";
import { ATTEMPT_TIMER } from "../../webhooks/plans.ts";
import { LAST_INSTANT } from "../../world/duration.ts";
import { createCourier } from "../schedules/courier.ts";
import type { Run, Stage } from "../schedules/run.ts";
import { createContents } from "../schedules/wire.ts";
import type { Story } from "../stories/stories.ts";
import { Comparison } from "../subject/state.ts";
import type { Handler, Subject } from "../subject/subscriber.ts";

/** A server that is used as it is: nothing is read, copied, restored or restarted. */
export const asItIs = (url: string, handler?: Handler): Subject => ({
  ...{ url, handler, quiet: 0 },
  state: {
    ...{ source: null, resetBy: null },
    read: async () => null,
    reset: async () => undefined,
    forget: () => undefined,
    release: async () => undefined,
  },
  close: () => undefined,
});

/** Stands for the calm run if no states are compared. A run compared with it never fails because of a response. */
export const NOTHING_TO_COMPARE: Run = {
  ...{ schedule: [], attempts: [], recovery: null, state: null, lag: 0 },
  ...{ undelivered: "", delivered: true, refused: [], broken: null },
};

interface Scene {
  /** A world that keeps running: it is not reset to its beginning. */
  sandbox: Sandbox;
  endpoint: { id: string; url: string };
  story: Story;
  signal: AbortSignal;
}

/**
 * A stage at an endpoint of a world that keeps running.
 * @returns the stage, and a function that removes its courier from the world
 */
export function stageIn({ sandbox, endpoint: { id, url }, story, signal }: Scene): {
  stage: Stage;
  leave: () => void;
} {
  const { clock, webhooks, world } = sandbox;
  const subject = asItIs(url);
  const courier = createCourier();
  let second: string | undefined;
  const leave = webhooks.engine.carriedBy((send) =>
    courier.wrap(send, send, (webhookId) => webhookId === id || webhookId === second),
  );
  /** Anything that the world had already planned is unrelated to the story. */
  const newest = world.timers.newestId();
  const isOfStory = (timer: { id: number; kind: string; payload: Record<string, unknown> }): boolean =>
    timer.id > newest && (timer.kind !== ATTEMPT_TIMER || timer.payload.webhook_id === id);
  const stage: Stage = {
    ...{ sandbox, courier, story, subject, signal },
    checkpoints: {
      add: async () => undefined,
      leave: () => undefined,
      latestOf: () => undefined,
      goBack: async () => undefined,
    },
    endpoint: () => id,
    endpoints: () => webhooks.list({}).data.filter((one) => one.id === id || one.id === second),
    isSecond: (webhookId) => webhookId === second,
    registerAgain() {
      const { events, secret, sender } = webhooks.list({}).data.find((one) => one.id === id)!;
      second = webhooks.create({ url, events, secret, sender, another: true }, { url: "/explore" }).id;
    },
    state: async () => null,
    stateBefore: async () => null,
    unknownCalls: async () => [],
    serveApi: () => undefined,
    remote: () => Promise.reject(new Error("A story played in a world is not a scenario.")),
    ...{ comparison: new Comparison([], []), invariant: null, passing: undefined, remembers: true },
    contentOf: createContents(),
    nextDue() {
      for (const timer of world.timers.walk(LAST_INSTANT))
        if (isOfStory(timer)) return () => clock.advance({ to: timer.due });
      return undefined;
    },
    retries: { most: 0, since: clock.state().now },
    draw() {
      throw new Error("A story played in a world has no report.");
    },
    close: async () => leave(),
  };
  return { stage, leave };
}
