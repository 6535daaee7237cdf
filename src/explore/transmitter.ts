import type { Sending, SendRequest, SendResult } from "../webhooks/exchange.ts";
import { wallSleep } from "../world/clock.ts";
import { ANSWER_LOST } from "./attempt.ts";
import type { OwnedServer } from "./owned-server.ts";

/** A request that is to reach the subscriber. */
export interface Arrival {
  index: number;
  request: SendRequest;
  /** Gets the subscriber's answer. */
  answered: (result: SendResult) => void;
  /** What happens to the subscriber's process: after its answer, or while it is at work. */
  ends?: "restart" | "crash";
}

/** A subscriber that works longer is killed halfway. Of a quicker one the middle cannot be hit, so it is killed before its answer is out. */
const QUICK_MS = 100;

export interface TransmitterOptions {
  send: (request: SendRequest) => Sending;
  /** The type of an arrival's event. */
  eventOf: (arrival: Arrival) => string;
  /** Resolves when the subscriber has done what it does after its answers. */
  rest: (() => Promise<void>) | undefined;
  /** The subscriber's process, where it can be restarted and killed. */
  server: OwnedServer | undefined;
  /** How long the first answer to each type of event took, real milliseconds: a repetition may be ignored at once. */
  usual: Map<string, number>;
}

/** Sends requests to the subscriber, and does to its process what the schedule says. */
export function createTransmitter({ send, eventOf, rest, server, usual }: TransmitterOptions) {
  const open = new Set<Sending>();

  /** Kills the process in the middle of its work. The answers are lost, if there were any. */
  async function crash(step: readonly Arrival[], done: Promise<SendResult[]>): Promise<SendResult[]> {
    const needed = usual.get(eventOf(step.at(-1)!)) ?? 0;
    await (needed > QUICK_MS ? wallSleep(needed / 2) : done);
    await server!.crash();
    await done;
    return step.map(() => ANSWER_LOST);
  }

  return {
    /** What is under way. */
    open: open as ReadonlySet<Sending>,

    /** Sends requests at the same time. */
    async transmit(step: readonly Arrival[]): Promise<SendResult[]> {
      const sendings = step.map(({ request }) => send(request));
      for (const sending of sendings) open.add(sending);
      const ends = step.find((one) => one.ends)?.ends;
      try {
        const done = Promise.all(sendings.map(({ result }) => result));
        if (ends === "crash") return await crash(step, done);
        const results = await done;
        step.forEach((arrival, position) => {
          const event = eventOf(arrival);
          if (!usual.has(event)) usual.set(event, results[position]!.durationMs);
        });
        await rest?.();
        if (ends === "restart") await server!.restart();
        return results;
      } finally {
        for (const sending of sendings) open.delete(sending);
      }
    },
  };
}
