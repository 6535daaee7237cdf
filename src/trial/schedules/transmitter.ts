import type { Sending, SendRequest, SendResult } from "../../webhooks/exchange.ts";
import { wallSleep } from "../../world/clock.ts";
import type { Subject } from "../subject/subscriber.ts";
import type { SentAttempt } from "./attempt.ts";
import type { Encounter } from "./deviations/deviation.ts";
import type { WireNode } from "./wire.ts";

/** A request that is to reach the subscriber. */
export interface Arrival {
  index: number;
  request: SendRequest;
  /** Gets the subscriber's answer. */
  answered: (result: SendResult) => void;
  /** Real milliseconds until the next one of its step is sent. */
  headStart?: number | undefined;
  /** What it meets there. */
  meets?: { name: string; encounter?: Encounter } | undefined;
}

/**
 * Resolves when the subscriber has done what it does after its answers.
 * @param node has the state that it is known to end up in by then, or gets it
 */
export type Rest = (node: Pick<WireNode, "settled">) => Promise<void>;

export interface TransmitterOptions {
  send: (request: SendRequest) => Sending;
  /** The attempt that an arrival belongs to. */
  sentOf: (arrival: Arrival) => SentAttempt;
  rest: Rest | undefined;
  /** Its process where that can be restarted and killed, the API where it is served, and tables that notice other programs. */
  subject: Pick<Subject, "api" | "server" | "tables">;
  /** How long the first answer to each type of event took, real milliseconds: a repetition may be ignored at once. */
  usual: Map<string, number>;
}

/** Sends requests to the subscriber. */
export interface Transmitter {
  /** Sends requests at the same time, does what the schedule says to the subscriber, and lets it rest. */
  transmit(step: readonly Arrival[], node: Parameters<Rest>[0]): Promise<SendResult[]>;
  /** Lets what is under way end within real milliseconds. */
  hurry(ms: number): void;
}

export function createTransmitter({ send, sentOf, rest, subject, usual }: TransmitterOptions): Transmitter {
  const open = new Set<Sending>();

  async function sendAll(step: readonly Arrival[]): Promise<Sending[]> {
    const sendings: Sending[] = [];
    for (const { request, headStart } of step) {
      sendings.push(send(request));
      open.add(sendings.at(-1)!);
      // A subscriber that does nothing after its answer has ended by then: the next request overlaps with nothing.
      const ended = rest ? [] : [sendings.at(-1)!.result];
      if (headStart) await Promise.race([wallSleep(headStart), ...ended]);
    }
    return sendings;
  }

  return {
    async transmit(step, node) {
      const { api } = subject;
      const encounter = step.find(({ meets }) => meets)?.meets?.encounter;
      const before = api?.calls ?? 0;
      const watched = await subject.tables?.();
      await watched?.begin();
      encounter?.begin?.(subject);
      const sendings = await sendAll(step);
      try {
        const done = Promise.all(sendings.map(({ result }) => result));
        if (encounter?.interrupt) {
          const needed = usual.get(sentOf(step.at(-1)!).event) ?? 0;
          const result = await encounter.interrupt(subject, done, needed);
          return step.map(() => result);
        }
        const results = await done;
        step.forEach((arrival, position) => {
          const { event } = sentOf(arrival);
          if (!usual.has(event)) usual.set(event, results[position]!.durationMs);
        });
        await rest?.(node);
        await encounter?.end?.(subject);
        return results;
      } finally {
        await watched?.end();
        for (const sending of sendings) open.delete(sending);
        if (encounter) api?.disturb(undefined);
        for (const arrival of step) sentOf(arrival).calls += (api?.calls ?? 0) - before;
      }
    },
    hurry(ms) {
      for (const sending of open) sending.hurry(ms);
    },
  };
}
