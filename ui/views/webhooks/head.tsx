import { useSignal } from "@preact/signals";
import type { DisabledReason } from "../../../src/story/endpoint-state.ts";
import { STATE_REASONS } from "../../../src/story/states.ts";
import type { Webhook } from "../../api-types.ts";
import { useApp } from "../../components/context.ts";
import { CopyLine } from "../../components/copy.tsx";
import { Counter } from "../../components/counter.tsx";
import { Dialog, useDialog } from "../../components/dialog.tsx";
import { Button, Pill, Text, Time } from "../../components/parts.tsx";
import { PayDialog } from "../../components/pay.tsx";
import { href } from "../../models/router.ts";
import { RetryFailed } from "./disabling.tsx";

/** What an endpoint is, how it is, and what can be done with it. */
export function EndpointHead({ webhook }: { webhook: Webhook }) {
  const { organization: organizations } = useApp();
  const secret = useSignal(false);
  const { url, description, events, organization, consecutive_failures: failures, threshold } = webhook;
  const disabled = webhook.status === "disabled";
  return (
    <header class="view-head endpoint-head">
      <div>
        <p class="note">
          <a href="#/webhooks">Webhooks</a> / <code>{webhook.id}</code>
          {organization !== organizations.all.value[0]?.id && (
            <>
              {" "}
              of <Text of={organizations.nameOf(organization)} />
            </>
          )}
        </p>
        <Text as="h1" class="endpoint-url ellipsis" title={url} of={url} />
        <p class="flow endpoint-facts">
          <Pill tone={disabled ? "bad" : "good"}>{webhook.status}</Pill>
          <Counter value={failures} threshold={threshold} />
          {disabled && webhook.disabled_at && (
            <span class="note">
              since <Time at={webhook.disabled_at} />,{" "}
              {STATE_REASONS[webhook.disabled_reason as DisabledReason]}
            </span>
          )}
          <span class="note">{events.includes("*") ? "all events" : events.join(", ")}</span>
          {description && <Text as="span" class="note" of={description} lines={1} />}
        </p>
      </div>
      <Actions webhook={webhook} secretShown={secret.value} onSecret={() => (secret.value = !secret.value)} />
      {secret.value && (
        <div class="frame endpoint-secret">
          <CopyLine text={webhook.secret} what="the signing secret" />
        </div>
      )}
    </header>
  );
}

/** Enables or disables an endpoint, and offers to take it back. */
export function useChange(id: string) {
  const { api, toasts } = useApp();
  return async (to: "enabled" | "disabled") => {
    const call = (state: string) => (state === "enabled" ? api.enableWebhook(id) : api.disableWebhook(id));
    const done = await toasts.attempt(() => call(to));
    if (done) toasts.done(`The endpoint is ${to}.`, () => call(to === "enabled" ? "disabled" : "enabled"));
  };
}

interface ActionsProps {
  webhook: Webhook;
  secretShown: boolean;
  onSecret: () => void;
}

function Actions({ webhook, secretShown, onSecret }: ActionsProps) {
  const { api, router, toasts } = useApp();
  const asking = useDialog<"pay" | "retry" | "delete">();
  const { id } = webhook;
  const disabled = webhook.status === "disabled";

  const test = async () => {
    const sent = await toasts.attempt(() => api.test(id));
    if (sent) router.go(href(["webhooks", id, sent.delivery_id]));
  };
  const change = useChange(id);

  return (
    <div class="actions">
      {webhook.sender === "platform" && (
        <Button look="main" onClick={() => asking.open("pay")}>
          Make a payment…
        </Button>
      )}
      <Button onSend={test}>Send test</Button>
      <Button onClick={() => asking.open("retry")}>Retry all failed since…</Button>
      {/* It stays in its place: the second click of a double-click must not meet another button. */}
      <Button onSend={() => change("disabled")} disabled={disabled}>
        {disabled ? "Disabled" : "Disable"}
      </Button>
      <Button aria-pressed={secretShown} onClick={onSecret}>
        {secretShown ? "Hide secret" : "Show secret"}
      </Button>
      <Button
        look="quiet"
        icon="cross"
        aria-label="Delete this endpoint"
        onClick={() => asking.open("delete")}
      />
      {asking.target.value === "pay" && (
        <PayDialog organization={webhook.organization} onClose={asking.close} />
      )}
      {asking.target.value === "retry" && <RetryFailed webhook={webhook} onClose={asking.close} />}
      {asking.target.value === "delete" && <DeleteDialog webhook={webhook} onClose={asking.close} />}
    </div>
  );
}

function DeleteDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { api, router, toasts } = useApp();
  return (
    <Dialog title="Delete this endpoint?" onClose={onClose}>
      <p>Its planned retries are dropped. What it got stays in the journal. This cannot be undone.</p>
      <div class="actions">
        <Button
          look="danger"
          onSend={() =>
            toasts.attempt(async () => {
              await api.deleteWebhook(webhook.id);
              onClose();
              router.go("#/webhooks");
              toasts.done("The endpoint is deleted.");
            })
          }
        >
          Delete
        </Button>
        <Button onClick={onClose}>Keep it</Button>
      </div>
    </Dialog>
  );
}
