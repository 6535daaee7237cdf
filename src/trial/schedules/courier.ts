import type { Courier, CourierAttempt } from "../../webhooks/courier.ts";
import type { Sending, SendRequest, SendResult } from "../../webhooks/exchange.ts";
import { afterPendingIo } from "../../world/clock.ts";
import { SECOND } from "../../world/duration.ts";
import { arrivalOrder } from "./arrival-order.ts";
import { type Arrivals, createArrivals } from "./arrivals.ts";
import { begunAttempt, type SentAttempt, signedBeside, TOO_LATE } from "./attempt.ts";
import type { CourierOptions } from "./courier-options.ts";
import { deviationIn } from "./deviations/index.ts";
import { besideOf } from "./schedule.ts";
import { createTransmitter } from "./transmitter.ts";

const HELD_WITHIN_MS = 10 * SECOND;

type Send = (request: SendRequest) => Sending;

/**
 * Sits between the platform and the subscriber, and applies the schedule's deviations to attempts. Requests are sent
 * one by one unless the schedule makes them overlap, so that all runs of a schedule are alike. The platform decides as
 * usual when to make an attempt and how to react to its result.
 */
export interface ExploreCourier {
  /**
   * @param send the platform's own sender, for deliveries to other endpoints
   * @param transmit sends to the subscriber: the same sender, or one that calls a function
   */
  wrap(send: Send, transmit: Send, isSubscriber: (webhookId: string) => boolean): Courier;
  begin(options: CourierOptions): CourierRun;
}

export interface CourierRun extends Omit<Queue, "add"> {
  readonly attempts: readonly SentAttempt[];
  /** The request that the platform wanted to send for each attempt. */
  readonly requests: readonly SendRequest[];
  readonly arrivals: Arrivals;
  take(request: SendRequest, attempt: CourierAttempt): Sending;
  /** The number of pauses so far in which a person could act. */
  pauses: number;
}

export function createCourier(): ExploreCourier {
  let run: CourierRun | undefined;
  let transmit: Send;
  /**
   * How long the first response to each event type took, in real milliseconds. A handler may skip work for repeated
   * events.
   */
  const usual = new Map<string, number>();
  return {
    wrap(send, transmitOne, isSubscriber) {
      transmit = transmitOne;
      return (request, attempt) =>
        isSubscriber(attempt.webhookId) ? run!.take(request, attempt) : send(request);
    },
    begin(options) {
      run = createRun(options, usual, transmit);
      return run;
    },
  };
}

function createRun(options: CourierOptions, usual: Map<string, number>, transmit: Send): CourierRun {
  const { now, deviationAt, marksOf, subject } = options;
  const attempts: SentAttempt[] = [];
  const requests: SendRequest[] = [];
  const transmitter = createTransmitter({
    // Build headers now: a request repeated from a checkpoint is sent later than it was created.
    send: (request) => {
      // A request that waits for another one can need more real time than the platform allows after a timeout.
      const timeout = () => Math.max(request.timeout(), subject.statements ? HELD_WITHIN_MS : 0);
      return transmit({ ...request, timeout, headers: request.makeHeaders?.() ?? request.headers });
    },
    ...{ attempts, rest: options.rest, subject, usual, endsWhenStuck: options.endsWhenStuck },
  });
  const arrivals = createArrivals(options, attempts, transmitter);
  const queue = createQueue(attempts, arrivals, () => {
    transmitter.hurry(0);
    subject.api?.release();
  });

  /** Applies the schedule to an attempt. @param settle reports its result to the platform */
  async function carry(index: number, request: SendRequest, settle: (result: SendResult) => void) {
    const deviation = deviationIn(attempts[index]!);
    const { point } = attempts[index]!;
    const name = `${deviation?.name} ${point?.text} ${point?.occurrence}${point?.atCommit ? " commit" : ""}`;
    const plan =
      point && deviation?.does
        ? { point, does: point.atCommit ? ("hold-commit" as const) : deviation.does }
        : undefined;
    const meets = deviation?.encounter || plan ? { ...deviation, name, plan } : undefined;
    const arrive = (answered: typeof settle) => arrivals.arrive({ index, request, answered, meets });
    if (!deviation?.carry) return arrive(settle);
    await deviation.carry({
      ...{ settle, arrive },
      hold: (answered, headStart) => arrivals.hold({ index, request, answered, headStart, meets }),
      stall: () => arrivals.stall({ index, request, answered: () => undefined }),
    });
  }

  const run: CourierRun = {
    ...{ ...queue, attempts, requests, arrivals, pauses: 0 },
    take(request, attempt) {
      const index = attempts.length;
      const scheduled = deviationAt(index, attempt);
      const signed = signedBeside(request, options.newSecretOf(index));
      const sent = begunAttempt(signed, attempt, {
        ...{ at: now(), pause: run.pauses },
        ...{ deviation: scheduled?.kind ?? null, point: scheduled?.point ?? null },
        beside: scheduled ? besideOf({ at: index, ...scheduled }) : null,
        ...{ ...marksOf(attempt, request.body ?? ""), twiceSigned: signed !== request },
      });
      attempts.push(sent);
      requests.push(request);
      return { result: queue.add(index, (settle) => carry(index, signed, settle)), hurry: transmitter.hurry };
    },
  };
  return run;
}

