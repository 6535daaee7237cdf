import type { Courier, CourierAttempt } from "../../webhooks/courier.ts";
import type { Sending, SendRequest, SendResult } from "../../webhooks/exchange.ts";
import { afterPendingIo } from "../../world/clock.ts";
import {
  ANSWER_LOST,
  begunAttempt,
  LOST,
  noteAnswer,
  type SentAttempt,
  signedBeside,
  TOO_LATE,
  withMachineTime,
} from "./attempt.ts";
import type { CourierOptions } from "./courier-options.ts";
import { HEAD_STARTS } from "./schedule.ts";
import { createStall } from "./stall.ts";
import { type Arrival, createTransmitter } from "./transmitter.ts";
import { AnswerChanged, seenRequest, type WireNode } from "./wire.ts";

export type CourierRun = ReturnType<typeof createRun>;

/**
 * Stands between the platform and the subscriber, and does to each attempt what the schedule says. Requests go out one
 * after another, but for those that the schedule lets overlap, so that two runs of one schedule are alike. When an attempt
 * is made, and what follows from its result, is up to the platform as always.
 */
export function createCourier() {
  let run: CourierRun | undefined;
  /** How long the first answer to each type of event took, real milliseconds: a repetition may be ignored at once. */
  const usual = new Map<string, number>();

  return {
    /**
     * @param send the platform's own sender: deliveries to other endpoints go out as always
     * @param transmit it, or what calls a function in its place
     * @param isSubscriber whether an endpoint is the subscriber's
     */
    wrap:
      (
        send: (request: SendRequest) => Sending,
        transmit: (request: SendRequest) => Sending,
        isSubscriber: (webhookId: string) => boolean,
      ): Courier =>
      (request, attempt) =>
        isSubscriber(attempt.webhookId) ? run!.take(request, attempt, transmit) : send(request),

    begin(options: CourierOptions): CourierRun {
      run = createRun(options, usual);
      return run;
    },
  };
}

export type ExploreCourier = ReturnType<typeof createCourier>;

