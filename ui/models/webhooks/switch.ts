import { computed, createModel, effect, type ReadonlySignal, signal } from "@preact/signals";
import { readStep, stepText } from "../../../src/timeline/fault-steps.ts";
import { type Api, ApiError } from "../../api.ts";
import type { FaultKind, FaultState, FaultStep, SubscriberFault, Webhook } from "../../api-types.ts";
import type { Live } from "../../live.ts";
import { count } from "../format.ts";
import { refreshOn } from "../refresh.ts";
import type { Toasts } from "../toasts.ts";

/** The ways in which a subscriber can fail, in the order of the menu. */
export const FAULTS: Record<FaultKind, { name: string; about: string }> = {
  status: { name: "Status", about: "returns an error" },
  timeout: { name: "Timeout", about: "does not respond within 30 seconds" },
  refused: { name: "Refused", about: "nothing listens" },
  reset: { name: "Reset", about: "the connection breaks" },
  slow_body: { name: "Slow", about: "returns 200, but the body never ends" },
  redirect: { name: "Redirect", about: "returns 302" },
  dns: { name: "DNS", about: "the host name does not resolve" },
  tls: { name: "TLS", about: "the certificate is not trusted" },
  truncated: { name: "Truncated", about: "the body is cut off" },
  garbage: { name: "Garbage", about: "the response is not HTTP" },
  interrupted: { name: "Interrupted", about: "the sender restarts and sends the request again" },
};
export const FAULT_KINDS = Object.keys(FAULTS) as FaultKind[];

/** The choices for how often a fault occurs. */
export const OFTEN = [
  ["always", "each time"],
  ["times", "a number of times"],
  ["rate", "by chance"],
] as const;

/** The values of the fault form. */
export interface FaultDraft {
  kind: FaultKind | "sequence";
  often: (typeof OFTEN)[number][0];
  times: string;
  /** The failure rate, as a percentage. */
  rate: string;
  status: string;
  sequence: string;
  passThrough: boolean;
}

export const EMPTY_DRAFT: FaultDraft = {
  kind: "status",
  status: "503",
  often: "always",
  times: "2",
  rate: "50",
  sequence: "503, timeout, 200",
  passThrough: false,
};

/** Converts a draft to a fault. The sandbox validates it. */
export function readDraft(draft: FaultDraft): SubscriberFault {
  const pass = draft.passThrough ? { passThrough: true } : {};
  if (draft.kind === "sequence") {
    const steps = draft.sequence.split(/[\s,]+/).filter((step) => step !== "");
    return { sequence: steps.map((step) => readStep(step) as FaultStep), ...pass };
  }
  const { kind, often, status, times, rate } = draft;
  return {
    kind,
    ...(kind === "status" ? { status: Number(status) } : {}),
    ...(often === "times" ? { times: Number(times) } : often === "rate" ? { rate: Number(rate) / 100 } : {}),
    ...pass,
  };
}

const percent = (rate: number): string => String(Math.round(rate * 100));

const sequenceText = ({ sequence = [], ...own }: SubscriberFault): string =>
  sequence.map((step) => stepText(step, own)).join(", ");

/** Converts the current fault to a draft. */
export function draftOf(spec: SubscriberFault): FaultDraft {
  const { times, rate } = spec;
  return {
    ...EMPTY_DRAFT,
    kind: spec.sequence ? "sequence" : (spec.kind ?? "status"),
    ...(spec.status === undefined ? {} : { status: String(spec.status) }),
    often: times != null ? "times" : rate != null ? "rate" : "always",
    ...(times == null ? {} : { times: String(times) }),
    ...(rate == null ? {} : { rate: percent(rate) }),
    ...(spec.sequence ? { sequence: sequenceText(spec) } : {}),
    passThrough: spec.passThrough ?? false,
  };
}

