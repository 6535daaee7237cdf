import { useSignal } from "@preact/signals";
import type { Duration } from "../../api-types.ts";
import { useApp } from "../../components/context.ts";
import { Field } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { Problem, Submit } from "../../components/parts.tsx";
import { useSubmit } from "../../components/sending.ts";
import { bind } from "../../models/binding.ts";
import type { RunRequest, Scenario } from "../../models/scenarios/api.ts";
import {
  type Filled,
  filledOf,
  readAll,
  readAsked,
  subscriberProblem,
} from "../../models/scenarios/params.ts";
import { runHref, useScenarios } from "./context.ts";
import { ParamInput } from "./param-input.tsx";

/** With what a scenario is run: its parameters, and a subscriber of one's own. */
export function RunForm({ scenario, query }: { scenario: Scenario; query: URLSearchParams }) {
  const { router } = useApp();
  const { scenarios } = useScenarios();
  const asked = readAsked(query);
  /** What was changed; the file may get other parameters meanwhile. */
  const edited = useSignal<Filled>({});
  const filled = { ...filledOf(scenario.params, asked.values), ...edited.value };
  const subscriber = useSignal(asked.subscriber);
  const secret = useSignal("");
  const limit = useSignal("");
  const subscriberError = subscriberProblem(subscriber.value.trim());

  const { error, send } = useSubmit(async () => {
    const params = readAll(scenario.params, filled);
    if (!params || subscriberError) return;
    const { id } = await scenarios.start(scenario.name, request(params));
    router.go(runHref(id));
  });
  const request = (params: NonNullable<RunRequest["params"]>): RunRequest => ({
    params,
    ...(subscriber.value.trim() && { subscriber: subscriber.value.trim() }),
    ...(subscriber.value.trim() && secret.value && { secret: secret.value }),
    ...(limit.value.trim() && { timeout: limit.value.trim() as Duration }),
  });

  const params = Object.entries(scenario.params);
  return (
    <Form class="card stack run-form" noValidate aria-label={`Run ${scenario.name}`} onSend={send}>
      <h2>{params.length > 0 ? "Run it with" : "Run it"}</h2>
      {params.map(([name, spec]) => (
        <ParamInput
          key={name}
          name={name}
          spec={spec}
          of={bind(filled[name]!, (text) => (edited.value = { ...edited.value, [name]: text }))}
        />
      ))}
      <details class="run-more" open={asked.subscriber !== ""}>
        <summary>Your own subscriber, and a time limit</summary>
        <div class="stack">
          <Field
            label="Your subscriber"
            of={subscriber}
            placeholder="http://127.0.0.1:3000/webhooks"
            hint="It gets the webhooks in place of the built-in inboxes."
            error={subscriberError}
          />
          <Field
            label="Its signing secret"
            of={secret}
            hint="Your subscriber verifies signatures with it. It is not stored."
          />
          <Field
            label="Time limit"
            of={limit}
            placeholder="60s"
            hint="Real time that the run may take; virtual time costs none."
            width="12rem"
          />
        </div>
      </details>
      {error.value && <Problem error={error.value} />}
      <div class="actions">
        <Submit icon="play">Run</Submit>
      </div>
    </Form>
  );
}
