import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError } from "../api.ts";
import type { CheckoutSession, PaymentLink } from "../api-types.ts";
import { count } from "../models/format.ts";
import { money, tokenOf } from "../models/payments/money.ts";
import { OUTCOME_LIST, type Outcome, payWith } from "../models/payments/pay.ts";
import { href } from "../models/router.ts";
import { useApp } from "./context.ts";
import { Dialog } from "./dialog.tsx";
import { Choice, Field } from "./field.tsx";
import { Form } from "./form.tsx";
import { Button, Loading, Problem, Text } from "./parts.tsx";

/** What is paid: a link opens a session of its own, a session is paid as it is. */
type Target = { link: PaymentLink } | { session: CheckoutSession };

interface PayDialogProps {
  target?: Target;
  /** Whose links are offered where there is no target. */
  organization?: string;
  onClose: () => void;
}

/** A payment, with whatever outcome is wanted. Without a target one of the links is chosen. */
export function PayDialog({ target, organization, onClose }: PayDialogProps) {
  const { api, router, toasts } = useApp();
  const links = useSignal<PaymentLink[] | undefined>(undefined);
  const chosen = useSignal<Target | undefined>(target);
  const outcome = useSignal<Outcome>("completed");
  const amount = useSignal("1.00");
  const reference = useSignal("");
  const error = useSignal<Error | undefined>(undefined);

  useEffect(() => {
    if (target) return;
    api.links({ active: true, limit: 100, sort: "current_uses" }, organization).then(
      ({ data }) => {
        links.value = data;
        const first = data.find(({ amount: fixed }) => fixed !== null) ?? data[0];
        if (first) chosen.value = { link: first };
      },
      (reason: Error) => {
        error.value = reason;
      },
    );
  }, []);

  const what = chosen.value;
  const item = what && ("link" in what ? what.link : what.session);

  const pay = async () => {
    if (!what || !item) return;
    try {
      const units = item.amount === null ? tokenOf(item).parse(amount.value) : undefined;
      if (item.amount === null && units === undefined)
        throw new ApiError(400, { message: "This is no amount.", hint: "For example 12.50." });
      const input = {
        ...payWith(
          "link" in what ? { payment_link_id: what.link.id } : { session_id: what.session.id },
          outcome.value,
        ),
        ...(units === undefined ? {} : { amount: units }),
        ...(reference.value ? { client_reference_id: reference.value } : {}),
      };
      const { transaction, deliveries } = await api.pay(input);
      const story = href(["payments", "story", transaction.id]);
      toasts.done(
        `Payment ${transaction.status}. ${deliveries.length === 0 ? "No webhook was sent: no endpoint subscribes to its events." : `${count(deliveries.length, "delivery", "deliveries")} started.`}`,
      );
      onClose();
      if (target) router.go(story);
    } catch (reason) {
      error.value = reason as Error;
    }
  };

  return (
    <Dialog title="Make a payment" onClose={onClose}>
      <Form class="stack" onSend={pay}>
        {!target && (
          <LinkSelect links={links.value} chosen={what} onChoose={(link) => (chosen.value = { link })} />
        )}
        {item && (
          <p>
            <b>{item.amount === null ? "Any amount" : money({ ...item, amount: item.amount })}</b>
            {"name" in item && (
              <>
                {" "}
                for <Text of={item.name} lines={2} />
              </>
            )}
          </p>
        )}
        {item?.amount === null && (
          <Field label={`Amount in ${tokenOf(item).symbol}`} of={amount} width="12rem" />
        )}
        <Choice label="Outcome" of={outcome} options={OUTCOME_LIST} />
        <Field
          label="Your reference (client_reference_id)"
          of={reference}
          hint="Handed back in every event."
        />
        {error.value && <Problem error={error.value} />}
        <div class="actions">
          <Button look="main" type="submit" disabled={!item}>
            Pay
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </Form>
    </Dialog>
  );
}

interface LinkSelectProps {
  links: PaymentLink[] | undefined;
  chosen: Target | undefined;
  onChoose: (link: PaymentLink) => void;
}

function LinkSelect({ links, chosen, onChoose }: LinkSelectProps) {
  if (!links) return <Loading />;
  if (links.length === 0)
    return (
      <p>
        There is no payment link yet. <a href="#/payments/links/new">Create one</a>.
      </p>
    );
  return (
    <div class="field">
      <label for="pay-link">Payment link</label>
      <select
        id="pay-link"
        value={chosen && "link" in chosen ? chosen.link.id : ""}
        onChange={({ currentTarget }) => onChoose(links.find(({ id }) => id === currentTarget.value)!)}
      >
        {links.map(({ id, name, amount, chain_id, token_address }) => (
          <option key={id} value={id}>
            {name.slice(0, 60)}, {amount === null ? "any amount" : money({ amount, chain_id, token_address })}
          </option>
        ))}
      </select>
    </div>
  );
}
