import { computed, createModel, effect, type ReadonlySignal, signal } from "@preact/signals";
import type { Api } from "../../api.ts";
import type { FaultState } from "../../api-types.ts";
import type { Live } from "../../live.ts";
import { refreshOn } from "../refresh.ts";
import type { Toasts } from "../toasts.ts";
import { DraftError, draftOf, EMPTY_DRAFT, type FaultDraft, faultWords, readDraft } from "./fault.ts";

export type FaultSwitch = InstanceType<typeof FaultSwitch>;

/** The switch that makes a subscriber fail, and the choice of how. */
export const FaultSwitch = createModel((api: Api, live: Live, toasts: Toasts, webhookId: string) => {
  const state = signal<FaultState | undefined>(undefined);
  const draft = signal<FaultDraft>(EMPTY_DRAFT);
  const problem = signal<DraftError | undefined>(undefined);

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
    show(next ? await api.setFault(webhookId, next) : await api.clearFault(webhookId));
  }

  /** Makes it fail as the draft says. */
  async function apply(): Promise<void> {
    try {
      problem.value = undefined;
      const before = state.peek()?.spec ?? null;
      const fault = readDraft(draft.peek());
      await set(fault);
      toasts.done(`From now on the subscriber fails: ${faultWords(fault)}.`, () => set(before));
    } catch (error) {
      if (error instanceof DraftError) problem.value = error;
      else toasts.fail(error);
    }
  }

  async function lift(): Promise<void> {
    const before = state.peek()?.spec ?? null;
    await toasts.attempt(async () => {
      await set(null);
      toasts.done("The subscriber works again.", before ? () => set(before) : undefined);
    });
  }

  return {
    state: state as ReadonlySignal<FaultState | undefined>,
    failing: computed(() => state.value?.spec != null),
    draft: draft as ReadonlySignal<FaultDraft>,
    problem: problem as ReadonlySignal<DraftError | undefined>,
    choose(change: Partial<FaultDraft>): void {
      draft.value = { ...draft.value, ...change };
      problem.value = undefined;
    },
    apply,
    lift,
  };
});
