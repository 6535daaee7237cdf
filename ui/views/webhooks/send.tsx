import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { attemptCode, attemptTone } from "../../../src/timeline/attempt.ts";
import { ApiError } from "../../api.ts";
import type { CheckoutSession, Pay, PaymentLink, Sender, TimelineAttempt, Webhook } from "../../api-types.ts";
import { useApp, useLiveReading, useReading } from "../../components/context.ts";
import { Field, Select } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { Button, Empty, Loaded, Problem, Text, Time } from "../../components/parts.tsx";
import { useSubmit } from "../../components/sending.ts";
import { bind } from "../../models/binding.ts";
import { readEdited } from "../../models/event-body.ts";
import { isolated, senderTitle } from "../../models/format.ts";
import { firstChoice, money, tokenOf } from "../../models/payments.ts";
import { ofTypes } from "../../models/refresh.ts";
import type { TimelineModel } from "../../models/timeline/timeline.ts";
import { takes } from "../../models/webhooks/outage.ts";
import { PlayAStory } from "./story.tsx";

/** A name with its article: `a Stripe`, `an Acme`. */
const articleOf = (name: string): string => `${/^[aeiou]/i.test(name) ? "an" : "a"} ${name}`;

/** The maximum height of the field in lines. Longer bodies scroll. */
const MOST_ROWS = 12;

/** Sends something to an endpoint: an event from its sender or, in the case of the platform, a payment. */
export function Send({ webhook, model }: { webhook: Webhook; model: TimelineModel }) {
  const { api } = useApp();
  const { sender } = webhook;
  const senders = useReading(api.senders);
  const story = <PlayAStory webhook={webhook} model={model} />;
  if (sender === "platform") return <SendOrPay webhook={webhook}>{story}</SendOrPay>;
  return (
    <article class="sheet" aria-label="Send">
      <h2>Send {articleOf(senderTitle(sender))} event</h2>
      <Loaded of={senders}>
        {(all) => <SendEvent webhook={webhook} sender={all.find(({ name }) => name === sender)!} />}
      </Loaded>
      {story}
    </article>
  );
}

/** A delivery that an endpoint received because of an event. */
type Got = Pick<TimelineAttempt, "event" | "delivery_id" | "status" | "response_code" | "error">;

/** A form that sends an event with an editable example body. */
function SendEvent({ webhook, sender: { name, events } }: { webhook: Webhook; sender: Sender }) {
  const { api } = useApp();
  const offered = events.filter(({ type }) => takes(webhook.events, type));
  const type = useSignal("");
  const { type: chosen, body } = offered.find((one) => one.type === type.value) ?? events[0]!;
  const example = body ?? {};
  const original = JSON.stringify(example, null, 2);
  const typed = useSignal({ chosen, text: original });
  const text = typed.value.chosen === chosen ? typed.value.text : original;
  const problem = useSignal<string | undefined>(undefined);
  const got = useSignal<Got[] | undefined>(undefined);
  const { error, send } = useSubmit(async () => {
    got.value = undefined;
    const edited = readEdited(example, text);
    problem.value = "problem" in edited ? edited.problem : undefined;
    if (!("data" in edited)) return;
    const { deliveries } = await api.sendEvent(name, chosen, edited.data);
    got.value = deliveries
      .filter(({ webhook_id: id }) => id === webhook.id)
      .map((delivery) => ({ ...delivery, delivery_id: delivery.id }));
  });
  // The type was chosen from a list, so the error must be about the body.
  const refusal = error.value instanceof ApiError && error.value.status > 0 ? error.value : undefined;
  return (
    <>
      <Form class="stack" aria-label="Send an event" onSend={send}>
        <Select
          label="Event"
          of={bind(chosen, (next) => (type.value = next))}
          options={offered.map((one) => [one.type, one.type])}
        />
        <Field
          label="Body"
          rows={Math.min(MOST_ROWS, original.split("\n").length + 1)}
          of={bind(text, (next) => {
            typed.value = { chosen, text: next };
            problem.value = undefined;
          })}
          error={problem.value ?? (refusal && `${refusal.message} ${refusal.hint}`)}
          hint="Each event has its own id and time."
        />
        {error.value && !refusal && <Problem error={error.value} />}
        <div class="actions">
          <Button look="main" type="submit">
            Send
          </Button>
        </div>
      </Form>
      {got.value && <Sent of={got.value} webhook={webhook} />}
    </>
  );
}

/** The possible outcomes of a customer's visit. */
const ENDINGS = [
  ["paid", "Paid"],
  ["refused", "Refused"],
  ["expires", "The session expires"],
  ["late", "Paid after it expired"],
] as const;
type Ending = (typeof ENDINGS)[number][0];

const SESSIONS = ofTypes("checkout.*", "payment.*");

