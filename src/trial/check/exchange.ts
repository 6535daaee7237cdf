import { wallSleep } from "../../world/clock.ts";
import type { Answer, Flake, Hazard } from "../hazards/hazard.ts";
import type { CheckRequest } from "./craft.ts";
import { refused, took } from "./judge.ts";
import type { Sender } from "./send.ts";
import type { Supply } from "./supply.ts";

export type SendTogether = (sends: readonly (() => Promise<Answer>)[]) => Promise<Answer[]>;

export interface Exchange {
  readonly requests: readonly CheckRequest[];
  /** The answers that count: the first answer to each request, or the second if only that was right. */
  readonly answers: Answer[];
  readonly flakes: Flake[];
  /** All answers, in the order of the requests, including repeated ones. */
  allAnswers(): Answer[];
  /** Sends the first request; if the hazard watches the last one, all but the last. */
  first(): Promise<void>;
  rest(): Promise<void>;
  /**
   * Sends the next `count` requests at once.
   * @param send sends all of them
   * @returns whether each was accepted in the end
   */
  together(count: number, send?: SendTogether): Promise<boolean>;
}

/** How long to wait before each retry of a postponed request, in real milliseconds. */
const RETRY_AFTER_MS = [100, 300, 600];

/** Errors that show that nothing accepts requests at the address. */
const UNREACHED = new Set<unknown>(["connection_refused", "dns", "tls"]);
export const isUnreachable = ({ error, hasEnded }: Answer): boolean => hasEnded || UNREACHED.has(error);

/**
 * The requests of a hazard, sent in parts. After a request without an answer, the rest is not sent. A request with a doubtful
 * answer is repeated, so that a hazard is not blamed for a random failure. The repetition is about another event: a subscriber
 * that stored the first event before it failed would treat the same one as handled. Simultaneous requests are not repeated, as a
 * race that is lost once is a bug. Requests that the subscriber postpones are sent again after the others, as the platform does.
 * @param reset restores the state, if the server handles one event for each object: each valid event after the first needs that
 */
export function createExchange(
  hazard: Hazard,
  { kit, others }: Supply,
  sender: Sender,
  reset?: () => Promise<unknown>,
): Exchange {
  const requests = hazard.requests(kit);
  const answers: Answer[] = [];
  const flakes: Flake[] = [];
  /** Answers that do not count, by the answer that does. */
  const earlier = new Map<Answer, Answer[]>();

  const isDoubtful = (answer: Answer): boolean =>
    !took(answer) && (hazard.mustAccept === true || !refused(answer)) && !isUnreachable(answer);

  const isPutOff = ({ status }: Answer): boolean =>
    status !== null && (hazard.putOff?.includes(status) ?? false);

  /** Restores the state before an event of the type of an earlier one, unless it is a copy of that. */
  async function makeRoom(index: number, all: readonly CheckRequest[]): Promise<void> {
    const { type, body } = all[index]!;
    const alike = all.slice(0, index).filter((one) => one.type === type);
    if (hazard.mustAccept && alike.length > 0 && alike.every((one) => one.body !== body)) await reset?.();
  }

  async function ask(index: number): Promise<Answer> {
    await makeRoom(index, requests);
    const first = await sender.send(requests[index]!);
    if (!isDoubtful(first) || isPutOff(first)) return first;
    const second = (await askAgain(index))!;
    // A subscriber that has stopped answers nothing more.
    if (!isUnreachable(second) && (isDoubtful(second) || second.status === null)) return first;
    earlier.set(second, [first]);
    if (!isUnreachable(second)) flakes.push({ first, second });
    return second;
  }

  /** Repeats a request, after the requests that it depends on. */
  async function askAgain(index: number): Promise<Answer | undefined> {
    let last: Answer | undefined;
    const again = hazard.requests(others()).slice(0, index + 1);
    await reset?.();
    for (const [at, request] of again.entries()) {
      await makeRoom(at, again);
      last = await sender.send({ ...request, what: `${request.what}, of another event` });
    }
    return last;
  }

  async function sendTo(end: number): Promise<void> {
    while (answers.length < end) {
      if (answers.at(-1)?.status === null) return;
      answers.push(await ask(answers.length));
    }
    await retryPutOff();
  }

  /** Sends postponed requests again, if a request that they may have waited for was accepted. */
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
