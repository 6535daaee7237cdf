import type { CheckoutSession } from "../../api-types.ts";
import { useApp } from "../../components/context.ts";
import { type Column, ListPage, useList } from "../../components/list-page.tsx";
import { Button, Empty, Text, Time } from "../../components/parts.tsx";
import { PayDialog } from "../../components/pay.tsx";
import { useDialog } from "../../components/use-dialog.ts";
import { ofTypes } from "../../models/refresh.ts";
import { href } from "../../models/router.ts";
import { amountOf, PaymentFilters, Status, useExpire } from "./filters.tsx";

const MATTERS = ofTypes("checkout.*", "payment.*");

/** Checkout sessions: one customer's visit each. */
export function Sessions() {
  const { api } = useApp();
  const expire = useExpire();
  const paying = useDialog<CheckoutSession>();
  const page = useList<CheckoutSession>({
    path: ["payments", "sessions"],
    names: ["status", "payment_link_id"],
    read: api.sessions,
    matters: MATTERS,
  });
  const { status = "", payment_link_id: link = "" } = page.filters.values.value;

  const columns: Column<CheckoutSession>[] = [
    {
      title: "Session",
      cell: ({ id, customer_name: name, customer_email: email, client_reference_id: reference }) => (
        <a href={href(["payments", "story", id])} class="cell-lines">
          <Text of={name ?? email ?? reference ?? "no customer named"} lines={1} />
          <code>{id}</code>
        </a>
      ),
    },
    { title: "Amount", number: true, cell: amountOf },
    { title: "Status", cell: ({ status: state }) => <Status of={state} /> },
    { title: "Opened", cell: ({ created_at: at }) => <Time at={at} /> },
    { title: "Ends", cell: ({ expires_at: at, completed_at: done }) => <Time at={done ?? at} /> },
    {
      title: "Actions",
      actions: true,
      cell: (session) =>
        session.status === "active" && (
          <span class="cell-actions">
            <Button onClick={() => paying.open(session)}>
              Pay<span class="vh"> {session.id}</span>
            </Button>
            <Button onSend={() => expire(session)}>
              Expire<span class="vh"> {session.id}</span>
            </Button>
            {session.url && (
              <a href={session.url} target="_blank" rel="noreferrer">
                Open<span class="vh"> the page of {session.id}</span>
              </a>
            )}
          </span>
        ),
    },
  ];

  return (
    <>
      <PaymentFilters filters={page.filters} prefix="cs_" statuses={["active", "completed", "expired"]} />
      <ListPage
        label="Checkout sessions"
        of={page}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<Empty title={status || link ? "No session matches." : "No sessions yet."} />}
      />
      {paying.target.value && <PayDialog target={{ session: paying.target.value }} onClose={paying.close} />}
    </>
  );
}
