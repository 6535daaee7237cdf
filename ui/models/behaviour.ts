import type { Behaviour } from "../api-types.ts";

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