function createRun(options: CourierOptions, usual: Map<string, number>) {
  const { now, deviationOf, nameOf, marksOf, root, reset, rest, tables, server, api, onStep } = options;
  const attempts: SentAttempt[] = [];
  const requests: SendRequest[] = [];
  const waiting: (() => Promise<void>)[] = [];
  /** Waits for the next one to go first. */
  const swapped: (() => Promise<void>)[] = [];
  /** Requests whose processing goes on until the next one arrives. */
  let held: Arrival[] = [];
  let node = root;
  /** The steps so far with their known answers, as long as none of them really went out. */
  let unsent: { step: readonly Arrival[]; node: WireNode }[] = [];
  let live = false;
  let pause = 0;
  let pumping: Promise<void> | undefined;
  let failure: unknown;
  let send: (request: SendRequest) => Sending;
  const sentOf = ({ index }: Arrival): SentAttempt => attempts[index]!;
  const { open, transmit } = createTransmitter({
    // What is played again from a record goes out now.
    send: (request) => {
      const headers = request.makeHeaders?.() ?? request.headers;
      return send({ ...request, headers: options.hasMachineTime ? withMachineTime(headers) : headers });
    },
    ...{ sentOf, rest, tables, server, api, usual },
  });
  const stall = createStall(api, transmit, sentOf);

  /** From here on, requests really go out: first those that the subscriber has to have seen by now. @throws AnswerChanged */
  async function goLive(): Promise<void> {
    live = true;
    await reset();
    let raced = false;
    for (const { step, node: known } of unsent) {
      const results = await transmit(step, known);
      // What a killed server had done by then is chance, too.
      raced ||= step.length > 1 || step[0]!.meets === "crash";
      const changed = results.findIndex(
        (one, index) => one.responseCode !== known.results[index]!.responseCode,
      );
      if (changed < 0) continue;
      const [earlier, now] = [known.results[changed]!.responseCode, results[changed]!.responseCode];
      throw new AnswerChanged({ event: attempts[step[changed]!.index]!.event, earlier, now }, raced);
    }
    unsent = [];
  }

  /** Lets requests arrive at the same time, those that are still in progress among them. */
  async function arrive(last?: Arrival): Promise<void> {
    const step = last === undefined ? held : [...held, last];
    held = [];
    if (step.length === 0) return;
    for (const { index } of step) {
      const sent = attempts[index]!;
      sent.arrivals += 1;
      for (const other of step)
        if (other.index !== index && !sent.overlaps.includes(other.index)) sent.overlaps.push(other.index);
    }
    const name = step
      .map(
        ({ index, request, meets = "", headStart = "" }) =>
          `${nameOf(seenRequest(attempts[index]!, request))} ${meets}${headStart}`,
      )
      .join("\n");
    let next = node.next.get(name);
    if (next && !live) unsent.push({ step, node: next });
    else {
      if (!live) await goLive();
      const rested = {};
      const results = await stall.endAfter(transmit(step, rested));
      next = { ...rested, results, next: new Map() };
      node.next.set(name, next);
    }
    node = next;
    step.forEach(({ index, answered }, position) => {
      const result = node.results[position]!;
      noteAnswer(attempts[index]!, result);
      answered(result);
    });
    await onStep?.(node, live, attempts);
  }

  /** Does to an attempt what the schedule says. @param settle tells the platform how it ended */
  async function carry(
    index: number,
    request: SendRequest,
    settle: (result: SendResult) => void,
  ): Promise<void> {
    const { deviation } = attempts[index]!;
    const headStart = HEAD_STARTS[deviation ?? "lost"];
    // Requests of one instant go out side by side.
    if (headStart !== undefined) return void held.push({ index, request, answered: settle, headStart });
    switch (deviation) {
      case "lost":
      case "outage":
        return settle(LOST);
      // The platform gives up after 30 s. The subscriber has not ended when the next request arrives.
      case "slow":
        held.push({ index, request, answered: () => undefined });
        return settle(TOO_LATE);
      case "timeout":
        return settle(TOO_LATE);
      case "restart":
      case "crash":
      case "api-429":
      case "api-500":
        return arrive({ index, request, answered: settle, meets: deviation });
      case "api-slow":
        await arrive();
        if (!live) await goLive();
        attempts[index]!.arrivals += 1;
        await stall.begin({ index, request, answered: () => undefined });
        return settle(TOO_LATE);
      case "answer-lost":
        return arrive({ index, request, answered: () => settle(ANSWER_LOST) });
      // The platform was killed before it wrote the answer down. Started again, it sends the pending attempt once more,
      // under its id (docs/reliability.md).
      case "resend":
        await arrive({ index, request, answered: () => undefined });
        return arrive({ index, request, answered: settle });
      default:
        return arrive({ index, request, answered: settle });
    }
  }

  /** Carries one attempt after another, until none waits. */
  async function pump(): Promise<void> {
    try {
      for (;;) {
        // The attempts of one instant come in batches, with no more than a turn between them.
        for (let turn = 0; turn < 2 && waiting.length === 0; turn += 1) await ioHadItsTurn();
        const next = waiting.shift() ?? swapped.shift();
        if (next) await next();
        else if (held.some(({ headStart }) => headStart !== undefined)) await arrive();
        else return;
      }
    } catch (error) {
      fail(error);
    } finally {
      pumping = undefined;
    }
  }

  /** Ends the run: no attempt waits any longer, and nothing more is sent. */
  function fail(error: unknown): void {
    failure ??= error;
    for (const one of unsettled) one(TOO_LATE);
    hurry(0);
    api?.release();
  }
  const hurry = (ms: number): void => {
    for (const sending of open) sending.hurry(ms);
  };
  const unsettled = new Set<(result: SendResult) => void>();

  return {
    attempts: attempts as readonly SentAttempt[],
    /** What the platform asked to send for each attempt. */
    requests: requests as readonly SendRequest[],
    /** What requests really go out with. */
    get send() {
      return send;
    },

    take(request: SendRequest, attempt: CourierAttempt, transmitOne: typeof send): Sending {
      send = transmitOne;
      const index = attempts.length;
      const signed = signedBeside(request, options.newSecretOf(index));
      const sent = begunAttempt(signed, attempt, {
        ...{ at: now(), pause, deviation: deviationOf(index) ?? null },
        ...{ ...marksOf(attempt, request.body ?? ""), twiceSigned: signed !== request },
      });
      attempts.push(sent);
      requests.push(request);
      const result = new Promise<SendResult>((resolve) => {
        const settle = (ended: SendResult) => {
          unsettled.delete(settle);
          sent.failed = ended.error !== null;
          sent.detail = ended.detail;
          resolve(ended);
        };
        unsettled.add(settle);
        if (failure !== undefined) return settle(TOO_LATE);
        const work = () => carry(index, signed, settle);
        if (sent.deviation === "swap") swapped.push(work);
        else waiting.push(work, ...swapped.splice(0));
        pumping ??= pump();
      });
      return { result, hurry };
    },

    /** Whether an attempt waits for its result. */
    get busy(): boolean {
      return pumping !== undefined;
    },

    /** A person has time to do something now. */
    pauseNow(): void {
      pause += 1;
    },
    get pauses(): number {
      return pause;
    },

    /** Resolves once everything arrived and was answered, also what was answered too late. */
    async settle(): Promise<void> {
      while (pumping) await pumping;
      try {
        await arrive();
        await stall.endAfter(Promise.resolve());
      } catch (error) {
        fail(error);
      }
    },

    /** Where the run stands, and what makes the subscriber have seen all of it. */
    get node(): WireNode {
      return node;
    },
    get live(): boolean {
      return live;
    },
    goLive,
    fail,

    /** @throws what ended the run */
    check(): void {
      if (failure !== undefined) throw failure;
    },
  };
}

const ioHadItsTurn = (): Promise<void> => new Promise((resolve) => afterPendingIo(resolve));
