import { SandboxError } from "../errors/errors.ts";
import { wallNow, wallSleep } from "../world/clock.ts";
import { SECOND } from "../world/duration.ts";
import type { StateSeen, StateWatch } from "./hazard.ts";
import type { Sender } from "./send.ts";
import { changeBetween, timesOf } from "./state-change.ts";

/** How long a receiver that works after its answer may take until its state shows an event. */
const SHOWS_WITHIN_MS = 2 * SECOND;
const POLL_MS = 20;
/** A state that is to stay is looked at again after this, or after three times what an event took to show. */
const GRACE_MS = { least: 40, most: SECOND };

/**
 * Looks at the receiver's state around what is sent. The state is an address whose answer changes when an event is
 * handled, and not otherwise; what is in it need not be known.
 */
export interface StateProbe {
  /**
   * Sends the first valid event and learns how it shows.
   * @param send resolves with whether it was accepted
   * @returns whether the state shows events at all
   */
  learn(send: () => Promise<boolean>): Promise<boolean>;
  /** Sends what a hazard sends, and says what it did to the state. `first` is sent before `rest`. */
  watch(how: StateWatch, first: () => Promise<unknown>, rest: () => Promise<unknown>): Promise<StateSeen>;
}

/**
 * @throws SandboxError `unreachable` when the address does not answer with 2xx; `bad_request` when its answer changes
 *   though nothing is sent
 */
export async function createStateProbe(sender: Sender, url: string): Promise<StateProbe> {
  let grace = GRACE_MS.least;
  /** What one event changes. */
  let single: ReadonlyMap<string, number> = new Map();

  async function read(): Promise<string> {
    const { error, detail, text } = await sender.read(url);
    if (error === null) return text;
    throw new SandboxError(
      "unreachable",
      `The state URL ${url} ${detail}.`,
      "It has to answer a GET with 2xx and a text that changes when an event is handled.",
    );
  }

  /** The state once it no longer changes. */
  async function settled(): Promise<string> {
    const until = wallNow() + SHOWS_WITHIN_MS;
    let last = await read();
    for (;;) {
      await wallSleep(grace);
      const next = await read();
      if (next === last || wallNow() > until) return next;
      last = next;
    }
  }

  /** Waits for a change. @returns how long it took, undefined when there was none. */
  async function changed(before: string): Promise<number | undefined> {
    const started = wallNow();
    for (;;) {
      if ((await read()) !== before) return wallNow() - started;
      if (wallNow() - started > SHOWS_WITHIN_MS) return undefined;
      await wallSleep(POLL_MS);
    }
  }

  const begin = await read();
  await wallSleep(grace);
  if ((await read()) !== begin)
    throw new SandboxError(
      "bad_request",
      `The answer of the state URL ${url} changes by itself.`,
      "Leave out what changes without an event, such as times and counters of requests.",
    );

  return {
    async learn(send) {
      const before = await settled();
      if (!(await send())) return false;
      const lag = await changed(before);
      if (lag === undefined) return false;
      grace = Math.min(GRACE_MS.most, Math.max(GRACE_MS.least, 3 * lag));
      single = changeBetween(before, await settled());
      return true;
    },

    async watch(how, first, rest) {
      const before = await settled();
      await first();
      if (how === "all") {
        await rest();
        return (await settled()) === before ? "same" : "changed";
      }
      if ((await changed(before)) === undefined) return "unclear";
      const middle = await settled();
      if (how === "pair") return timesOf(changeBetween(before, middle), single);
      await rest();
      return (await settled()) === middle ? "once" : "twice";
    },
  };
}