/** A form that pays a link with the chosen outcome, and a list of the open sessions. */
function SendOrPay({ webhook, children }: { webhook: Webhook; children: ComponentChildren }) {
  const { api, clock, readAll } = useApp();
  const { organization } = webhook;
  const links = useReading(() => api.payableLinks(organization));
  const sessions = useLiveReading(SESSIONS, () => api.openSessions(organization));
  const chosen = useSignal("");
  const order = useSignal("");
  const amount = useSignal("1.00");
  const got = useSignal<Got[] | undefined>(undefined);
  const offered = links.value.value ?? [];
  const link = offered.find(({ id }) => id === chosen.value) ?? firstChoice(offered, clock.exact());

  /** Shows only what this endpoint received because of a checkout session. */
  const show = async (session: string) => {
    const { events } = await api.followPayment(session);
    got.value = events.flatMap(({ endpoints }) =>
      endpoints.filter(({ webhook_id: id }) => id === webhook.id).flatMap(({ deliveries }) => deliveries),
    );
    await readAll();
  };
  const { error, send } = useSubmit(async (ending: Ending, of: PaymentLink | CheckoutSession) => {
    got.value = undefined;
    const isLink = "current_uses" in of;
    const units = of.amount === null ? tokenOf(of).parse(amount.value) : undefined;
    if (of.amount === null && units === undefined)
      throw new ApiError(400, {
        message: "This is not an amount.",
        hint: "For example 12.50.",
        param: "amount",
      });
    const reference =
      order.value || (ending === "late" && isLink ? `order_${of.current_uses + 1}` : undefined);
    const named = isLink && reference ? { client_reference_id: reference } : {};
    if (ending === "expires" || ending === "late") {
      const { id } = isLink ? await api.openSession(of.id, named) : of;
      await api.expireSession(id);
      if (ending === "expires") return show(id);
    }
    const input: Pay = {
      ...(isLink ? { payment_link_id: of.id } : { session_id: of.id }),
      ...(units === undefined ? {} : { amount: units }),
      ...named,
      ...(ending === "refused"
        ? { outcome: "failed", failure_reason: "insufficient_funds" }
        : { outcome: "completed" }),
    };
    await show((await api.pay(input)).session.id);
  });
  const amountProblem =
    error.value instanceof ApiError && error.value.param === "amount"
      ? `${error.value.message} ${error.value.hint}`
      : undefined;

  return (
    <article class="sheet" aria-label="Send or pay">
      <h2>Send or pay</h2>
      <Loaded of={links}>
        {() =>
          !link ? (
            <Empty
              title="There are no payment links yet."
              actions={
                <Button look="main" onSend={() => api.makeLink(organization).then(links.read)}>
                  Make one for 4.50 USDC
                </Button>
              }
            />
          ) : (
            <div class="stack">
              <Select
                label="Payment link"
                of={bind(link.id, (id) => (chosen.value = id))}
                options={offered.map((one) => [
                  one.id,
                  `${isolated(one.name.slice(0, 60))}, ${priceOf(one)}`,
                ])}
              />
              <div class="fit">
                {link.amount === null && (
                  <Field label={`Amount in ${tokenOf(link).symbol}`} of={amount} error={amountProblem} />
                )}
                <Field label="Order (client_reference_id)" of={order} placeholder="none" />
              </div>
              <fieldset class="actions">
                <legend class="note">A customer opens it, and then:</legend>
                {ENDINGS.map(([ending, name]) => (
                  <Button
                    key={ending}
                    look={ending === "paid" ? "main" : "plain"}
                    onSend={() => send(ending, link)}
                  >
                    {name}
                  </Button>
                ))}
              </fieldset>
            </div>
          )
        }
      </Loaded>
      {error.value && !amountProblem && <Problem error={error.value} />}
      {got.value && <Sent of={got.value} webhook={webhook} />}
      <OpenSessions of={sessions.value.value ?? []} onSend={send} />
      {children}
    </article>
  );
}

const priceOf = ({
  amount,
  ...priced
}: Pick<PaymentLink, "amount" | "chain_id" | "token_address">): string =>
  amount === null ? "any amount" : money({ ...priced, amount });

interface OpenSessionsProps {
  of: CheckoutSession[];
  onSend: (ending: Ending, session: CheckoutSession) => Promise<void>;
}

/** Sessions that a customer or the server under test has opened. */
function OpenSessions({ of, onSend }: OpenSessionsProps) {
  if (of.length === 0) return null;
  return (
    <section aria-label="Open sessions">
      <h3>Open sessions</h3>
      <ul class="rows">
        {of.map((session) => {
          const { id, client_reference_id: order, customer_email: email, expires_at: end } = session;
          const what = order ?? email ?? id;
          return (
            <li key={id} class="row">
              <span class="row-main">
                <Text of={what} lines={1} />
                <span class="note">
                  {priceOf(session)}, expires <Time at={end} />
                </span>
              </span>
              <Button onSend={() => onSend("paid", session)}>
                Pay<span class="vh"> {what}</span>
              </Button>
              <Button onSend={() => onSend("expires", session)}>
                Expire<span class="vh"> {what}</span>
              </Button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** The first attempts, with links to the responses. */
function Sent({ of, webhook: { id, status } }: { of: Got[]; webhook: Webhook }) {
  const { router } = useApp();
  return (
    <section aria-label="Sent" role="status">
      {of.length === 0 && (
        <p>
          {status !== "enabled"
            ? `Nothing was sent: the endpoint is ${status}.`
            : "Nothing was sent: this endpoint does not subscribe to these events."}
        </p>
      )}
      <ul class="rows">
        {of.map((attempt) => (
          <li key={attempt.delivery_id}>
            <a class="row" href={router.inEndpoint(id, attempt.delivery_id)}>
              <span class={`code-mark ${attemptTone(attempt.status)}`}>{attemptCode(attempt)}</span>
              <span class="row-main">{attempt.event}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