/** Describes a fault in words: `returns 503, 2 times`. */
export function faultWords(spec: SubscriberFault): string {
  const pass = spec.passThrough ? "; the real subscriber is also called" : "";
  if (spec.sequence) return `plays ${sequenceText(spec)}${pass}`;
  const kind = spec.kind ?? "status";
  const what = kind === "status" ? `returns ${spec.status ?? 500}` : FAULTS[kind].about;
  const often =
    spec.times != null
      ? `, ${count(spec.times, "time")}`
      : spec.rate != null
        ? `, ${percent(spec.rate)}% of the time`
        : "";
  return what + often + pass;
}

export const faultName = ({ kind, status }: Pick<FaultDraft, "kind" | "status">): string =>
  kind === "status" ? status : kind === "sequence" ? "a sequence" : FAULTS[kind].name;

/** Describes how many requests a fault has affected so far. */
export const hitWords = ({ hit, asked }: Pick<FaultState, "hit" | "asked">): string =>
  asked === 0
    ? "It has not affected any request yet."
    : `It has affected ${hit} of ${asked} requests so far.`;

/**
 * Describes what the subscriber currently does.
 * @param state undefined until it has been loaded
 */
export function faultText(state: FaultState | undefined, endpoint: Webhook["status"]): string {
  if (!state) return "Loading its fault…";
  if (state.spec) return `It ${faultWords(state.spec)}. ${hitWords(state)}`;
  return endpoint !== "enabled"
    ? `No fault is set, but the endpoint is ${endpoint} and gets no deliveries.`
    : "No fault is set: your server decides how it responds.";
}

export type FaultSwitch = InstanceType<typeof FaultSwitch>;

/** The switch that makes a subscriber fail, with its options. */
export const FaultSwitch = createModel((api: Api, live: Live, toasts: Toasts, webhookId: string) => {
  const state = signal<FaultState | undefined>(undefined);
  const draft = signal<FaultDraft>(EMPTY_DRAFT);
  const problem = signal<ApiError | undefined>(undefined);

  function show(next: FaultState): void {
    const changed = JSON.stringify(next.spec) !== JSON.stringify(state.peek()?.spec ?? null);
    state.value = next;
    if (next.spec && changed) draft.value = draftOf(next.spec);
  }

  const read = async () => show(await api.fault(webhookId));
  const target = `webhook:${webhookId}`;
  effect(() =>
    refreshOn(
      live,
      ({ type, data }) =>
        (type.startsWith("fault.") && data.target === target) ||
        (type === "delivery.started" && data.webhook_id === webhookId && state.peek()?.spec != null),
      read,
    ),
  );
  void read().catch(toasts.fail);

  async function set(next: FaultState["spec"]): Promise<void> {
    try {
      show(next ? await api.setFault(webhookId, next) : await api.clearFault(webhookId));
    } catch (error) {
      // Assign a new object to the signal, so the clicked control shows the actual state again.
      state.value = state.peek() && { ...state.peek()! };
      throw error;
    }
  }

  /** Sets the fault described by the draft. */
  async function apply(): Promise<void> {
    try {
      problem.value = undefined;
      const before = state.peek()?.spec ?? null;
      const fault = readDraft(draft.peek());
      await set(fault);
      toasts.note(`From now on the subscriber fails: ${faultWords(fault)}.`, () => set(before));
    } catch (error) {
      if (error instanceof ApiError && error.param) problem.value = error;
      else toasts.fail(error);
    }
  }

  async function lift(): Promise<void> {
    const before = state.peek()?.spec ?? null;
    await toasts.attempt(async () => {
      await set(null);
      toasts.note("The subscriber works again.", before ? () => set(before) : undefined);
    });
  }

  return {
    state: state as ReadonlySignal<FaultState | undefined>,
    failing: computed(() => state.value?.spec != null),
    draft: draft as ReadonlySignal<FaultDraft>,
    problem: problem as ReadonlySignal<ApiError | undefined>,
    choose(change: Partial<FaultDraft>): void {
      draft.value = { ...draft.value, ...change };
      problem.value = undefined;
    },
    apply,
    lift,
  };
});
