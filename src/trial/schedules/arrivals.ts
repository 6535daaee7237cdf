import type { SendResult } from "../../webhooks/exchange.ts";
import { wallSleep } from "../../world/clock.ts";
import { noteAnswer, type SentAttempt } from "./attempt.ts";
import type { CourierOptions } from "./courier-options.ts";
import type { Arrival, Transmitter } from "./transmitter.ts";
import { AnswerChanged, type WireNode } from "./wire.ts";

/** How long to wait for a request whose handler may be waiting for the stalled request, in real milliseconds. */
const PATIENCE_MS = 250;

/**
 * The requests that reach the subscriber in a run, step by step. Nothing is sent as long as the responses are known
 * from an earlier run.
 */
export interface Arrivals {
  readonly node: WireNode;
  readonly live: boolean;
  /**
   * Sends all earlier requests to the subscriber. From then on, every request is actually sent. @throws AnswerChanged
   */
  goLive(): Promise<void>;
  /** Delivers requests simultaneously, including held ones. */
  arrive(last?: Arrival): Promise<void>;
  /** Holds a request until the next one arrives. */
  hold(arrival: Arrival): void;
  /** Whether a held request must be delivered even if no other request follows. */
  readonly isWaiting: boolean;
  /** Delivers a request whose handler then waits for an API response until the next request has been handled. */
  stall(arrival: Arrival): Promise<void>;
  /** Delivers all held requests, and completes those waiting for the API. */
  finish(): Promise<void>;
}

export function createArrivals(
  { nameOf, root, reset, subject, onStep }: CourierOptions,
  attempts: readonly SentAttempt[],
  { transmit }: Transmitter,
): Arrivals {
  /** Held requests, which are in progress until the next one arrives. */
  let held: Arrival[] = [];
  let node = root;
  /** The steps so far, with their known responses, while no request has actually been sent yet. */
  let unsent: { step: readonly Arrival[]; node: WireNode }[] = [];
  let live = false;
  /** A request whose handler is waiting for an API response. */
  let stalled: { arrival: Arrival; result: Promise<SendResult[]> } | undefined;

  async function goLive(): Promise<void> {
    live = true;
    await reset();
    let raced = false;
    for (const { step, node: known } of unsent) {
      const results = await transmit(step, known);
      // How far a server gets before it is killed is also random.
      raced ||= step.length > 1 || step[0]!.meets?.encounter?.interrupt !== undefined;
      const changed = results.findIndex(
        (one, index) => one.responseCode !== known.results[index]!.responseCode,
      );
      if (changed < 0) continue;
      const [earlier, now] = [known.results[changed]!.responseCode, results[changed]!.responseCode];
      throw new AnswerChanged({ event: attempts[step[changed]!.index]!.event, earlier, now }, raced);
    }
    unsent = [];
  }

  /** Resumes the stalled handler once the other requests have been handled. */
  async function unstallAfter<Results>(others: Promise<Results>): Promise<Results> {
    if (!stalled) return others;
    const { arrival, result } = stalled;
    stalled = undefined;
    // If the server handles only one request at a time, the others are waiting for the stalled one.
    await Promise.race([others, wallSleep(PATIENCE_MS)]);
    subject.api!.release();
    noteAnswer(attempts[arrival.index]!, (await result)[0]!);
    return others;
  }

  async function arrive(last?: Arrival): Promise<void> {
    const step = last === undefined ? held : [...held, last];
    held = [];
    if (step.length === 0) return;
    const name = nameStep(attempts, nameOf, step);
    let next = node.next.get(name);
    if (next && !live) unsent.push({ step, node: next });
    else {
      if (!live) await goLive();
      const rested: Pick<WireNode, "settled" | "seen" | "printed"> = {};
      const results = await unstallAfter(transmit(step, rested));
      next = { ...rested, path: `${node.path}\n\n${name}`, results, next: new Map() };
      node.next.set(name, next);
    }
    node = next;
    noteSeen(attempts, step, node);
    step.forEach(({ index, answered }, position) => {
      const result = node.results[position]!;
      noteAnswer(attempts[index]!, result);
      answered(result);
    });
    await onStep?.(node, live, attempts);
  }

  return {
    ...{ goLive, arrive },
    get node() {
      return node;
    },
    get live() {
      return live;
    },
    hold: (arrival) => void held.push(arrival),
    get isWaiting() {
      return held.some(({ headStart }) => headStart !== undefined);
    },
    async stall(arrival) {
      await arrive();
      if (!live) await goLive();
      attempts[arrival.index]!.arrivals += 1;
      subject.api!.disturb("slow");
      stalled = { arrival, result: transmit([arrival], {}) };
      await Promise.race([subject.api!.held(), stalled.result]);
      subject.api!.disturb(undefined);
    },
    async finish() {
      await arrive();
      await unstallAfter(Promise.resolve());
    },
  };
}

/** Records a step's requests. @returns the step's name */
function nameStep(
  attempts: readonly SentAttempt[],
  nameOf: CourierOptions["nameOf"],
  step: readonly Arrival[],
): string {
  for (const { index } of step) {
    const sent = attempts[index]!;
    sent.arrivals += 1;
    for (const other of step)
      if (other.index !== index && !sent.overlaps.includes(other.index)) sent.overlaps.push(other.index);
  }
  return step
    .map(
      ({ index, request, meets, headStart = "" }) =>
        `${nameOf(attempts[index]!, request)} ${meets?.name ?? ""}${headStart}`,
    )
    .join("\n");
}

function noteSeen(
  attempts: readonly SentAttempt[],
  step: readonly Arrival[],
  { seen, printed = "" }: WireNode,
): void {
  for (const { index } of step) attempts[index]!.printed = printed;
  if (!seen) return;
  const first = step.findIndex(({ meets }) => meets?.plan);
  step.forEach(({ index, meets }, position) => {
    const by = step.length === 1 || position <= first ? 1 : 2;
    attempts[index]!.statements.push(...seen.statements.filter((one) => one.by === by));
    // Only one request is held at a time, so no other request in the step was interrupted.
    if (meets?.plan && index !== step[first]!.index) attempts[index]!.missed = "not-reached";
    if (meets?.plan && position === first) {
      attempts[index]!.missed = seen.missed;
      attempts[index]!.hasEnded = seen.hasEnded;
    }
  });
}
