import { wallSleep } from "../../world/clock.ts";
import type { Answer, Flake, Hazard } from "../hazards/hazard.ts";
import type { CheckRequest } from "./craft.ts";
import { refused, took } from "./judge.ts";
import type { Sender } from "./send.ts";
import type { Supply } from "./supply.ts";

export type SendTogether = (sends: readonly (() => Promise<Answer>)[]) => Promise<Answer[]>;

export interface Exchange {
  readonly requests: readonly CheckRequest[];
  /** What counts: of each request the first answer, or the second where only that was right. */
  readonly answers: Answer[];
  readonly flakes: Flake[];
  /** Every answer, by request, with all of a request that was sent several times. */
  allAnswers(): Answer[];
  /** Sends the first request; all but the last one, where the hazard watches the last. */
  first(): Promise<void>;
  rest(): Promise<void>;
  /**
   * Sends so many of the next ones at once.
   * @param send sends all of them
   * @returns whether each was accepted in the end
   */
  together(count: number, send?: SendTogether): Promise<boolean>;
}

/** How long to wait before each retry of a request that was put off, real milliseconds. */
const RETRY_AFTER_MS = [100, 300, 600];

/** Errors that say that nothing takes requests there. */
const UNREACHED = new Set<unknown>(["connection_refused", "dns", "tls"]);
export const isUnreached = ({ error }: Answer): boolean => UNREACHED.has(error);

/**
 * The requests of a hazard, to be sent in parts; after one without an answer the rest is not sent. A request with a
 * doubtful answer is made a second time, so that a receiver that fails by chance is not blamed for what was sent just
 * then. The second time it is of another event: a receiver that stored the first before it failed would take the same
 * one for handled. Requests that are sent at once are not repeated, as a race that is lost once is a bug. What a receiver
 * puts off is sent again once the others were answered, as the platform does.
 */
export function createExchange(hazard: Hazard, { kit, others }: Supply, sender: Sender): Exchange {
  const requests = hazard.requests(kit);
  const answers: Answer[] = [];
  const flakes: Flake[] = [];
  /** Those that do not count, by the one that does. */
  const earlier = new Map<Answer, Answer[]>();

  const isDoubtful = (answer: Answer): boolean =>
    !took(answer) && (hazard.mustAccept === true || !refused(answer)) && !isUnreached(answer);

  const isPutOff = ({ status }: Answer): boolean =>
    status !== null && (hazard.putOff?.includes(status) ?? false);

  async function ask(index: number): Promise<Answer> {
    const first = await sender.send(requests[index]!);
    if (!isDoubtful(first) || isPutOff(first)) return first;
    const second = (await askAgain(index))!;
    // A receiver that has gone answers nothing more.
    if (!isUnreached(second) && (isDoubtful(second) || second.status === null)) return first;
    earlier.set(second, [first]);
    if (!isUnreached(second)) flakes.push({ first, second });
    return second;
  }

  /** Makes a request once more, after those that it follows. */
  async function askAgain(index: number): Promise<Answer | undefined> {
    let last: Answer | undefined;
    for (const request of hazard.requests(others()).slice(0, index + 1))
      last = await sender.send({ ...request, what: `${request.what}, of another event` });
    return last;
  }

  async function sendTo(end: number): Promise<void> {
    while (answers.length < end) {
      if (answers.at(-1)?.status === null) return;
      answers.push(await ask(answers.length));
    }
    await retryPutOff();
  }

  /** Sends again what was put off, if anything was accepted that it may have waited for. */
  async function retryPutOff(): Promise<void> {
    for (const [index, answer] of answers.entries()) {
      if (!answers.some(took)) continue;
      const before: Answer[] = [];
      for (let last = answer; isPutOff(last) && before.length < RETRY_AFTER_MS.length; ) {
        await wallSleep(RETRY_AFTER_MS[before.length]!);
        before.push(last);
        last = await sender.send(requests[index]!);
        earlier.set(last, [...before]);
        answers[index] = last;
      }
    }
  }

  return {
    ...{ requests, answers, flakes },
    allAnswers: () => answers.flatMap((answer) => [...(earlier.get(answer) ?? []), answer]),
    first: () => sendTo(hazard.watch === "last" ? requests.length - 1 : 1),
    rest: () => sendTo(requests.length),
    async together(count, send = (sends) => Promise.all(sends.map((one) => one()))) {
      const next = requests.slice(answers.length, answers.length + count);
      answers.push(...(await send(next.map((one) => () => sender.send(one)))));
      await retryPutOff();
      return answers.slice(-count).every(took);
    },
  };
}
