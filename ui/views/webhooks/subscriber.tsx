import type { Webhook } from "../../api-types.ts";
import { useApp } from "../../components/context.ts";
import { Check, Choice, Field, Select } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { Icon } from "../../components/icon.tsx";
import { Menu } from "../../components/menu.tsx";
import { Button } from "../../components/parts.tsx";
import { bind, part } from "../../models/binding.ts";
import {
  FAULT_KINDS,
  FAULTS,
  type FaultDraft,
  type FaultSwitch,
  faultName,
  faultText,
  OFTEN,
} from "../../models/webhooks/switch.ts";

const KINDS = [
  ...FAULT_KINDS.map((kind) => [kind, `${FAULTS[kind].name}: ${FAULTS[kind].about}`] as const),
  ["sequence", "Sequence: a step for each attempt"] as const,
];

/** Shows and changes whether the subscriber fails, and how. */
export function Subscriber({ fault, webhook }: { fault: FaultSwitch; webhook: Webhook }) {
  const { toasts } = useApp();
  const failing = fault.failing.value;
  const state = fault.state.value;
  const draft = fault.draft.value;
  const problem = fault.problem.value;
  const chosen = bind(draft, fault.choose);
  const errorOf = (field: keyof FaultDraft) =>
    problem?.param?.split(/[.[]/)[0] === field ? problem.message : undefined;

  return (
    <section class="subscriber" aria-label="Subscriber" data-failing={failing || undefined}>
      <Choice
        label="What the subscriber does"
        of={bind(!state ? "" : failing ? "fails" : "works", (next) => {
          void (next === "fails" ? fault.apply() : fault.lift());
        })}
        options={[
          ["works", "Works"],
          ["fails", `Fails: ${faultName(draft)}`],
        ]}
      />
      <Menu stays id="fault" label="How it fails" look="button quiet" button={<Icon name="down" />}>
        <p role="status">{faultText(state, webhook.status)}</p>
        <Form class="stack" onSend={() => toasts.attempt(fault.apply)}>
          <Select label="How" of={part(chosen, "kind")} options={KINDS} />
          <div class="flow">
            {draft.kind === "status" && (
              <Field
                label="Status"
                of={part(chosen, "status")}
                type="number"
                min={300}
                max={599}
                required
                error={errorOf("status")}
                width="6rem"
              />
            )}
            {draft.kind === "sequence" ? (
              <Field label="Steps" of={part(chosen, "sequence")} error={errorOf("sequence")} />
            ) : (
              <>
                <Select label="How often" of={part(chosen, "often")} options={OFTEN} />
                {draft.often !== "always" && (
                  <Field
                    key={draft.often}
                    label={draft.often === "times" ? "Times" : "Percent"}
                    of={part(chosen, draft.often)}
                    type="number"
                    min={draft.often === "times" ? 1 : 0}
                    max={draft.often === "times" ? 1_000_000 : 100}
                    required
                    width="6rem"
                    error={errorOf(draft.often)}
                  />
                )}
              </>
            )}
          </div>
          <Check label="also send it to your server" of={part(chosen, "passThrough")} />
          <Button look="main" type="submit">
            {failing ? "Change" : "Make it fail"}
          </Button>
        </Form>
      </Menu>
    </section>
  );
}
