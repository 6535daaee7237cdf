import type { PaymentLink } from "../../api-types.ts";
import { useApp } from "../../components/context.ts";
import { Choice, Field } from "../../components/field.tsx";
import { type Column, ListPage, useList } from "../../components/list-page.tsx";
import { Button, Empty, Pill, Text, Time } from "../../components/parts.tsx";
import { PayDialog } from "../../components/pay.tsx";
import { useDialog } from "../../components/use-dialog.ts";
import { number } from "../../models/format.ts";
import { ofTypes } from "../../models/refresh.ts";
import { href } from "../../models/router.ts";
import { amountOf } from "./filters.tsx";

const MATTERS = ofTypes("payment_link.*", "payment.completed");

/** Payment links: what customers open. */
export function Links() {
  const { api } = useApp();
  const paying = useDialog<PaymentLink>();
  const page = useList<PaymentLink>({
    path: ["payments", "links"],
    names: ["search", "active"],
    read: (query) => api.links(query),
    matters: MATTERS,
  });
  const { search = "", active = "" } = page.filters.values.value;

  const columns: Column<PaymentLink>[] = [
    {
      title: "Name",
      cell: ({ id, name }) => <Text as="a" href={href(["payments", "links", id])} of={name} lines={2} />,
    },
    { title: "Amount", number: true, cell: amountOf },
    {
      title: "Uses",
      number: true,
      cell: ({ current_uses: uses, max_uses: most }) =>
        number(uses) + (most === null ? "" : ` / ${number(most)}`),
    },
    {
      title: "State",
      cell: ({ active: on }) => <Pill tone={on ? "good" : "plain"}>{on ? "active" : "inactive"}</Pill>,
    },
    { title: "Created", cell: ({ created_at: at }) => <Time at={at} /> },
    {
      title: "Actions",
      actions: true,
      cell: (link) => (
        <span class="cell-actions">
          <Button disabled={!link.active} onClick={() => paying.open(link)}>
            Pay
            <span class="vh"> {link.name.slice(0, 80)}</span>
          </Button>
          <a href={link.url} target="_blank" rel="noreferrer">
            Open<span class="vh"> the page of {link.name.slice(0, 80)}</span>
          </a>
        </span>
      ),
    },
  ];

  return (
    <>
      <div class="filters">
        <Field label="Search name or short code" type="search" of={page.filters.field("search")} />
        <Choice
          label="State"
          of={page.filters.field("active")}
          options={[
            ["", "All"],
            ["true", "Active"],
            ["false", "Inactive"],
          ]}
        />
      </div>
      <ListPage
        label="Payment links"
        of={page}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty title={search || active ? "No link matches." : "There is no payment link yet."}>
            <a href="#/payments/links/new">Create one</a>, and open its page as a customer would.
          </Empty>
        }
      />
      {paying.target.value && <PayDialog target={{ link: paying.target.value }} onClose={paying.close} />}
    </>
  );
}
