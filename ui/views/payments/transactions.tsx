import type { Transaction } from "../../api-types.ts";
import { useApp } from "../../components/context.ts";
import { Field } from "../../components/field.tsx";
import { type Column, ListPage, useList } from "../../components/list-page.tsx";
import { Empty, Time } from "../../components/parts.tsx";
import { chainName } from "../../models/payments/money.ts";
import { ofTypes } from "../../models/refresh.ts";
import { href } from "../../models/router.ts";
import { amountOf, PaymentFilters, Status, shortAddress } from "./filters.tsx";

const MATTERS = ofTypes("payment.*");

const COLUMNS: Column<Transaction>[] = [
  {
    title: "Transaction",
    cell: ({ id }) => (
      <a href={href(["payments", "story", id])}>
        <code>{id}</code>
      </a>
    ),
  },
  { title: "Amount", number: true, cell: amountOf },
  {
    title: "Status",
    cell: ({ status, failure_reason: reason }) => (
      <span class="cell-actions">
        <Status of={status} />
        {reason && <span class="note">{reason.replaceAll("_", " ")}</span>}
      </span>
    ),
  },
  { title: "Chain", cell: ({ chain_id: chain }) => chainName(chain) },
  { title: "From", cell: ({ sender_address: sender }) => <code title={sender}>{shortAddress(sender)}</code> },
  { title: "Created", cell: ({ created_at: at }) => <Time at={at} /> },
];

/** Transactions: what was paid, and what was tried. */
export function Transactions() {
  const { api } = useApp();
  const page = useList<Transaction>({
    path: ["payments", "transactions"],
    names: ["status", "chain_id", "payment_link_id", "customer_id"],
    read: api.transactions,
    matters: MATTERS,
  });
  const filtered = Object.values(page.filters.values.value).some(Boolean);
  return (
    <>
      <PaymentFilters
        filters={page.filters}
        prefix="txn_"
        statuses={["completed", "failed", "pending", "confirming"]}
      >
        <Field
          label="Chain id"
          of={page.filters.field("chain_id", (text) => text.replace(/\D/g, ""))}
          placeholder="8453"
          width="8rem"
        />
        <Field
          label="Customer"
          of={page.filters.field("customer_id", (text) => text.trim())}
          placeholder="cus_…"
          width="12rem"
        />
      </PaymentFilters>
      <ListPage
        label="Transactions"
        of={page}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={
          <Empty title={filtered ? "No transaction matches." : "Nothing was paid yet."}>
            Pay one of the <a href="#/payments/links">links</a>.
          </Empty>
        }
      />
    </>
  );
}
