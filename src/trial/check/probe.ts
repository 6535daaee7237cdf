import { isDeepStrictEqual } from "node:util";
import { SandboxError } from "../../errors/errors.ts";
import { wallNow, wallSleep } from "../../world/clock.ts";
import { SECOND } from "../../world/duration.ts";
import type { StateSeen, StateWatch } from "../hazards/hazard.ts";
import { withoutMoments } from "../subject/own-columns.ts";
import type { Json } from "../subject/state.ts";
import { type Amounts, addedBetween, changeBetween, timesOf } from "./amounts.ts";
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

/** @throws SandboxError as the state's `read`; `bad_request` if it changes though nothing is sent */
export async function createStateProbe(sender: Sender, state: WatchedState): Promise<StateProbe> {
  const { read, shown: name } = state;
  let grace = LEAST_GRACE_MS;
  /** What one event changes, and what it adds. */
  let single: Amounts = new Map();
  let added: Amounts = new Map();
  /** Places that two events change otherwise, such as the time of the latest one; unknown until the second. */
  let noise: ReadonlySet<string> | undefined;
  /** The state when it was last at rest, and how many requests had been sent by then. */
  let atRest: { state: Json; sent: number } | undefined;

  /** Waits for a change, at most so long. @returns the changed state; undefined when there was none */
  async function changeWithin(
    ms: number,
    before: Json,
    isSame: (now: Json, before: Json) => boolean = isDeepStrictEqual,
  ): Promise<{ state: Json } | undefined> {
    const until = wallNow() + ms;
    for (;;) {
      const now = await read();
      if (!isSame(now, before)) return { state: now };
      const left = until - wallNow();
      if (left <= 0) return undefined;
      await wallSleep(Math.min(left, Math.max(POLL_MS, grace / 10)));
    }
  }

  /** Whether the state stays as it is for as long as an event takes to show. */
  async function stays(now: Json, isSame?: (now: Json, before: Json) => boolean): Promise<boolean> {
    const sent = sender.sentCount();
    if (await changeWithin(grace, now, isSame)) return false;
    atRest = { state: now, sent };
    return true;
  }

  /** The state at rest; undefined when it does not come to rest. */
  async function settled(): Promise<{ state: Json } | undefined> {
    const until = wallNow() + SHOWS_WITHIN_MS + 2 * grace;
    for (;;) {
      const now = await read();
      const isAtRest = atRest && atRest.sent === sender.sentCount() && isDeepStrictEqual(now, atRest.state);
      if (isAtRest || (await stays(now))) return { state: now };
      if (wallNow() > until) return undefined;
    }
  }

  const changesByItself = () =>
    new SandboxError(
      "bad_request",
      `The state ${name} changes by itself.`,
      "Leave out what changes without an event, such as times and counters of requests.",
    );

  if (!(await stays(await read()))) throw changesByItself();

  /** Learns by a second event what each one changes alike. */
  async function compareWithFirst(before: Json): Promise<void> {
    const now = noise === undefined && single.size > 0 ? await settled() : undefined;
    if (!now) return;
    const second = changeBetween(before, now.state);
    noise = new Set(
      [...single.keys(), ...second.keys()].filter((place) => single.get(place) !== second.get(place)),
    );
    single = withoutNoise(single);
  }
  const withoutNoise = (amounts: Amounts): Amounts =>
    new Map([...amounts].filter(([place]) => !noise?.has(place)));

  async function watch(
    how: StateWatch,
    first: () => Promise<unknown>,
    rest: () => Promise<unknown>,
  ): Promise<StateSeen> {
    const before = await settled();
    const began = wallNow();
    await first();
    const patience = Math.max(SHOWS_WITHIN_MS, grace);
    if (before !== undefined && how === "effect") {
      await rest();
      if (!(await changeWithin(patience, before.state))) return "same";
      await compareWithFirst(before.state);
      return "changed";
    }
    if (before === undefined || how === "all") {
      await rest();
      if (before === undefined) return "unclear";
      return (await stays(before.state)) ? "same" : "changed";
    }
    const hasChanged = await changeWithin(patience, before.state);
    const middle = hasChanged && (await settled());
    await rest();
    if (middle === undefined) return "unclear";
    // One that is handled again changes more than the time of its row.
    const isSame = (now: Json, earlier: Json) =>
      isDeepStrictEqual(withoutMoments(now, began), withoutMoments(earlier, began));
    if (how !== "pair") return (await stays(middle.state, isSame)) ? "once" : "twice";
    const times = timesOf(withoutNoise(changeBetween(before.state, middle.state)), single);
    const doubled = [...addedBetween(before.state, middle.state)].some(
      ([place, value]) => value !== 0 && value === 2 * (added.get(place) ?? Number.NaN),
    );
    // Twice in what is new may be a second time, or a number that counts entries.
    return times === "once" && doubled ? "unclear" : times;
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
      grace = graceFor(lastMs);
      single = changeBetween(before.state, now);
      added = addedBetween(before.state, now);
      atRest = { state: now, sent: sender.sentCount() };
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
      await settled().catch(() => undefined);
      return state.end();
    },
  };
}
