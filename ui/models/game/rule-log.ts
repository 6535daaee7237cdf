import type { JournalEntry } from "../../api-types.ts";
import { type Described, describeEntry } from "../describe.ts";
import { href } from "../router.ts";

/** An entry of the rules engine as a person reads it; it leads to its payment, else to the journal. */
export function describeRuleEntry(entry: JournalEntry): Described & { href: string; isPayment: boolean } {
  const described = describeEntry(entry);
  return {
    ...described,
    isPayment: described.href !== undefined,
    href: described.href ?? href(["activity", "journal", String(entry.seq)]),
  };
}
