import type { ComponentChildren } from "preact";
import { attemptCode, attemptTone } from "../../../src/timeline/attempt.ts";
import type { CheckoutSession, PaymentStory, Transaction } from "../../api-types.ts";
import { useApp, useLiveReading } from "../../components/context.ts";
import { Id } from "../../components/ids.tsx";
import {
  Address,
  Button,
  ButtonLink,
  Facts,
  Pill,
  Text,
  Time,
  Unread,
  ViewHead,
} from "../../components/parts.tsx";
import { PayButton, PayDialog } from "../../components/pay.tsx";
import { useDialog } from "../../components/use-dialog.ts";
import { chainName } from "../../models/payments/money.ts";
import { ofTypes } from "../../models/refresh.ts";
import { href } from "../../models/router.ts";
import { amountOf, Status, useExpire } from "./filters.tsx";

const changesStory = ofTypes("payment.*", "checkout.*", "delivery.*", "retry.*", "webhook.*");

/** One payment from the session to the last attempt to tell of it. */
export function Story({ id }: { id: string }) {
  const { api } = useApp();
  const model = useLiveReading(changesStory, () => api.story(id), [id]);
  const story = model.value.value;
  if (model.error.value || !story) return <Unread of={model} />;
  const { session, payments, events } = story;
  return (
    <div class="view">
      <ViewHead
        path={
          <>
            <a href="#/payments/transactions">Payments</a> / <code>{id}</code>
          </>
        }
        title="Payment story"
      >
        {session?.status === "active" && <SessionActions session={session} />}
      </ViewHead>
      <ol class="story">
        {session && <SessionStep session={session} />}
        {payments.map((payment) => (
          <PaymentStep key={payment.id} payment={payment} asked={payment.id === id} />
        ))}
        {events.map((event) => (
          <EventStep key={event.id} event={event} asked={event.id === id} />
        ))}
        {events.length === 0 && (
          <StoryStep kind="none" title="No event">
            <p class="note">
              {payments.length === 0
                ? "Nothing was paid in this session yet."
                : "No endpoint subscribes to what happened, so there was nothing to deliver."}
            </p>
          </StoryStep>
        )}
      </ol>
    </div>
  );
}

interface StoryStepProps {
  kind: string;
  title: ComponentChildren;
  at?: string;
  children: ComponentChildren;
}

function StoryStep({ kind, title, at, children }: StoryStepProps) {
  return (
    <li class={`story-step ${kind}`}>
      <div class="story-when">{at && <Time at={at} />}</div>
      <article class="sheet">
        <h2 class="flow">{title}</h2>
        {children}
      </article>
    </li>
  );
}

function SessionActions({ session }: { session: CheckoutSession }) {
  const paying = useDialog();
  const expire = useExpire();
  return (
    <div class="actions">
      <PayButton onClick={() => paying.open(true)} />
      <Button onSend={() => expire(session)}>Expire</Button>
      {session.url && (
        <ButtonLink out to={session.url}>
          Open the page
        </ButtonLink>
      )}
      {paying.target.value && <PayDialog target={{ session }} onClose={paying.close} />}
    </div>
  );
}

function SessionStep({ session }: { session: CheckoutSession }) {
  const { customer_name: name, customer_email: email, client_reference_id: reference } = session;
  const link = session.payment_link_id;
  return (
    <StoryStep
      kind="session"
      at={session.created_at}
      title={
        <>
          Session <Status of={session.status} />
        </>
      }
    >
      <Facts
        of={[
          ["Amount", amountOf(session)],
          ["Session", <Id key="id" of={session.id} />],
          !!(name || email) && ["Customer", <Text key="who" of={[name, email].filter(Boolean).join(", ")} />],
          !!reference && ["Reference", <Text key="reference" of={reference} />],
          !!link && ["Link", <Id key="link" of={link} />],
          session.status === "active" && ["Expires", <Time key="expires" at={session.expires_at} />],
        ]}
      />
    </StoryStep>
  );
}

function PaymentStep({ payment, asked }: { payment: Transaction; asked: boolean }) {
  return (
    <StoryStep
      kind={`payment${asked ? " asked" : ""}`}
      at={payment.created_at}
      title={
        <>
          Payment of {amountOf(payment)} <Status of={payment.status} />
        </>
      }
    >
      <Facts
        of={[
          ["Transaction", <Id key="id" of={payment.id} />],
          ["Chain", chainName(payment.chain_id)],
          ["From", <code key="from">{payment.sender_address}</code>],
          ["Hash", <code key="hash">{payment.tx_hash}</code>],
          !!payment.failure_reason && ["Failed", payment.failure_reason.replaceAll("_", " ")],
        ]}
      />
    </StoryStep>
  );
}

const STATES: Record<string, ["good" | "bad" | "plain" | "wait", string]> = {
  delivered: ["good", "delivered"],
  active: ["wait", "under way"],
  exhausted: ["bad", "out of attempts"],
  skipped: ["plain", "not sent"],
};

type StoryEvent = PaymentStory["events"][number];

function EventStep({ event, asked }: { event: StoryEvent; asked: boolean }) {
  return (
    <StoryStep kind={`event${asked ? " asked" : ""}`} at={event.created_at} title={<>Event {event.type}</>}>
      <p class="note">
        <Id of={event.id} />
      </p>
      <ul class="story-endpoints">
        {event.endpoints.map(({ webhook_id: webhook, url, state, next_attempt_at: next, deliveries }) => {
          const [tone, name] = STATES[state] ?? ["plain", state];
          return (
            <li key={webhook} class="flow">
              <a href={href(["webhooks", webhook])} class="row-main">
                <Address of={url} />
              </a>
              <Pill tone={tone}>{name}</Pill>
              <span class="flow story-attempts">
                {deliveries.map((delivery) => (
                  <a
                    key={delivery.delivery_id}
                    class={`code-mark ${attemptTone(delivery.status)}`}
                    href={href(["webhooks", webhook, delivery.delivery_id])}
                  >
                    <span class="vh">Attempt {delivery.attempt}: </span>
                    {attemptCode(delivery)}
                  </a>
                ))}
              </span>
              {state === "active" && next && (
                <span class="note">
                  next at <Time at={next} />
                </span>
              )}
            </li>
          );
        })}
      </ul>
    </StoryStep>
  );
}
