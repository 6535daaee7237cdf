import { isDeepStrictEqual } from "node:util";
import { misuse, SandboxError } from "../../errors/errors.ts";
import { wallNow, wallSleep } from "../../world/clock.ts";
import { SECOND } from "../../world/duration.ts";
import type { StateSeen, StateWatch } from "../hazards/hazard.ts";
import { withoutMoments } from "../subject/own-names.ts";
import type { Json } from "../subject/state.ts";
import { EventAmounts } from "./amounts.ts";
import type { Sender } from "./send.ts";
import type { WatchedState } from "./watched-state.ts";

/** How long a subscriber that keeps working after its response may take until its state reflects the whole event. */
const SHOWS_WITHIN_MS = 2 * SECOND;
/** A state that still changes after this time without a new request counts as changing on its own. */
const RESTLESS_AFTER_MS = 2 * SHOWS_WITHIN_MS;
const POLL_MS = 20;
const LEAST_GRACE_MS = 40;

/** How long a state must stay unchanged to count as settled, if an event's last change came after `lag`. */
const graceFor = (lag: number): number => LEAST_GRACE_MS + 1.5 * lag;

/** How the state reflected an event. `late`: its last change came `lastMs` after the response, which is too slow. */
export type Shown = { how: "in time" | "never" } | { how: "late"; lastMs: number };

/** Watches the subscriber's state while requests are sent. It should change only when an event is handled. */
export interface StateProbe {
  /**
   * Sends the first valid event and learns how the state reflects it.
   * @param send resolves with whether the event was accepted
   * @throws SandboxError `bad_request` if the state never settles
   */
  learn(send: () => Promise<boolean>): Promise<Shown>;
  /**
   * Sends a hazard's requests and returns their effect on the state. `first` is sent before `rest`; if `how` is `last`,
   * `rest` sends a single request. Returns null if the state can no longer be read, perhaps because the subscriber
   * crashed.
   */
  watch(
    how: StateWatch,
    first: () => Promise<unknown>,
    rest?: () => Promise<unknown>,
  ): Promise<StateSeen | null>;
  /** Waits until the requests have taken effect. @throws SandboxError `invalid_state` if another program changes tables */
  rest(): Promise<void>;
}

type IsSame = (now: Json, before: Json) => boolean;

interface Waiter {
  grace: number;
  /** The latest settled state, and the number of requests sent by then. */
  atRest: { state: Json; sent: number } | undefined;
  changeWithin(ms: number, before: Json, isSame?: IsSame): Promise<{ state: Json } | undefined>;
  stays(now: Json, isSame?: IsSame): Promise<boolean>;
  settled(): Promise<{ state: Json } | undefined>;
}

function createWaiter(sentCount: Sender["sentCount"], read: WatchedState["read"]): Waiter {
  /** Waits a limited time for a change. @returns the changed state; undefined if it did not change */
  async function changeWithin(
    ms: number,
    before: Json,
    isSame: IsSame = isDeepStrictEqual,
  ): Promise<{ state: Json } | undefined> {
    for (const until = wallNow() + ms; ; ) {
      const now = await read();
      if (!isSame(now, before)) return { state: now };
      const left = until - wallNow();
      if (left <= 0) return undefined;
      await wallSleep(Math.min(left, Math.max(POLL_MS, waiter.grace / 10)));
    }
  }

  /** Whether the state stays unchanged for as long as an event may take to appear. */
  async function stays(now: Json, isSame?: IsSame): Promise<boolean> {
    const sent = sentCount();
    if (await changeWithin(waiter.grace, now, isSame)) return false;
    waiter.atRest = { state: now, sent };
    return true;
  }

  /** Waits for the state to settle; undefined if it does not. */
  async function settled(): Promise<{ state: Json } | undefined> {
    for (const until = wallNow() + SHOWS_WITHIN_MS + 2 * waiter.grace; ; ) {
      const now = await read();
      const isKnown = waiter.atRest?.sent === sentCount() && isDeepStrictEqual(now, waiter.atRest.state);
      if (isKnown || (await stays(now))) return { state: now };
      if (wallNow() > until) return undefined;
    }
  }

  const waiter: Waiter = { grace: LEAST_GRACE_MS, atRest: undefined, changeWithin, stays, settled };
  return waiter;
}

