import { wallSleep } from "../../world/clock.ts";
import type { Answer, Flake, Hazard } from "../hazards/hazard.ts";
import type { CheckRequest } from "./craft.ts";
import { refused, took } from "./judge.ts";
import type { Sender } from "./send.ts";
import type { Supply } from "./supply.ts";

export type SendTogether = (sends: readonly (() => Promise<Answer>)[]) => Promise<Answer[]>;

export interface Exchange {
  readonly requests: readonly CheckRequest[];
  /** The responses that count: the first one to each request, or the second if only that one was right. */
  readonly answers: Answer[];
  readonly flakes: Flake[];
  /** All responses in request order, including those to repeated requests. */
  allAnswers(): Answer[];
  /** Sends the first request or, if the hazard watches the last one, all except the last. */
  first(): Promise<void>;
  rest(): Promise<void>;
  /**
   * Sends the next `count` requests at once.
   * @param send sends all of them
   * @returns whether each was eventually accepted
   */
  together(count: number, send?: SendTogether): Promise<boolean>;
}

/** How long to wait before each retry of a postponed request, in real milliseconds. */
const RETRY_AFTER_MS = [100, 300, 600];

/** Errors that mean that nothing accepts requests at the URL. */
const UNREACHED = new Set<unknown>(["connection_refused", "dns", "tls"]);
export const isUnreachable = ({ error, hasEnded }: Answer): boolean => hasEnded || UNREACHED.has(error);

/**
 * A hazard's requests, sent in parts. After a request without a response, the rest is not sent. A request with a doubtful
 * response is repeated, so that a random failure is not blamed on the hazard. The repetition uses another event, because a
 * subscriber that stored the first one before failing would treat it as handled. Simultaneous requests are not repeated:
 * a single lost race is a bug. Postponed requests are sent again after the others, like the platform's retries.
 * @param reset restores the state before each further valid event, if the server handles only one event per object
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
  /** Discarded responses, keyed by the response that counts instead. */
  const earlier = new Map<Answer, Answer[]>();

  const isDoubtful = (answer: Answer): boolean =>
    !took(answer) && (hazard.mustAccept === true || !refused(answer)) && !isUnreachable(answer);

  const isPutOff = ({ status }: Answer): boolean =>
    status !== null && (hazard.putOff?.includes(status) ?? false);

  /** Restores the state before an event whose type was already sent, unless it is a copy of that event. */
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
    // A stopped subscriber responds to nothing, so the second response proves nothing.
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
      last = await sender.send({ ...request, what: `${request.what}, for another event` });
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

  /** Resends postponed requests if a request that they may depend on was accepted. */
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
