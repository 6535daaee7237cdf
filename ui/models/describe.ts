import {
  tallyCounts,
  type Described as Words,
  describeEntry as wordsOf,
} from "../../src/timeline/entries.ts";
import type { AdvancePreview, JournalEntry } from "../api-types.ts";
import { count } from "./format.ts";
import { href } from "./router.ts";

interface Described extends Words {
  href: string;
}

export function describeEntry(entry: JournalEntry): Described {
  return { ...wordsOf(entry), href: linkOf(entry) };
}

/** A link to the endpoint or attempt that an entry is about; for other entries, a link to the entry in the log. */
function linkOf({ seq, type, data }: JournalEntry): string {
  const field = (name: string): string => (typeof data[name] === "string" ? data[name] : "");
  const [group = ""] = type.split(".");
  const [kind, target = ""] = field("target").split(":");
  const places: Record<string, string[]> = {
    webhook: [field("id")],
    retry: [field("webhook_id")],
    delivery: [field("webhook_id"), ENDS.includes(type) ? "" : field("id")],
    fault: [kind === "webhook" ? target : ""],
  };
  const [endpoint, delivery] = Object.hasOwn(places, group) ? places[group]! : [];
  return endpoint && type !== "webhook.deleted"
    ? href(["webhooks", endpoint, delivery])
    : href(["log", "entry", `${seq}`]);
}

/** Entries that are about all attempts of an event rather than a single one. */
const ENDS = ["delivery.exhausted", "delivery.skipped"];

/** The result of a dry run, worded like the summary: `1 session expired, 2 to 4 attempts`. */
export function tallyPreview({
  would_fire_count: due,
  would_cause: { attempts, events },
}: AdvancePreview): string {
  const { least, most } = attempts;
  const range = least === most ? "" : `${least} to `;
  const parts = tallyCounts(events);
  if (most > 0) parts.push(`${range}${count(most, "attempt")}`);
  return parts.join(", ") || count(due, "step");
}
