import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ApiError } from "../api.ts";
import type { CheckoutSession, Page, PaymentLink } from "../api-types.ts";
import { type Binding, bind } from "../models/binding.ts";
import { count, isolated } from "../models/format.ts";
import {
  findLinks,
  firstChoice,
  OUTCOME_LIST,
  type Outcome,
  payWith,
} from "../models/payments/link-choice.ts";
import { money, tokenOf } from "../models/payments/money.ts";
import { useApp, useReading } from "./context.ts";
import { DialogForm } from "./dialog.tsx";
import { Choice, Field, Select } from "./field.tsx";
import { Button, Loaded, Text } from "./parts.tsx";

/** A search is sent when nothing was typed for so long, milliseconds. */
const TYPING_MS = 200;

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
  const { api, clock, readAll, toasts } = useApp();
  const search = useSignal("");
  const links = useReading(
    async (): Promise<Page<PaymentLink>> =>
      target ? { data: [], total: 0 } : findLinks(api, search.peek(), organization),
  );
  const begun = useRef(false);
  useEffect(() => {
    // The first reading needs no search, and the rest wait until a person has typed.
    if (!begun.current) {
      begun.current = true;
      return;
    }
    const timer = setTimeout(() => void links.read(), TYPING_MS);
    return () => clearTimeout(timer);
  }, [search.value]);
  const chosen = useSignal<PaymentLink | undefined>(undefined);
  const outcome = useSignal<Outcome>("completed");
  const amount = useSignal("1.00");
  const reference = useSignal("");

  const offered = links.value.value?.data ?? [];
  const link = offered.find(({ id }) => id === chosen.value?.id) ?? firstChoice(offered, clock.exact());
  const what: Target | undefined = target ?? (link && { link });
  const item = what && ("link" in what ? what.link : what.session);

  const choose = (id: string) => (chosen.value = offered.find((one) => one.id === id));
  const pay = async () => {
    if (!what || !item) return;
    const units = item.amount === null ? tokenOf(item).parse(amount.value) : undefined;
    if (item.amount === null && units === undefined)
      throw new ApiError(400, { message: "This is not an amount.", hint: "For example 12.50." });
    const input = {
      ...payWith(
        "link" in what ? { payment_link_id: what.link.id } : { session_id: what.session.id },
        outcome.value,
      ),
      ...(units === undefined ? {} : { amount: units }),
      ...(reference.value ? { client_reference_id: reference.value } : {}),
    };
    const { transaction, deliveries } = await api.pay(input);
    // What it led to comes first: that an endpoint was disabled is more than that a payment was made.
    await readAll();
    const failed = deliveries.some(({ status }) => status === "failed");
    (failed ? toasts.note : toasts.done)(
      `Payment ${transaction.status}. ${deliveries.length === 0 ? "No webhook was sent: no endpoint subscribes to its events." : `${count(deliveries.length, "delivery", "deliveries")} started.`}`,
    );
    onClose();
  };

  return (
    <DialogForm title="Make a payment" action="Pay" disabled={!item} onSend={pay} onClose={onClose}>
      {!target && (
        <Loaded of={links}>
          {(page) => <LinkSelect page={page} search={search} of={bind(link?.id ?? "", choose)} />}
        </Loaded>
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
      <Field label="Your reference (client_reference_id)" of={reference} hint="Every event returns it." />
    </DialogForm>
  );
}

export function PayButton(props: { disabled?: boolean; onClick: () => void }) {
  return (
    <Button look="main" data-testid="pay" {...props}>
      Pay…
    </Button>
  );
}

interface LinkSelectProps {
  page: Page<PaymentLink>;
  search: Binding<string>;
  of: Binding<string>;
}

/** One of the links; a search reaches those that are not offered. */
function LinkSelect({ page: { data: links, total }, search, of }: LinkSelectProps) {
  if (total === 0 && search.value === "")
    return <p>There is no active payment link yet. Create one: POST /payment-links.</p>;
  const options = links.map(({ id, name, amount, chain_id, token_address }) => {
    const price = amount === null ? "any amount" : money({ amount, chain_id, token_address });
    return [id, `${isolated(name.slice(0, 60))}, ${price}`] as const;
  });
  const hint =
    total === 0
      ? "No active link matches."
      : links.length < total
        ? `The newest ${links.length} of ${count(total, "active link")} are offered.`
        : count(total, "active link");
  return (
    <>
      <Field
        label="Find a link"
        type="search"
        of={search}
        placeholder="name, short code, id or address"
        hint={hint}
        onKeyDown={(event) => {
          // It would pay.
          if (event.key === "Enter") event.preventDefault();
        }}
      />
      {total > 0 && <Select label="Payment link" of={of} options={options} />}
    </>
  );
}
