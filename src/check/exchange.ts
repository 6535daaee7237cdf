import type { CheckRequest } from "./craft.ts";
import type { Answer, Hazard, Kit } from "./hazard.ts";
import { refused, took } from "./judge.ts";
import type { Sender } from "./send.ts";

/** A request that failed once, and one of its kind that did not. */
export interface Flake {
  first: Answer;
  second: Answer;
}

export type Exchange = ReturnType<typeof createExchange>;

/** Errors after which there is no use in asking again: nothing takes requests there. */
const UNREACHABLE = new Set(["connection_refused", "dns", "tls"]);

/**
 * The requests of a hazard, to be sent in parts; after one without an answer the rest is not sent. A request with a
 * doubtful answer is made a second time, so that a receiver that fails by chance is not blamed for what was sent just
 * then. The second time it is of another event: a receiver that stored the first before it failed would take the same
 * one for handled. Requests that are sent at once are not repeated, as a race that is lost once is a bug.
 * @param others makes what requests of the second time are made from
 */
export function createExchange(hazard: Hazard, kit: Kit, sender: Sender, others: () => Promise<Kit>) {
  const requests = hazard.requests(kit);
  const answers: Answer[] = [];
  const flakes: Flake[] = [];

  const isDoubtful = (answer: Answer): boolean =>
    !took(answer) &&
    (hazard.mustAccept === true || !refused(answer)) &&
    !(answer.error !== null && UNREACHABLE.has(answer.error));

  async function ask(index: number): Promise<Answer> {
    const first = await sender.send(requests[index]!);
    if (!isDoubtful(first)) return first;
    const second = await askAgain(index);
    if (!second || isDoubtful(second) || second.status === null) return first;
    flakes.push({ first, second });
    return second;
  }

  /** Makes a request once more, after those that it follows. */
  async function askAgain(index: number): Promise<Answer | undefined> {
    const again = hazard.requests(await others()).slice(0, index + 1);
    let last: Answer | undefined;
    for (const request of again) last = await sender.send(secondTime(request));
    return last;
  }

  async function sendTo(end: number): Promise<void> {
    while (answers.length < end) {
      if (answers.at(-1)?.status === null) return;
      answers.push(await ask(answers.length));
    }
  }

  return {
    /** What counts: of each request the first answer, or the second where only that was right. */
    answers,
    flakes,

    /** Every answer, in order, with both of a request that was sent twice. */
    allAnswers: (): Answer[] =>
      answers.flatMap((answer) => {
        const flake = flakes.find(({ second }) => second === answer);
        return flake ? [flake.first, answer] : [answer];
      }),

    first: () => sendTo(1),
    rest: () => sendTo(requests.length),
    async all(): Promise<void> {
      if (!hazard.together) return sendTo(requests.length);
      answers.push(...(await Promise.all(requests.map(sender.send))));
    },
  };
}

const secondTime = (request: CheckRequest): CheckRequest => ({
  ...request,
  what: `${request.what}, of another event`,
});
