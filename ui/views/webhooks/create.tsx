import { useComputed, useSignal } from "@preact/signals";
import { EVENT_TYPES } from "../../../src/payments/webhooks/event-types.ts";
import { useApp } from "../../components/context.ts";
import { Check, Choice, Field } from "../../components/field.tsx";
import { FormPage } from "../../components/form.tsx";
import { useSubmit } from "../../components/sending.ts";
import { member } from "../../models/binding.ts";
import { inboxProblem } from "../../models/endpoints.ts";
import { href } from "../../models/router.ts";

/** A new endpoint: to the inbox that is built in, or to the developer's own server. */
export function CreateEndpoint() {
  const { api, endpoints, router, status, toasts } = useApp();
  const where = useSignal<"inbox" | "url">("inbox");
  const inbox = useSignal("mine");
  const url = useSignal("http://127.0.0.1:3000/webhooks");
  const description = useSignal("");
  const events = useSignal<string[]>([]);

  const problem = useComputed(() => (where.value === "inbox" ? inboxProblem(inbox.value.trim()) : undefined));

  const { error, send } = useSubmit(async () => {
    if (problem.value !== undefined) return;
    const target =
      where.value === "inbox" ? `${status.value.url}/_sandbox/inbox/${inbox.value.trim()}` : url.value.trim();
    const made = await api.createWebhook({
      url: target,
      ...(events.value.length > 0 ? { events: events.value } : {}),
      ...(description.value ? { description: description.value } : {}),
    });
    await endpoints.read();
    toasts.done(
      made.created
        ? "Endpoint created. Make a payment, and it gets its first deliveries."
        : "This endpoint is there already.",
    );
    router.go(href(["webhooks", made.id]));
  });

  return (
    <FormPage
      title="New endpoint"
      parent={{ title: "Endpoints", href: "#/" }}
      action="Create endpoint"
      onSend={send}
      error={error.value}
    >
      <Choice
        label="Send events to"
        of={where}
        options={[
          ["inbox", "A built-in inbox"],
          ["url", "My own server"],
        ]}
      />
      {where.value === "inbox" ? (
        <Field
          label="Name of the inbox"
          of={inbox}
          error={problem.value}
          hint="A built-in subscriber. It stores what it receives and answers as you choose."
        />
      ) : (
        <Field label="URL" of={url} hint="https, or http to this machine." />
      )}
      <fieldset>
        <legend class="note">Events (all, if you choose none)</legend>
        <div class="flow checks">
          {EVENT_TYPES.map((event) => (
            <Check key={event} label={event} of={member(events, event)} />
          ))}
        </div>
      </fieldset>
      <Field label="Description" of={description} />
    </FormPage>
  );
}
