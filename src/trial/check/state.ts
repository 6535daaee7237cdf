import { SandboxError } from "../../errors/errors.ts";
import { withoutPasswords } from "../../runtime/redact.ts";
import { wallNow, wallSleep } from "../../world/clock.ts";
import { SECOND } from "../../world/duration.ts";
import type { StateSeen, StateWatch } from "../hazards/hazard.ts";
import type { Sender } from "./send.ts";

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

/**
 * Looks at the receiver's state around what is sent. The state is an address whose answer changes when an event is
 * handled, and not otherwise; what is in it need not be known.
 */
export interface StateProbe {
  /**
   * Sends the first valid event and learns how it shows.
   * @param send resolves with whether it was accepted
   * @throws SandboxError `bad_request` when the state does not come to rest
   */
  learn(send: () => Promise<boolean>): Promise<Shown>;
  /**
   * Sends what a hazard sends, and says what it did to the state. `first` is sent before `rest`, which for `last` is one
   * request. Null when the state no longer answers: the receiver may have taken it with it.
   */
  watch(
    how: StateWatch,
    first: () => Promise<unknown>,
    rest?: () => Promise<unknown>,
  ): Promise<StateSeen | null>;
}

/**
 * @throws SandboxError `unreachable` when the address does not answer with 2xx; `bad_request` when its answer changes
 *   though nothing is sent
 */
