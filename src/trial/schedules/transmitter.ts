import type { Sending, SendRequest, SendResult } from "../../webhooks/exchange.ts";
import { wallSleep } from "../../world/clock.ts";
import type { StoryApi } from "../subject/api.ts";
import type { OwnedServer } from "../subject/server.ts";
import type { Subject } from "../subject/subscriber.ts";
import { ANSWER_LOST, type SentAttempt } from "./attempt.ts";
import type { WireNode } from "./wire.ts";

/** A request that is to reach the subscriber. */
export interface Arrival {
  index: number;
  request: SendRequest;
  /** Gets the subscriber's answer. */
  answered: (result: SendResult) => void;
  /** Real milliseconds until the next one of its step is sent. */
  headStart?: number;
  /** What it meets: the end of the subscriber's process after its answer or at work, or an API that refuses a call. */
  meets?: "restart" | "crash" | "api-429" | "api-500";
}

/** A subscriber that works longer is killed halfway. Of a quicker one the middle cannot be hit, so it is killed before its answer is out. */
const QUICK_MS = 100;

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
  /** Its tables, which notice what other programs change. */
  tables: Subject["tables"];
  /** The subscriber's process, where it can be restarted and killed. */
  server: OwnedServer | undefined;
  /** The platform's API, where it is served. */
  api: StoryApi | undefined;
  /** How long the first answer to each type of event took, real milliseconds: a repetition may be ignored at once. */
  usual: Map<string, number>;
}

/** Sends requests to the subscriber, and does to its process what the schedule says. */
export function createTransmitter({ send, sentOf, rest, tables, server, api, usual }: TransmitterOptions) {
  const open = new Set<Sending>();

  /** Kills the process in the middle of its work. The answers are lost, if there were any. */
  async function crash(step: readonly Arrival[], done: Promise<SendResult[]>): Promise<SendResult[]> {
    const needed = usual.get(sentOf(step.at(-1)!).event) ?? 0;
    await (needed > QUICK_MS ? wallSleep(needed / 2) : done);
    await server!.crash();
    await done;
    return step.map(() => ANSWER_LOST);
  }

  return {
    /** What is under way. */
    open: open as ReadonlySet<Sending>,

    /** Sends requests at the same time, and lets the subscriber rest. */
    async transmit(step: readonly Arrival[], node: Parameters<Rest>[0]): Promise<SendResult[]> {
      const meets = step.find((one) => one.meets)?.meets;
      const before = api?.calls ?? 0;
      const watched = await tables?.();
      await watched?.begin();
      if (meets === "api-429" || meets === "api-500") api!.disturb(meets);
      const sendings: Sending[] = [];
      for (const { request, headStart } of step) {
        sendings.push(send(request));
        open.add(sendings.at(-1)!);
        // A subscriber that does nothing after its answer has ended by then: the next request overlaps with nothing.
        const ended = rest ? [] : [sendings.at(-1)!.result];
        if (headStart) await Promise.race([wallSleep(headStart), ...ended]);
      }
      try {
        const done = Promise.all(sendings.map(({ result }) => result));
        if (meets === "crash") return await crash(step, done);
        const results = await done;
        step.forEach((arrival, position) => {
          const { event } = sentOf(arrival);
          if (!usual.has(event)) usual.set(event, results[position]!.durationMs);
        });
        await rest?.(node);
        if (meets === "restart") await server!.restart();
        return results;
      } finally {
        await watched?.end();
        for (const sending of sendings) open.delete(sending);
        if (meets) api?.disturb(undefined);
        for (const arrival of step) sentOf(arrival).calls += (api?.calls ?? 0) - before;
      }
    },
  };
}
