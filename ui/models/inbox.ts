import { createModel, effect, type ReadonlySignal, signal } from "@preact/signals";
import type { Api } from "../api.ts";
import type { Behaviour, InboxMessage } from "../api-types.ts";
import type { Live } from "../live.ts";
import { refreshOn } from "./refresh.ts";

/** As many as an inbox itself keeps. */
const KEPT = 1_000;

export type InboxModel = InstanceType<typeof InboxModel>;

/** What a built-in subscriber got, newest last, and how it answers. */
export const InboxModel = createModel((api: Api, live: Live, name: string) => {
  const messages = signal<InboxMessage[] | undefined>(undefined);
  const behaviour = signal<Behaviour>({});
  const error = signal<Error | undefined>(undefined);

  async function read(): Promise<void> {
    try {
      const earlier = messages.peek() ?? [];
      const fresh = await api.inbox(name, earlier.at(-1)?.seq ?? 0);
      messages.value = earlier.concat(fresh).slice(-KEPT);
      behaviour.value = await api.behaviour(name);
      error.value = undefined;
    } catch (reason) {
      error.value = reason as Error;
    }
  }

  effect(() => refreshOn(live, ({ type, data }) => type.startsWith("inbox.") && data.inbox === name, read));
  effect(() => live.onReplaced(() => (messages.value = [])));
  void read();

  return {
    messages: messages as ReadonlySignal<InboxMessage[] | undefined>,
    behaviour: behaviour as ReadonlySignal<Behaviour>,
    error: error as ReadonlySignal<Error | undefined>,
    read,
    async behave(next: Behaviour): Promise<void> {
      behaviour.value = await api.setBehaviour(name, next);
    },
  };
});

/** How an inbox answers, in words. */
export function behaviourWords({ status, sequence, delay }: Behaviour): string {
  const parts = [`answers ${status ?? 200}`];
  if (sequence && sequence.length > 0) parts.unshift(`answers ${sequence.join(", ")} first, then`);
  if (delay) parts.push(`after ${delay} ms of real time`);
  return parts.join(" ").replace("then answers", "then");
}

/** How an inbox is to answer, as a form holds it. */
export interface BehaviourDraft {
  status: string;
  sequence: string;
  delay: string;
  body: string;
}

export type BehaviourProblem = Partial<Record<keyof BehaviourDraft, string>>;

export function draftOfBehaviour({ status, sequence, delay, body }: Behaviour): BehaviourDraft {
  return {
    status: String(status ?? 200),
    sequence: (sequence ?? []).join(", "),
    delay: String(delay ?? 0),
    body: body ?? "",
  };
}

const isStatus = (text: string) => /^[2-5]\d\d$/.test(text);

/** The behaviour that a draft stands for, or what is wrong with it. */
export function readBehaviour(
  draft: BehaviourDraft,
): { behaviour: Behaviour } | { problem: BehaviourProblem } {
  const problem: BehaviourProblem = {};
  const steps = draft.sequence.split(/[\s,]+/).filter((step) => step !== "");
  if (!isStatus(draft.status.trim())) problem.status = "A status from 200 to 599.";
  if (!steps.every(isStatus)) problem.sequence = "Statuses from 200 to 599, for example 500, 410.";
  if (!/^\d{1,5}$/.test(draft.delay.trim()) || Number(draft.delay) > 60_000)
    problem.delay = "Milliseconds, at most 60000.";
  if (Object.keys(problem).length > 0) return { problem };
  return {
    behaviour: {
      ...(draft.status.trim() === "200" ? {} : { status: Number(draft.status) }),
      ...(steps.length === 0 ? {} : { sequence: steps.map(Number) }),
      ...(Number(draft.delay) === 0 ? {} : { delay: Number(draft.delay) }),
      ...(draft.body === "" ? {} : { body: draft.body }),
    },
  };
}
