import { useSignal } from "@preact/signals";
import type { Delivery, Diagnosis, Webhook } from "../../api-types.ts";
import { useApp } from "../../components/context.ts";
import { CopyLine } from "../../components/copy.tsx";
import { Field } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { Button, Text } from "../../components/parts.tsx";
import { count } from "../../models/format.ts";

/** Finds out by experiment why the handler rejects the signature, when the user asks for it. */
export function Diagnose({ webhook, delivery }: { webhook: Webhook; delivery: Delivery }) {
  const { api, endpoints, router, toasts } = useApp();
  const found = useSignal<Diagnosis | undefined>(undefined);
  const typed = useSignal("");
  const find = async () => {
    found.value = await toasts.attempt(() => api.diagnose(delivery.id));
  };
  const use = (secret: string) =>
    toasts.attempt(async () => {
      await api.changeWebhook(webhook.id, { secret });
      await endpoints.read();
      const made = await api.retry(delivery.id);
      const isAccepted = made.status === "success";
      const text = isAccepted ? "your handler accepts it" : "your handler still refuses it";
      (isAccepted ? toasts.done : toasts.note)(`This endpoint now has that secret, and ${text}.`, () =>
        api.changeWebhook(webhook.id, { secret: webhook.secret }),
      );
      router.go(router.inEndpoint(webhook.id, made.id));
    });
  if (!found.value)
    return (
      <div class="stack diagnosis">
        <div class="actions">
          <Button look="main" onSend={find}>
            Find out why
          </Button>
        </div>
        <p class="note">
          Sends the event again in up to 50 variants, such as signed with another secret that is known or over{" "}
          <code>JSON.stringify(body)</code>, until your handler accepts one. It may then change its data.
        </p>
      </div>
    );
  const { cause, fix, secret, tried } = found.value;
  return (
    <section class="stack diagnosis" role="status" aria-label="Why the signature is refused">
      <p>
        <b>{cause}</b>
      </p>
      <Text of={fix} />
      {secret !== null ? (
        <div class="actions">
          <Button look="main" onSend={() => use(secret)}>
            Use your handler’s secret, and retry
          </Button>
        </div>
      ) : (
        <Form class="stack" aria-label="Your handler’s secret" onSend={() => use(typed.value)}>
          <Field label="The secret that your handler uses" of={typed} required />
          <div class="actions">
            <Button type="submit">Use it, and retry</Button>
          </div>
        </Form>
      )}
      <p class="note">The secret of this endpoint, which your handler needs:</p>
      <CopyLine text={webhook.secret} what="this endpoint’s secret" />
      {tried.length > 0 && (
        <details>
          <summary>{count(tried.length, "request")} of the experiment</summary>
          <ol class="tried">
            {tried.map(({ what, status }) => (
              <li key={what}>
                {what}: {status ?? "no response"}
              </li>
            ))}
          </ol>
        </details>
      )}
    </section>
  );
}
