import type { Webhook } from "../../api-types.ts";
import { useApp } from "../../components/context.ts";
import { Field, Select, Switch } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { Button } from "../../components/parts.tsx";
import { bind, part } from "../../models/binding.ts";
import { OFTEN } from "../../models/how-often.ts";
import {
  FAULT_KINDS,
  FAULTS,
  type FaultDraft,
  type FaultSwitch,
  faultWords,
  hitWords,
} from "../../models/webhooks/switch.ts";

const KINDS = [
  ...FAULT_KINDS.map((kind) => [kind, `${FAULTS[kind].name}: ${FAULTS[kind].about}`] as const),
  ["sequence", "Sequence: a step for each attempt"] as const,
];
/** Presentation mode has room for a word. */
const SHORT_KINDS = KINDS.map(([kind, text]) => [kind, text.split(":")[0]!] as const);

/** The switch that makes a subscriber fail, and how it does. */
export function Subscriber({ fault, webhook }: { fault: FaultSwitch; webhook: Webhook }) {
  const { prefs } = useApp();
  const failing = fault.failing.value;
  // In presentation mode the form's button is not shown: a choice holds as soon as it is made.
  const atOnce = failing && prefs.presenting.value;
  const state = fault.state.value;
  const draft = fault.draft.value;
  const problem = fault.problem.value;
  const chosen = bind(() => draft, fault.choose);
  const errorOf = (field: keyof FaultDraft) => (problem?.field === field ? problem.message : undefined);

  return (
    <section class="card flow subscriber" aria-label="Subscriber" data-failing={failing || undefined}>
      <div class="subscriber-switch">
        <Switch
          label="Make the subscriber fail"
          on={state && failing}
          onChange={(on) => (on ? fault.apply() : fault.lift())}
        />
        <p class="note">
          {failing && state?.spec
            ? `It ${faultWords(state.spec)}. ${hitWords(state)}`
            : webhook.status === "disabled"
              ? "No fault is set, but the endpoint is disabled and gets no deliveries."
              : "No fault is set: your server decides what it answers."}
        </p>
      </div>
      <Form
        class="flow subscriber-form"
        onSend={() => (atOnce ? undefined : fault.apply())}
        onChange={() => {
          if (atOnce) void fault.apply();
        }}
      >
        <Select
          label="How it fails"
          of={part(chosen, "kind")}
          options={prefs.presenting.value ? SHORT_KINDS : KINDS}
        />
        {draft.kind === "status" && (
          <Field label="Status" of={part(chosen, "status")} error={errorOf("status")} width="4.5rem" />
        )}
        {draft.kind === "sequence" ? (
          <Field label="Steps" of={part(chosen, "sequence")} error={errorOf("sequence")} />
        ) : (
          <Select label="How often" of={part(chosen, "often")} options={OFTEN} />
        )}
        {draft.kind !== "sequence" && draft.often === "times" && (
          <Field label="Times" of={part(chosen, "times")} error={errorOf("times")} width="6rem" />
        )}
        {draft.kind !== "sequence" && draft.often === "rate" && (
          <Field label="Percent" of={part(chosen, "rate")} error={errorOf("rate")} width="6rem" />
        )}
        <label class="check">
          <input
            type="checkbox"
            checked={draft.passThrough}
            onChange={({ currentTarget }) => fault.choose({ passThrough: currentTarget.checked })}
          />
          also send it to your server
        </label>
        <Button type="submit" disabled={!failing}>
          Change
        </Button>
      </Form>
    </section>
  );
}