type Settle = (result: SendResult) => void;

/** Runs attempts one by one. Attempts at the same instant run in the schedule's order. */
interface Queue {
  /** @returns the attempt's result for the platform */
  add(index: number, carry: (settle: Settle) => Promise<void>): Promise<SendResult>;
  /** Whether an attempt is waiting for its result. */
  isBusy(): boolean;
  /** Resolves once every request has arrived and has been answered, even if the response was too late. */
  settle(): Promise<void>;
  /** Ends the run: all attempts stop waiting, and no more requests are sent. */
  fail(error: unknown): void;
  /** @throws the error that ended the run */
  check(): void;
}

/** @param end ends the attempts in progress */
function createQueue(attempts: readonly SentAttempt[], arrivals: Arrivals, end: () => void): Queue {
  const waiting: { index: number; work: () => Promise<void> }[] = [];
  const unsettled = new Set<Settle>();
  let pumping: Promise<void> | undefined;
  let failure: unknown;

  function fail(error: unknown): void {
    failure ??= error;
    for (const one of unsettled) one(TOO_LATE);
    end();
  }

  async function pump(): Promise<void> {
    try {
      for (;;) {
        await instantToBegin();
        const instant = waiting.splice(0);
        for (const { work } of arrivalOrder(instant, attempts)) await work();
        if (instant.length > 0) continue;
        if (!arrivals.isWaiting) return;
        await arrivals.arrive();
      }
    } catch (error) {
      fail(error);
    } finally {
      pumping = undefined;
    }
  }

  /** Waits for all attempts at this instant: the platform starts them in batches at most one event loop turn apart. */
  async function instantToBegin(): Promise<void> {
    for (let [turn, begun] = [0, waiting.length]; turn < 2; turn += 1) {
      await ioHadItsTurn();
      if (waiting.length > begun) [turn, begun] = [-1, waiting.length];
    }
  }

  return {
    fail,
    add: (index, carry) =>
      new Promise((resolve) => {
        const sent = attempts[index]!;
        const settle = (ended: SendResult) => {
          unsettled.delete(settle);
          sent.failed = ended.error !== null;
          sent.detail = ended.detail;
          resolve(ended);
        };
        unsettled.add(settle);
        if (failure !== undefined) return settle(TOO_LATE);
        waiting.push({ index, work: () => carry(settle) });
        pumping ??= pump();
      }),
    isBusy: () => pumping !== undefined,
    async settle() {
      while (pumping) await pumping;
      try {
        await arrivals.finish();
      } catch (error) {
        fail(error);
      }
    },
    check() {
      if (failure !== undefined) throw failure;
    },
  };
}

const ioHadItsTurn = (): Promise<void> => new Promise((resolve) => afterPendingIo(resolve));