export async function createStateProbe(sender: Sender, url: string): Promise<StateProbe> {
  let grace = LEAST_GRACE_MS;
  /** What one event changes, and what it adds. */
  let single: ReadonlyMap<string, number> = new Map();
  let added: ReadonlyMap<string, number> = new Map();
  /** The state when it was last at rest, and how many requests had been sent by then. */
  let atRest: { state: string; sent: number } | undefined;

  async function read(): Promise<string> {
    const { error, detail, text } = await sender.read(url);
    if (error === null) return text;
    throw new SandboxError(
      "unreachable",
      `The state URL ${withoutPasswords(url)} ${detail}.`,
      "It has to answer a GET with 2xx and a text that changes when an event is handled.",
    );
  }

  /** Waits for a change, at most so long. @returns the changed state; undefined when there was none */
  async function changeWithin(ms: number, before: string): Promise<string | undefined> {
    const until = wallNow() + ms;
    for (;;) {
      const state = await read();
      if (state !== before) return state;
      const left = until - wallNow();
      if (left <= 0) return undefined;
      await wallSleep(Math.min(left, Math.max(POLL_MS, grace / 10)));
    }
  }

  /** Whether the state stays as it is for as long as an event takes to show. */
  async function stays(state: string): Promise<boolean> {
    const sent = sender.sentCount();
    if ((await changeWithin(grace, state)) !== undefined) return false;
    atRest = { state, sent };
    return true;
  }

  /** The state at rest; undefined when it does not come to rest. */
  async function settled(): Promise<string | undefined> {
    const until = wallNow() + SHOWS_WITHIN_MS + 2 * grace;
    for (;;) {
      const state = await read();
      if (state === atRest?.state && atRest.sent === sender.sentCount()) return state;
      if (await stays(state)) return state;
      if (wallNow() > until) return undefined;
    }
  }

  const changesByItself = () =>
    new SandboxError(
      "bad_request",
      `The answer of the state URL ${withoutPasswords(url)} changes by itself.`,
      "Leave out what changes without an event, such as times and counters of requests.",
    );

  if (!(await stays(await read()))) throw changesByItself();

  const watch = async (
    how: StateWatch,
    first: () => Promise<unknown>,
    rest: () => Promise<unknown>,
  ): Promise<StateSeen> => {
    const before = await settled();
    await first();
    if (before !== undefined && how === "effect") {
      await rest();
      const shown = await changeWithin(Math.max(SHOWS_WITHIN_MS, grace), before);
      return shown === undefined ? "same" : "changed";
    }
    if (before === undefined || how === "all") {
      await rest();
      if (before === undefined) return "unclear";
      return (await stays(before)) ? "same" : "changed";
    }
    const shown = await changeWithin(Math.max(SHOWS_WITHIN_MS, grace), before);
    const middle = shown === undefined ? undefined : await settled();
    await rest();
    if (middle === undefined) return "unclear";
    if (how === "pair") {
      const times = timesOf(changeBetween(before, middle), single);
      const doubled = [...addedBetween(before, middle)].some(
        ([place, value]) => value !== 0 && value === 2 * (added.get(place) ?? Number.NaN),
      );
      // Twice in what is new may be a second time, or a number that counts entries.
      return times === "once" && doubled ? "unclear" : times;
    }
    return (await stays(middle)) ? "once" : "twice";
  };

  return {
    async learn(send) {
      const before = await settled();
      if (before === undefined) throw changesByItself();
      if (!(await send())) return { how: "never" };
      const started = wallNow();
      let state = before;
      let lastMs: number | undefined;
      let until = SHOWS_WITHIN_MS;
      for (;;) {
        const next = await changeWithin(started + until - wallNow(), state);
        if (next === undefined) break;
        state = next;
        lastMs = wallNow() - started;
        if (lastMs > RESTLESS_AFTER_MS) throw changesByItself();
        until = Math.max(SHOWS_WITHIN_MS, lastMs + Math.min(graceFor(lastMs), SHOWS_WITHIN_MS));
      }
      if (lastMs === undefined) return { how: "never" };
      if (lastMs > SHOWS_WITHIN_MS) return { how: "late", lastMs };
      grace = graceFor(lastMs);
      single = changeBetween(before, state);
      added = addedBetween(before, state);
      atRest = { state, sent: sender.sentCount() };
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
  };
}

/**
 * What changed between two states that are JSON, as numbers: numbers themselves (texts of digits, too), lengths of
 * lists, counts of keys. Places that only one of the two has do not count: how many there are does.
 * @returns the changes that are not 0, by place; none for what is no JSON
 */
export function changeBetween(before: string, after: string): Map<string, number> {
  const [then, now] = [measure(before), measure(after)];
  const changes = new Map<string, number>();
  for (const [place, value] of now) {
    const change = value - (then.get(place) ?? value);
    if (change !== 0) changes.set(place, change);
  }
  return changes;
}

/** The numbers of what only the later state has, by place: `*` is the name of what is new, as of an order. */
function addedBetween(before: string, after: string): Map<string, number> {
  const prefixesOf = (place: string) =>
    place.split("/").map((_, index, names) => names.slice(0, index + 1).join("/"));
  const then = new Set([...measure(before).keys()].flatMap(prefixesOf));
  const added = new Map<string, number>();
  for (const [place, value] of measure(after)) {
    const first = prefixesOf(place).findIndex((prefix) => !then.has(prefix));
    if (first >= 0) added.set(place.split("/").with(first, "*").join("/"), value);
  }
  return added;
}

/**
 * How often an event was handled, by what changed and by what one event changes. Only a multiple that fits tells:
 * everything changed as by one event, or something changed twice as much.
 */
export function timesOf(
  changes: ReadonlyMap<string, number>,
  single: ReadonlyMap<string, number>,
): "once" | "twice" | "unclear" {
  if (single.size === 0 || changes.size !== single.size) return "unclear";
  const times = [...single].map(([place, one]) => (changes.get(place) ?? Number.NaN) / one);
  if (times.some((count) => count !== 1 && count !== 2)) return "unclear";
  return times.includes(2) ? "twice" : "once";
}

function measure(text: string): Map<string, number> {
  const found = new Map<string, number>();
  const walk = (value: unknown, place: string): void => {
    if (typeof value === "number") found.set(place, value);
    else if (typeof value === "string" && /^\d{1,15}$/.test(value)) found.set(place, Number(value));
    else if (Array.isArray(value)) found.set(`${place}/length`, value.length);
    else if (typeof value === "object" && value !== null) {
      const entries = Object.entries(value);
      found.set(`${place}/keys`, entries.length);
      for (const [key, inner] of entries) walk(inner, `${place}/${key}`);
    }
  };
  try {
    walk(JSON.parse(text), "");
  } catch {
    // Text of any form changes or does not, but tells no amounts.
  }
  return found;
}
