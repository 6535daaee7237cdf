import type { Sending, SendRequest, SendResult } from "../../webhooks/exchange.ts";
import { wallSleep } from "../../world/clock.ts";
import { SECOND } from "../../world/duration.ts";
import { overtake } from "../statements/overtake.ts";
import type { PointPlan, Watch } from "../statements/statements.ts";
import { isEnding } from "../subject/instances.ts";
import type { SubjectState } from "../subject/subject-state.ts";
import type { Surroundings } from "../subject/surroundings.ts";
import type { SentAttempt } from "./attempt.ts";
import type { Encounter } from "./deviations/deviation.ts";
import type { WireNode } from "./wire.ts";

export interface Arrival {
  index: number;
  request: SendRequest;
  answered: (result: SendResult) => void;
  /** Real milliseconds until the next request of its step is sent. */
  headStart?: number | undefined;
  meets?: { name: string; encounter?: Encounter | undefined; plan?: PointPlan | undefined } | undefined;
}

/**
 * Resolves when the subscriber has finished its work after the responses.
 * @param node contains the known state after that, or receives it
 */
export type Rest = (node: Pick<WireNode, "settled">) => Promise<void>;

/** The parts of the server that a delivery can interrupt, and the tables, which reveal other programs' writes. */
export interface CourierSubject extends Surroundings {
  state: Pick<SubjectState, "tables">;
}

interface TransmitterOptions {
  send: (request: SendRequest) => Sending;
  attempts: readonly SentAttempt[];
  rest: Rest | undefined;
  subject: CourierSubject;
  endsWhenStuck: boolean;
  /**
   * How long the first response to each event type took, in real milliseconds. A handler may skip work for repeated
   * events.
   */
  usual: Map<string, number>;
}

export interface Transmitter {
  /**
   * Sends requests simultaneously, interrupts the subscriber where their deviations require it, and waits until it is
   * done.
   * @param node receives the observed statements and the server's output
   * @throws Stuck
   */
  transmit(
    step: readonly Arrival[],
    node: Pick<WireNode, "settled" | "seen" | "printed">,
  ): Promise<SendResult[]>;
  /** Limits requests in progress to the given real milliseconds. */
  hurry(ms: number): void;
}

/**
 * A started server that has not responded for this long, in real milliseconds, is stuck, and is not waited for any more.
 * Databases give up waiting for a lock earlier, MySQL after 50 s.
 */
export const SILENT_MS = 60 * SECOND;

/** A started server did not respond to a request without a deviation. */
export class Stuck extends Error {
  constructor({ event }: SentAttempt) {
    super(`No response to ${event}.`);
  }
}

export function createTransmitter(options: TransmitterOptions): Transmitter {
  const { send, attempts, rest, subject, usual: usualMs, endsWhenStuck } = options;
  const open = new Set<Sending>();
  const sentOf = ({ index }: Arrival): SentAttempt => attempts[index]!;
  const usualOf = (step: readonly Arrival[]): number => usualMs.get(sentOf(step.at(-1)!).event) ?? 0;

  /** For how long the latest requests got no response, in real milliseconds. */
  let silentMs = 0;

  function sendOne({ request }: Arrival): Promise<SendResult> {
    const sending = send(request);
    open.add(sending);
    if (subject.server && silentMs >= SILENT_MS) sending.hurry(SECOND);
    return sending.result.finally(() => open.delete(sending));
  }

  async function sendAll(
    step: readonly Arrival[],
    watch: Watch | undefined,
  ): Promise<{ answers: Promise<SendResult>[] }> {
    const answers: Promise<SendResult>[] = [];
    for (const arrival of step) {
      answers.push(sendOne(arrival));
      watch?.sent(answers.at(-1)!);
      // If the subscriber does not keep working after its response, the next request cannot overlap with its work anyway.
      const ended = rest ? [] : [answers.at(-1)!];
      if (arrival.headStart) await Promise.race([wallSleep(arrival.headStart), ...ended]);
    }
    return { answers };
  }

  return {
    async transmit(step, node) {
      const { api, server, statements } = subject;
      const meets = step.find(({ meets }) => meets)?.meets;
      const { encounter, plan } = meets ?? {};
      const before = api?.calls ?? 0;
      const usual = usualOf(step);
      const watched = await subject.state.tables?.();
      await watched?.begin();
      encounter?.begin?.(subject);
      const watch = statements?.watch(plan, usual);
      const heard = server?.output.listen();
      const isOvertaken = (plan?.does.startsWith("hold") ?? false) && !encounter?.interrupt;
      const { answers, missed } = isOvertaken
        ? await overtake(
            watch!,
            step.map((one) => () => sendOne(one)),
            step.findIndex((one) => one.meets?.plan),
          )
        : { ...(await sendAll(step, watch)), missed: null };
      // A server that did not respond may still be working.
      let isLate = true;
      try {
        const done = Promise.all(answers);
        const interrupted = await encounter?.interrupt?.({ ...subject, watch: plan && watch }, done, usual);
        const [results, made] = await Promise.all([done, watch?.end()]);
        isLate = results.some(({ responseCode }) => responseCode === null);
        const isHeard = results.some(({ responseCode }) => responseCode !== null);
        silentMs = isHeard ? 0 : silentMs + Math.max(...results.map(({ durationMs }) => durationMs));
        const isStuck = endsWhenStuck && !meets && results.some(({ error }) => error === "timeout");
        if (isStuck) throw new Stuck(sentOf(step[0]!));
        const hasFailed = results.some(({ error }) => error !== null);
        if (heard && !interrupted && (hasFailed || !made?.length)) node.printed ??= await heard();
        const isMet = isOvertaken || plan === undefined || made!.some(({ met }) => met);
        // A server that exited on its own is restarted, as it would be in production.
        const isSilent = plan !== undefined && results.some(({ responseCode }) => responseCode === null);
        const hasEnded = isSilent && !interrupted && (await isEnding(server!));
        if (hasEnded) await server!.restart();
        if (made) node.seen ??= { statements: made, missed: isMet ? missed : "not-reached", hasEnded };
        if (interrupted) return step.map(() => interrupted);
        step.forEach((arrival, position) => {
          const { event } = sentOf(arrival);
          if (!usualMs.has(event)) usualMs.set(event, results[position]!.durationMs);
        });
        await rest?.(node);
        await encounter?.end?.(subject);
        return results;
      } finally {
        await watched?.end(isLate);
        if (encounter) api?.disturb(undefined);
        for (const arrival of step) sentOf(arrival).calls += (api?.calls ?? 0) - before;
      }
    },
    hurry(ms) {
      for (const sending of open) sending.hurry(ms);
    },
  };
}
