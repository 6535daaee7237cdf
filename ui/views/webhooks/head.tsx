import { useSignal } from "@preact/signals";
import { counterWords } from "../../../src/timeline/counter.ts";
import type { DisabledReason } from "../../../src/timeline/endpoint-state.ts";
import { STATE_REASONS } from "../../../src/timeline/states.ts";
import { eventsText } from "../../../src/timeline/text.ts";
import type { Webhook } from "../../api-types.ts";
import { useApp } from "../../components/context.ts";
import { CopyLine } from "../../components/copy.tsx";
import { Counter } from "../../components/counter.tsx";
import { DialogForm } from "../../components/dialog.tsx";
import { Icon } from "../../components/icon.tsx";
import { Menu } from "../../components/menu.tsx";
import { Button, ButtonLink, Facts, Pill, Text, Time } from "../../components/parts.tsx";
import { senderTitle } from "../../models/format.ts";
import type { FaultSwitch } from "../../models/webhooks/switch.ts";
import { RetryFailed } from "./disabling.tsx";
import { EditEndpoint } from "./edit.tsx";
import { WhatIf } from "./outage.tsx";
import { Subscriber } from "./subscriber.tsx";

/** The header of an endpoint: its state and the common actions. Rarely used actions are in a menu. */
export function EndpointHead({ webhook, fault }: { webhook: Webhook; fault: FaultSwitch }) {
  const app = useApp();
  const asked = useSignal<typeof RetryFailed>();
  const secret = useSignal(false);
  const isNew = app.endpoints.newSecretOf.value === webhook.id;
  const { id, url, consecutive_failures: failures, threshold, status, sender } = webhook;
  return (
    <>
      <header class="endpoint-head">
        <Text as="h1" class="endpoint-url ellipsis" title={url} of={url} />
        {sender !== "platform" && <span class="note">{senderTitle(sender)}</span>}
        {status !== "enabled" && <Pill tone="bad">{status}</Pill>}
        {threshold === null ? (
          <span class="counter">{counterWords(failures, threshold)}</span>
        ) : (
          <Counter value={failures} threshold={threshold} />
        )}
        <div class="actions">
          <Subscriber fault={fault} webhook={webhook} />
          <ButtonLink look="main" to={app.router.inEndpoint(id, "send")}>
            {sender === "platform" ? "Send or pay" : "Send"}
          </ButtonLink>
          <WhatIf webhook={webhook} />
          <More
            webhook={webhook}
            onAsk={(dialog) => (asked.value = dialog)}
            onSecret={() => {
              secret.value = !secret.value && !isNew;
              app.endpoints.newSecretOf.value = undefined;
            }}
          />
        </div>
      </header>
      {(secret.value || isNew) && (
        <div class="frame endpoint-secret">
          {isNew && (
            <p>This signing secret is new: give it to your handler, or it refuses every signature.</p>
          )}
          <CopyLine text={webhook.secret} what="the signing secret" />
        </div>
      )}
      {asked.value && <asked.value webhook={webhook} onClose={() => (asked.value = undefined)} />}
    </>
  );
}

interface MoreProps {
  webhook: Webhook;
  onAsk: (dialog: typeof RetryFailed) => void;
  onSecret: () => void;
}

/** The menu with an endpoint's details and its rarely used actions. */
function More({ webhook, onAsk, onSecret }: MoreProps) {
  const { api, router, status, toasts } = useApp();
  const { id, description, organization, sender, disabled_at: since, disabled_reason: reason } = webhook;
  const [first, ...others] = status.value.organizations;
  const disabled = webhook.status !== "enabled";
  const test = async () => {
    const sent = await toasts.attempt(() => api.test(id));
    if (sent) router.go(router.inEndpoint(id, sent.delivery_id));
  };
  const change = async () => {
    const [act, undo] = disabled
      ? [api.enableWebhook, api.disableWebhook]
      : [api.disableWebhook, api.enableWebhook];
    const done = await toasts.attempt(() => act(id));
    if (done) toasts.note(`The endpoint is ${disabled ? "enabled" : "disabled"}.`, () => undo(id));
  };
  return (
    <Menu id="endpoint" label="More about this endpoint" look="button quiet" button={<Icon name="more" />}>
      <Facts
        of={[
          ["Id", <code key="id">{id}</code>],
          ["Gets", eventsText(webhook)],
          !!description && ["For", <Text key="for" of={description} lines={2} />],
          sender === "platform" &&
            organization !== first?.id && [
              "Of",
              <Text key="of" of={others.find((one) => one.id === organization)?.name ?? organization} />,
            ],
          !!since && [
            "Disabled",
            <>
              <Time at={since} />, {STATE_REASONS[reason as DisabledReason]}
            </>,
          ],
        ]}
      />
      <div class="menu-list">
        <Button look="quiet" onSend={test}>
          Send test
        </Button>
        <Button look="quiet" onClick={() => onAsk(EditEndpoint)}>
          Edit…
        </Button>
        <Button look="quiet" onClick={() => onAsk(RetryFailed)}>
          Retry all failed since…
        </Button>
        <Button look="quiet" onClick={onSecret}>
          Show or hide the secret
        </Button>
        <Button look="quiet" onSend={change}>
          {disabled ? "Enable" : "Disable"}
        </Button>
        <Button look="danger" onClick={() => onAsk(DeleteDialog)}>
          Delete…
        </Button>
      </div>
    </Menu>
  );
}

function DeleteDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { api, router, toasts } = useApp();
  const remove = async () => {
    await api.deleteWebhook(webhook.id);
    onClose();
    router.go("#/");
    toasts.note("The endpoint is deleted.");
  };
  return (
    <DialogForm title="Delete this endpoint?" action="Delete" look="danger" onSend={remove} onClose={onClose}>
      <p>Its planned retries are dropped. What it received stays in the journal. This cannot be undone.</p>
    </DialogForm>
  );
}
