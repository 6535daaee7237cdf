import { useSignal } from "@preact/signals";
import { useApp, useReading } from "../../components/context.ts";
import { Field } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { Button, Empty, Loaded } from "../../components/parts.tsx";
import { whyLost } from "../../models/lost.ts";
import { href } from "../../models/router.ts";

/** Shown instead of a missing endpoint. Explains why the endpoint is missing and how to register it again. */
export function Gone({ id }: { id: string }) {
  const { api, endpoints, lost, router, toasts } = useApp();
  const known = lost.find(id);
  const since = useReading(() => api.events({ types: "world.*,webhook.deleted", limit: 1_000 }), [id]);
  const secret = useSignal("");
  const register = async () => {
    const input = known && { ...known, ...(secret.value && { secret: secret.value }) };
    const made = input && (await toasts.attempt(() => api.createWebhook(input)));
    if (!made) return;
    if (!input.secret) endpoints.newSecretOf.value = made.id;
    await endpoints.read();
    router.replace(href(["webhooks", made.id]));
  };
  return (
    <Loaded of={since}>
      {(entries) => (
        <Empty
          title={whyLost(id, entries, known !== undefined)}
          actions={
            known && (
              <Form class="stack" onSend={register}>
                {known.secret === undefined && (
                  <Field
                    label="Signing secret"
                    of={secret}
                    hint="The secret that your handler uses. This browser stores neither the secret nor the endpoint’s headers. If left empty, a new one is generated."
                  />
                )}
                <div class="actions">
                  <Button look="main" type="submit">
                    Register again
                  </Button>
                </div>
              </Form>
            )
          }
        >
          {known?.url}
        </Empty>
      )}
    </Loaded>
  );
}
