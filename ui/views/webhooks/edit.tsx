import { useSignal } from "@preact/signals";
import { EVENT_TYPES } from "../../../src/payments/webhooks/event-types.ts";
import type { Webhook } from "../../api-types.ts";
import { useApp, useReading } from "../../components/context.ts";
import { DialogForm } from "../../components/dialog.tsx";
import { Check, Field } from "../../components/field.tsx";
import { type Binding, member } from "../../models/binding.ts";
import { PLATFORM } from "../../models/format.ts";
import { headersOf, headersText } from "../../models/webhooks/headers.ts";

/** Edits an endpoint's URL, event types and signing. Its history is kept. */
export function EditEndpoint({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { api, endpoints, toasts } = useApp();
  const { id, url, secret, headers, sender } = webhook;
  const draft = {
    url: useSignal(url),
    secret: useSignal(secret),
    headers: useSignal(headersText(headers)),
    events: useSignal(webhook.events.includes("*") ? [] : [...webhook.events]),
  };
  const save = async () => {
    const events = draft.events.value;
    await api.changeWebhook(id, {
      ...(draft.url.value === url ? {} : { url: draft.url.value.trim() }),
      ...(draft.secret.value === secret ? {} : { secret: draft.secret.value }),
      headers: headersOf(draft.headers.value),
      events: events.length > 0 ? events : ["*"],
    });
    await endpoints.read();
    onClose();
    const { events: before } = webhook;
    toasts.note("The endpoint was changed. Later attempts, including retries, use the new values.", () =>
      api.changeWebhook(id, { url, secret, headers, events: [...before] }).then(endpoints.read),
    );
  };
  return (
    <DialogForm title="Edit this endpoint" action="Save" onSend={save} onClose={onClose}>
      <Field label="Your handler’s URL" of={draft.url} param="url" required />
      <Field label="Signing secret" of={draft.secret} param="secret" />
      <Field
        label="Headers in addition to the sender’s"
        of={draft.headers}
        param="headers"
        rows={2}
        placeholder="X-Tenant: acme"
        hint="One per line."
      />
      <EventTypes sender={sender} of={draft.events} />
    </DialogForm>
  );
}

/** The event types that an endpoint receives. If none are selected, it receives all. */
export function EventTypes({ sender, of }: { sender: string; of: Binding<string[]> }) {
  const { api } = useApp();
  const senders = useReading(api.senders);
  const types: readonly string[] =
    sender === PLATFORM
      ? EVENT_TYPES
      : (senders.value.value?.find(({ name }) => name === sender)?.events.map(({ type }) => type) ?? []);
  return (
    <details>
      <summary>Only some events{of.value.length > 0 && `: ${of.value.length}`}</summary>
      <div class="flow checks">
        {types.map((event) => (
          <Check key={event} label={event} of={member(of, event)} />
        ))}
      </div>
    </details>
  );
}
