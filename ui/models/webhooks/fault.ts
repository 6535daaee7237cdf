import { readStep, stepText } from "../../../src/story/fault-steps.ts";
import type { FaultKind, FaultState, FaultStep, SubscriberFault } from "../../api-types.ts";
import {
  MOST_TIMES,
  OFTEN_DRAFT,
  type OftenDraft,
  oftenDraft,
  oftenWords,
  wholeNumber,
} from "../how-often.ts";

/** How a subscriber can fail, in the order in which it is offered. */
export const FAULTS: Record<FaultKind, { name: string; about: string }> = {
  status: { name: "Status", about: "answers with an error" },
  timeout: { name: "Time-out", about: "does not answer in 30 seconds" },
  refused: { name: "Refused", about: "nothing listens" },
  reset: { name: "Reset", about: "the connection breaks" },
  slow_body: { name: "Slow", about: "answers 200, but the body never ends" },
  redirect: { name: "Redirect", about: "answers 302" },
  dns: { name: "DNS", about: "the host name does not resolve" },
  tls: { name: "TLS", about: "the certificate is not trusted" },
  truncated: { name: "Truncated", about: "the body is cut off" },
  garbage: { name: "Garbage", about: "the answer is not HTTP" },
  interrupted: { name: "Interrupted", about: "the platform restarts, and sends the request again" },
};
export const FAULT_KINDS = Object.keys(FAULTS) as FaultKind[];

/** What a person has chosen; as a form holds it. */
export interface FaultDraft extends OftenDraft {
  kind: FaultKind | "sequence";
  status: string;
  sequence: string;
  passThrough: boolean;
}

export const EMPTY_DRAFT: FaultDraft = {
  kind: "status",
  status: "503",
  ...OFTEN_DRAFT,
  sequence: "503, timeout, 200",
  passThrough: false,
};

export class DraftError extends Error {
  readonly field: keyof FaultDraft;
  constructor(field: keyof FaultDraft, message: string) {
    super(message);
    this.field = field;
  }
}

function readWhole(field: keyof FaultDraft, text: string, least: number, most: number): number {
  const value = wholeNumber(text, least, most);
  if (value !== undefined) return value;
  throw new DraftError(field, `A whole number from ${least} to ${most}.`);
}

/** A status that fails a delivery. One in 200 to 299 is for the steps of a sequence. */
function readFailing(text: string): number {
  const value = wholeNumber(text, 300, 599);
  if (value !== undefined) return value;
  throw new DraftError(
    "status",
    wholeNumber(text, 200, 299) === undefined
      ? "A whole number from 300 to 599."
      : "200 to 299 is a success. A failure is a whole number from 300 to 599.",
  );
}

function readSequence(text: string): FaultStep[] {
  const steps = text.split(/[\s,]+/).filter((step) => step !== "");
  if (steps.length === 0)
    throw new DraftError("sequence", "At least one step, for example 503, timeout, 200.");
  return steps.map((text) => {
    const step = readStep(text);
    const { kind, status } = typeof step === "object" ? step : { kind: String(step), status: undefined };
    if (typeof step === "number" || status !== undefined)
      readWhole("sequence", String(status ?? step), 200, 599);
    else if (kind === undefined || (kind !== "deliver" && !Object.hasOwn(FAULTS, kind)))
      throw new DraftError(
        "sequence",
        `'${text.slice(0, 30)}' is neither a status nor one of deliver, ${FAULT_KINDS.join(", ")}.`,
      );
    return step as FaultStep;
  });
}

/** The fault that a draft stands for. @throws DraftError with the field at fault */
export function readDraft(draft: FaultDraft): SubscriberFault {
  const pass = draft.passThrough ? { passThrough: true } : {};
  if (draft.kind === "sequence") return { sequence: readSequence(draft.sequence), ...pass };
  const kind = { kind: draft.kind };
  const status = draft.kind === "status" ? { status: readFailing(draft.status) } : {};
  const often =
    draft.often === "times"
      ? { times: readWhole("times", draft.times, 1, MOST_TIMES) }
      : draft.often === "rate"
        ? { rate: readWhole("rate", draft.rate, 0, 100) / 100 }
        : {};
  return { ...kind, ...status, ...often, ...pass };
}

const sequenceText = ({ sequence = [], ...own }: SubscriberFault): string =>
  sequence.map((step) => stepText(step, own)).join(", ");

/** The draft that shows a fault that is set. */
export function draftOf(spec: SubscriberFault): FaultDraft {
  return {
    ...EMPTY_DRAFT,
    kind: spec.sequence ? "sequence" : (spec.kind ?? "status"),
    ...(spec.status === undefined ? {} : { status: String(spec.status) }),
    ...oftenDraft(spec),
    ...(spec.sequence ? { sequence: sequenceText(spec) } : {}),
    passThrough: spec.passThrough ?? false,
  };
}

/** A fault in words: `answers 503, 2 times`. */
export function faultWords(spec: SubscriberFault): string {
  const pass = spec.passThrough ? "; the real subscriber is called as well" : "";
  if (spec.sequence) return `plays ${sequenceText(spec)}${pass}`;
  const kind = spec.kind ?? "status";
  const what = kind === "status" ? `answers ${spec.status ?? 500}` : FAULTS[kind].about;
  return what + oftenWords(spec) + pass;
}

/** How many requests a fault has hit so far. */
export const hitWords = ({ hit, asked }: Pick<FaultState, "hit" | "asked">): string =>
  asked === 0 ? "No request has met it yet." : `It hit ${hit} of ${asked} requests so far.`;
