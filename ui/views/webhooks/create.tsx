import { useSignal } from "@preact/signals";
import { inboxOf } from "../../../src/timeline/attempt.ts";
import { useApp, useReading } from "../../components/context.ts";
import { Field, Select } from "../../components/field.tsx";
import { Form, Refusable } from "../../components/form.tsx";
import { Button, ViewHead } from "../../components/parts.tsx";
import { useSubmit } from "../../components/sending.ts";
import { bind } from "../../models/binding.ts";
import { PLATFORM, senderTitle } from "../../models/format.ts";
import { href } from "../../models/router.ts";
import { EventTypes } from "./edit.tsx";

/** A form for a new endpoint: its sender and its URL, which is the developer's own server or a built-in inbox. */
export function CreateEndpoint() {
  const { api, endpoints, router, status, toasts } = useApp();
  const reading = useReading(api.senders);
  const senders = reading.value.value ?? [];
  const picked = useSignal<string | undefined>(undefined);
  // Preselect the sender that the sandbox was started with.
  const sender = picked.value ?? senders.find(({ in_use: used }) => used)?.name ?? PLATFORM;
  const url = useSignal("");
  const secret = useSignal("");
  const events = useSignal<string[]>([]);
  const chosen = senders.find(({ name }) => name === sender);
  const variable = chosen?.secret_variable;

  const { error, send } = useSubmit(async (target: string) => {
    const {
      id,
      created,
      url: registered,
    } = await api.createWebhook({
      url: target,
      ...(sender === PLATFORM ? {} : { sender }),
      ...(secret.value ? { secret: secret.value } : {}),
      ...(events.value.length > 0 ? { events: events.value } : {}),
    });
    if (created && !secret.value && inboxOf(registered) === undefined) endpoints.newSecretOf.value = id;
    await endpoints.read();
    if (!created) toasts.note("This endpoint already exists.");
    router.go(href(["webhooks", id, "send"]));
  });
  return (
    <Form class="view narrow" onSend={() => send(url.value.trim())}>
      <ViewHead path={<a href="#/">Endpoints</a>} title="New endpoint" />
      <div class="card stack">
        <Refusable error={error.value}>
          <Field
            label="Your handler’s URL"
            of={url}
            placeholder="localhost:3000/webhooks"
            param="url"
            required
            hint={
              <>
                https, or http to this machine. Without a server of your own:{" "}
                <Button look="quiet" onSend={() => send(`${status.value.url}/_sandbox/inbox/mine`)}>
                  Use a built-in inbox
                </Button>
              </>
            }
          />
          <Select
            label="Sender"
            of={bind(sender, (name) => {
              picked.value = name;
              events.value = [];
            })}
            options={[
              ...(status.value.senders.length > 0
                ? []
                : [[PLATFORM, "Sandglass payments (built in)"] as const]),
              ...senders.map(({ name }) => [name, senderTitle(name)] as const),
            ]}
          />
          <Field
            label="Signing secret"
            of={secret}
            param="secret"
            hint={`The secret that your handler uses${variable === undefined ? "" : `, often in ${variable}`}. If left empty, one is generated and shown.`}
          />
          <EventTypes sender={sender} of={events} />
        </Refusable>
        <div class="actions">
          <Button look="main" type="submit">
            Create endpoint
          </Button>
          <a href="#/">Cancel</a>
        </div>
      </div>
    </Form>
  );
}
