import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useApp } from "../../components/context.ts";
import { Choice, Field } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { Pill } from "../../components/parts.tsx";
import type { Filters } from "../../models/filters.ts";
import { money } from "../../models/payments/money.ts";
import { href } from "../../models/router.ts";

const TONES: Record<string, "good" | "bad" | "plain" | "wait"> = {
  completed: "good",
  failed: "bad",
  active: "wait",
  pending: "wait",
  confirming: "wait",
  expired: "plain",
};

export function Status({ of }: { of: string }) {
  return <Pill tone={TONES[of] ?? "plain"}>{of}</Pill>;
}

type Priced = { amount: string | null; chain_id: number; token_address: string };

/** An amount with its token; what leaves it to the payer says so. */
export function amountOf({ amount, ...priced }: Priced): ComponentChildren {
  return amount === null ? <span class="note">any amount</span> : money({ amount, ...priced });
}

export const shortAddress = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`;

interface PaymentFiltersProps {
  filters: Filters;
  prefix: "cs_" | "txn_";
  statuses: string[];
  children?: ComponentChildren;
}

/** What sessions and transactions are found by. */
export function PaymentFilters({ filters, prefix, statuses, children }: PaymentFiltersProps) {
  const options = statuses.map((name) => [name, name[0]!.toUpperCase() + name.slice(1)] as [string, string]);
  return (
    <div class="filters">
      <FindById prefix={prefix} />
      <Choice label="Status" of={filters.field("status")} options={[["", "All"], ...options]} />
      {children}
      <Field
        label="Payment link"
        of={filters.field("payment_link_id", (text) => text.trim())}
        placeholder="pl_…"
      />
    </div>
  );
}

/** Opens a payment or a session by its id. */
function FindById({ prefix }: { prefix: "cs_" | "txn_" }) {
  const { router } = useApp();
  const id = useSignal("");
  return (
    <Form
      class="find"
      onSend={() => {
        if (id.value.trim()) router.go(href(["payments", "story", id.value.trim()]));
      }}
    >
      <Field label="Find by id" type="search" of={id} placeholder={`${prefix}…, then Enter`} />
    </Form>
  );
}

/** Ends a session that is still open. */
export function useExpire(): (session: { id: string }) => Promise<void> {
  const { api, toasts } = useApp();
  return async ({ id }) => {
    const done = await toasts.attempt(() => api.expireSession(id));
    if (done) toasts.done("The session has expired.");
  };
}
