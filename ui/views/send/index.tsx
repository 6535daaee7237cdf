import { useSignal } from "@preact/signals";
import { ApiError } from "../../api.ts";
import type { Sender, SentEvent } from "../../api-types.ts";
import { useApp, useReading } from "../../components/context.ts";
import { CodeBlock } from "../../components/copy.tsx";
import { Field, Select } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { Address, Empty, Loaded, Pill, Problem, Submit, ViewHead } from "../../components/parts.tsx";
import { useSubmit } from "../../components/sending.ts";
import { bind } from "../../models/binding.ts";
import { readEdited } from "../../models/event-body.ts";
import { count } from "../../models/format.ts";
import { href } from "../../models/router.ts";

/** The tallest that the field is; a longer body scrolls in it. */
const MOST_ROWS = 20;

/** Sends an event of a sender that is in use, with its example's body as the person edits it. */
export default function Send() {
  const { api } = useApp();
  const senders = useReading(async () => (await api.senders()).filter((sender) => sender.in_use));
  return (
    <div class="view narrow">
      <ViewHead
        title="Send an event"
        note="Signed, retried and given up as its sender does it. The id and the time of the body are new for each event."
      />
      <Loaded of={senders}>
        {(used) =>
          used.length === 0 ? (
            <Empty title="No endpoint takes webhooks of another sender yet.">
              <CodeBlock
                what="Register one"
                text="npx sandglass webhooks create http://127.0.0.1:3000/webhooks --sender stripe --secret whsec_test"
              />
            </Empty>
          ) : (
            <Event senders={used} />
          )
        }
      </Loaded>
    </div>
  );
}

function Event({ senders }: { senders: Sender[] }) {
  const { api } = useApp();
  const name = useSignal(senders[0]!.name);
  const type = useSignal("");
  const { events } = senders.find((one) => one.name === name.value)!;
  const { type: chosen, body } = events.find((one) => one.type === type.value) ?? events[0]!;
  const example = body ?? {};
  const place = `${name.value} ${chosen}`;
  const original = JSON.stringify(example, null, 2);
  const typed = useSignal({ place, text: original });
  const text = typed.value.place === place ? typed.value.text : original;
  const problem = useSignal<string | undefined>(undefined);
  const sent = useSignal<SentEvent | undefined>(undefined);
  const { error, send } = useSubmit(async () => {
    sent.value = undefined;
    const edited = readEdited(example, text);
    problem.value = "problem" in edited ? edited.problem : undefined;
    if ("data" in edited) sent.value = await api.sendEvent(name.value, chosen, edited.data);
  });
  // Sender and type were chosen from what there is, so a refusal is about the body.
  const refusal = error.value instanceof ApiError && error.value.status > 0 ? error.value : undefined;
  return (
    <>
      <Form class="card stack" aria-label="Send an event" onSend={send}>
        <div class="flow">
          <Select label="Sender" of={name} options={senders.map((one) => [one.name, one.name])} />
          <Select
            label="Event"
            of={bind(chosen, (next) => (type.value = next))}
            options={events.map((one) => [one.type, one.type])}
          />
        </div>
        <Field
          label="Body"
          rows={Math.min(MOST_ROWS, original.split("\n").length + 1)}
          of={bind(text, (next) => {
            typed.value = { place, text: next };
            problem.value = undefined;
          })}
          error={problem.value ?? (refusal && `${refusal.message} ${refusal.hint}`)}
        />
        {error.value && !refusal && <Problem error={error.value} />}
        <div class="actions">
          <Submit>Send</Submit>
        </div>
      </Form>
      {sent.value && <Sent of={sent.value} />}
    </>
  );
}

/** The first attempts, each of which leads to its timeline. */
function Sent({ of: { id, type, sender, deliveries, disabled } }: { of: SentEvent }) {
  const { endpoints } = useApp();
  return (
    <section class="section" aria-label="Sent" role="status">
      <p>
        {deliveries.length > 0
          ? `Sent ${type} as ${id} to ${count(deliveries.length, "endpoint")}.`
          : disabled.length > 0
            ? `${type} was sent to no endpoint.`
            : `No endpoint of ${sender} subscribes to ${type}.`}
      </p>
      <ul class="rows">
        {deliveries.map((delivery) => (
          <li key={delivery.id} class="row">
            <a class="row-main" href={href(["webhooks", delivery.webhook_id, delivery.id])}>
              <Address of={endpoints.find(delivery.webhook_id)?.url ?? delivery.webhook_id} />
            </a>
            <Pill
              tone={delivery.status === "success" ? "good" : delivery.status === "failed" ? "bad" : "wait"}
            >
              {delivery.status === "pending"
                ? "waiting"
                : `${delivery.status} ${delivery.response_code ?? ""}`}
            </Pill>
          </li>
        ))}
        {disabled.map(({ webhook_id: endpoint, url }) => (
          <li key={endpoint} class="row">
            <a class="row-main" href={href(["webhooks", endpoint])}>
              <Address of={url} />
            </a>
            <Pill tone="bad">disabled: not sent</Pill>
          </li>
        ))}
      </ul>
    </section>
  );
}
