import type { ComponentChildren } from "preact";
import { Choice, Field } from "../../components/field.tsx";
import type { Filters } from "../../models/filters.ts";
import { FindById } from "./find.tsx";

interface PaymentFiltersProps {
  filters: Filters;
  prefix: "cs_" | "txn_";
  statuses: string[];
  children?: ComponentChildren;
}

/** What sessions and transactions are found by. */
export function PaymentFilters({ filters, prefix, statuses, children }: PaymentFiltersProps) {
  const { status = "", payment_link_id: link = "" } = filters.values.value;
  const options = statuses.map((name) => [name, name[0]!.toUpperCase() + name.slice(1)] as [string, string]);
  return (
    <div class="filters">
      <FindById prefix={prefix} />
      <Choice
        label="Status"
        value={status}
        options={[["", "All"], ...options]}
        onChange={(next) => filters.set({ status: next })}
      />
      {children}
      <Field
        label="Of the link"
        value={link}
        placeholder="pl_…"
        onInput={(text) => filters.set({ payment_link_id: text.trim() })}
      />
    </div>
  );
}