/** @throws SandboxError like the state's `read`; `bad_request` if the state changes although nothing was sent */
export async function createStateProbe(
  { sentCount }: Pick<Sender, "sentCount">,
  { shown: name, read, isOpen, end }: WatchedState,
): Promise<StateProbe> {
  const amounts = new EventAmounts();
  /** The states before and after the first event. */
  let learned: { before: Json; after: Json; began: number } | undefined;
  const waiter = createWaiter(sentCount, read);
  const { changeWithin, stays, settled } = waiter;

  const changesByItself = () =>
    misuse(
      `The state ${name} changes without a request.`,
      "Leave out values that change without an event, such as times and request counters.",
    );

  if (!(await stays(await read()))) throw changesByItself();

  /** Whether a change equals that of the first event, as it does after a reset. */
  function isAsLearned(before: Json, after: Json): boolean {
    if (learned === undefined) return false;
    const { began } = learned;
    const isSame = (now: Json, then: Json) =>
      isDeepStrictEqual(withoutMoments(now, began), withoutMoments(then, began));
    return isSame(before, learned.before) && isSame(after, learned.after);
  }

  async function watch(
    how: StateWatch,
    first: () => Promise<unknown>,
    rest: () => Promise<unknown>,
  ): Promise<StateSeen> {
    const before = await settled();
    const began = wallNow();
    await first();
    if (before === undefined || how === "all" || how === "effect") await rest();
    if (before === undefined) return "unclear";
    if (how === "all") return (await stays(before.state)) ? "same" : "changed";
    const hasChanged = await changeWithin(Math.max(SHOWS_WITHIN_MS, waiter.grace), before.state);
    if (how === "effect") {
      const second = hasChanged && !amounts.isCertain && (await settled());
      if (second) amounts.learnSecond(before.state, second.state);
      return hasChanged ? "changed" : "same";
    }
    const middle = hasChanged && (await settled());
    await rest();
    if (middle === undefined) return "unclear";
    if (how === "pair" && isAsLearned(before.state, middle.state)) return "once";
    if (how === "pair") return amounts.timesIn(before.state, middle.state);
    // Ignore times: handling an event again changes more than its row's timestamp.
    const isSame: IsSame = (now, earlier) =>
      isDeepStrictEqual(withoutMoments(now, began), withoutMoments(earlier, began));
    return (await stays(middle.state, isSame)) ? "once" : "twice";
  }

  return {
    async learn(send) {
      const before = await settled();
      if (before === undefined) throw changesByItself();
      if (!(await send())) return { how: "never" };
      const started = wallNow();
      let now = before.state;
      let lastMs: number | undefined;
      let until = SHOWS_WITHIN_MS;
      for (;;) {
        const next = await changeWithin(started + until - wallNow(), now);
        if (next === undefined) break;
        now = next.state;
        lastMs = wallNow() - started;
        if (lastMs > RESTLESS_AFTER_MS) throw changesByItself();
        until = Math.max(SHOWS_WITHIN_MS, lastMs + Math.min(graceFor(lastMs), SHOWS_WITHIN_MS));
      }
      if (lastMs === undefined) return { how: "never" };
      if (lastMs > SHOWS_WITHIN_MS) return { how: "late", lastMs };
      waiter.grace = graceFor(lastMs);
      amounts.learnFirst(before.state, now);
      learned = { before: before.state, after: now, began: started };
      waiter.atRest = { state: now, sent: sentCount() };
      return { how: "in time" };
    },

    async watch(how, first, rest = async () => {}) {
      try {
        return await watch(how, first, rest);
      } catch (error) {
        if (!(error instanceof SandboxError)) throw error;
        await rest();
        return null;
      }
    },

    async rest() {
      if (!isOpen()) return;
      // Always wait for the effects of earlier requests first.
      await settled().catch(() => undefined);
      await end();
    },
  };
}
