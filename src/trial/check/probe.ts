import { isDeepStrictEqual } from "node:util";
import { SandboxError } from "../../errors/errors.ts";
import { wallNow, wallSleep } from "../../world/clock.ts";
import { SECOND } from "../../world/duration.ts";
import type { StateSeen, StateWatch } from "../hazards/hazard.ts";
import { withoutMoments } from "../subject/own-columns.ts";
import type { Json } from "../subject/state.ts";
import { EventAmounts } from "./amounts.ts";
import type { Sender } from "./send.ts";
import type { WatchedState } from "./watched-state.ts";

/** How long a receiver that works after its answer may take until its state shows all of an event. */
const SHOWS_WITHIN_MS = 2 * SECOND;
/** A state that still changes after this, with nothing sent meanwhile, changes by itself. */
const RESTLESS_AFTER_MS = 2 * SHOWS_WITHIN_MS;
const POLL_MS = 20;
const LEAST_GRACE_MS = 40;

/** How long a state must stay as it is to be at rest, where the last change of one event came after `lag`. */
const graceFor = (lag: number): number => LEAST_GRACE_MS + 1.5 * lag;

/** How the state showed an event. `late`: its last change came `lastMs` after the answer, which is too long. */
export type Shown = { how: "in time" | "never" } | { how: "late"; lastMs: number };

/** Looks at the receiver's state around what is sent. It changes when an event is handled, and not otherwise. */
export interface StateProbe {
  /**
   * Sends the first valid event and learns how it shows.
   * @param send resolves with whether it was accepted
   * @throws SandboxError `bad_request` when the state does not come to rest
   */
  learn(send: () => Promise<boolean>): Promise<Shown>;
  /**
   * Sends what a hazard sends, and says what it did to the state. `first` is sent before `rest`, which for `last` is one
   * request. Null when the state can no longer be read: the receiver may have taken it with it.
   */
  watch(
    how: StateWatch,
    first: () => Promise<unknown>,
    rest?: () => Promise<unknown>,
  ): Promise<StateSeen | null>;
  /**
   * Waits until what was sent has had its effect.
   * @returns whether it changed tables that no event has changed before: another one of its kind shows whose that is
   * @throws SandboxError `invalid_state` if another program changed what is compared
   */
  rest(): Promise<boolean>;
}

/** Waits for changes of a state, and for its rest. */
class StateWaiter {
  readonly #sender: Pick<Sender, "sentCount">;
  readonly read: () => Promise<Json>;
  grace = LEAST_GRACE_MS;
  /** The state when it was last at rest, and how many requests had been sent by then. */
  #atRest: { state: Json; sent: number } | undefined;

  constructor(sender: Pick<Sender, "sentCount">, read: () => Promise<Json>) {
    this.#sender = sender;
    this.read = read;
  }

  /** Waits for a change, at most so long. @returns the changed state; undefined when there was none */
  async changeWithin(
    ms: number,
    before: Json,
    isSame: (now: Json, before: Json) => boolean = isDeepStrictEqual,
  ): Promise<{ state: Json } | undefined> {
    const until = wallNow() + ms;
    for (;;) {
      const now = await this.read();
      if (!isSame(now, before)) return { state: now };
      const left = until - wallNow();
      if (left <= 0) return undefined;
      await wallSleep(Math.min(left, Math.max(POLL_MS, this.grace / 10)));
    }
  }

  noteRest(state: Json, sent = this.#sender.sentCount()): void {
    this.#atRest = { state, sent };
  }

  /** Whether the state stays as it is for as long as an event takes to show. */
  async stays(now: Json, isSame?: (now: Json, before: Json) => boolean): Promise<boolean> {
    const sent = this.#sender.sentCount();
    if (await this.changeWithin(this.grace, now, isSame)) return false;
    this.noteRest(now, sent);
    return true;
  }

  /** The state at rest; undefined when it does not come to rest. */
  async settled(): Promise<{ state: Json } | undefined> {
    const until = wallNow() + SHOWS_WITHIN_MS + 2 * this.grace;
    for (;;) {
      const now = await this.read();
      const { state, sent } = this.#atRest ?? {};
      if (sent === this.#sender.sentCount() && isDeepStrictEqual(now, state)) return { state: now };
      if (await this.stays(now)) return { state: now };
      if (wallNow() > until) return undefined;
    }
  }
}

/** @throws SandboxError as the state's `read`; `bad_request` if it changes though nothing is sent */
export async function createStateProbe(sender: Sender, state: WatchedState): Promise<StateProbe> {
  const { shown: name } = state;
  const waiter = new StateWaiter(sender, state.read);
  const amounts = new EventAmounts();

  const changesByItself = () =>
    new SandboxError(
      "bad_request",
      `The state ${name} changes by itself.`,
      "Leave out what changes without an event, such as times and counters of requests.",
    );

  if (!(await waiter.stays(await state.read()))) throw changesByItself();

  async function watch(
    how: StateWatch,
    first: () => Promise<unknown>,
    rest: () => Promise<unknown>,
  ): Promise<StateSeen> {
    const before = await waiter.settled();
    const began = wallNow();
    await first();
    const patience = Math.max(SHOWS_WITHIN_MS, waiter.grace);
    if (before !== undefined && how === "effect") {
      await rest();
      if (!(await waiter.changeWithin(patience, before.state))) return "same";
      const second = amounts.isCertain ? undefined : await waiter.settled();
      if (second) amounts.learnSecond(before.state, second.state);
      return "changed";
    }
    if (before === undefined || how === "all") {
      await rest();
      if (before === undefined) return "unclear";
      return (await waiter.stays(before.state)) ? "same" : "changed";
    }
    const hasChanged = await waiter.changeWithin(patience, before.state);
    const middle = hasChanged && (await waiter.settled());
    await rest();
    if (middle === undefined) return "unclear";
    // One that is handled again changes more than the time of its row.
    const isSame = (now: Json, earlier: Json) =>
      isDeepStrictEqual(withoutMoments(now, began), withoutMoments(earlier, began));
    if (how !== "pair") return (await waiter.stays(middle.state, isSame)) ? "once" : "twice";
    return amounts.timesIn(before.state, middle.state);
  }

  return {
    async learn(send) {
      const before = await waiter.settled();
      if (before === undefined) throw changesByItself();
      if (!(await send())) return { how: "never" };
      const started = wallNow();
      let now = before.state;
      let lastMs: number | undefined;
      let until = SHOWS_WITHIN_MS;
      for (;;) {
        const next = await waiter.changeWithin(started + until - wallNow(), now);
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
      waiter.noteRest(now);
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
      if (!state.isOpen()) return false;
      // What it has been sent by then counts in any case.
      await waiter.settled().catch(() => undefined);
      return state.end();
    },
  };
}
