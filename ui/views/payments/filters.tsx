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
