import type { AuditEvent } from "../../api-types.ts";
import { useApp } from "../../components/context.ts";
import { Field } from "../../components/field.tsx";
import { Id, Ids } from "../../components/ids.tsx";
import { type Column, ListPage, useList } from "../../components/list-page.tsx";
import { Empty, Time, ViewHead } from "../../components/parts.tsx";
import { ActivityTabs } from "../activity/index.tsx";
import type { ViewProps } from "../registry.ts";

const AUDITED = /^(payment_link|product|webhook|discount_code|widget|notification|api_key)\./;

const COLUMNS: Column<AuditEvent>[] = [
  { title: "Time", cell: ({ created_at: at }) => <Time at={at} /> },
  { title: "Event", cell: ({ event_type: type }) => type },
  { title: "Resource", cell: ({ resource_id: id }) => <Id of={id} /> },
  {
    title: "Request",
    cell: ({ request_method: method, request_path: path }) => (
      <code>
        {method}{" "}
        <bdi class="text">
          <Ids of={path} />
        </bdi>
      </code>
    ),
  },
  { title: "Status", number: true, cell: ({ status_code: status }) => status },
  { title: "From", cell: ({ ip_address: address }) => address },
];

/** The audit trail of the organization: who changed what. */
export default function Audit(_: ViewProps) {
  const { api } = useApp();
  const page = useList<AuditEvent>({
    path: ["audit"],
    names: ["type", "resource_type"],
    read: api.audit,
    matters: ({ type }) => AUDITED.test(type),
  });
  return (
    <div class="view wide">
      <ViewHead
        title="Audit events"
        note="Every create, update, delete and revoke, retained for 90 days of virtual time."
      />
      <ActivityTabs current="audit" />
      <div class="filters">
        <Field
          label="Event"
          type="search"
          of={page.filters.field("type", (text) => text.trim())}
          placeholder="payment_link.created"
        />
        <Field
          label="Resource"
          of={page.filters.field("resource_type", (text) => text.trim())}
          placeholder="webhook"
        />
      </div>
      <ListPage
        label="Audit events"
        of={page}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={<Empty title="No audit event matches." />}
      />
    </div>
  );
}
