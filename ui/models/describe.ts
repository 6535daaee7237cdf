import {
  tallyCounts,
  type Described as Words,
  describeEntry as wordsOf,
} from "../../src/timeline/entries.ts";
import type { AdvancePreview, JournalEntry } from "../api-types.ts";
import { count } from "./format.ts";
import { href } from "./router.ts";

/** A journal entry as a person reads it. */
interface Described extends Words {
  /** Where to look at it. */
  href: string | undefined;
}

/** What an entry says, and where to look at it. */
export function describeEntry(entry: JournalEntry): Described {
  return { ...wordsOf(entry), href: linkOf(entry) };
}

type Link = (field: (name: string) => string, change: string) => string | undefined;

const audit: Link = () => href(["audit"]);
const endpoint: Link = (field) => href(["webhooks", field("webhook_id")]);
const payment: Link = (field) => href(["payments", "story", field("id")]);
const inAudit =
  (resource: string): Link =>
  (_, change) =>
    change === "deleted" ? href(["audit"]) : href(["audit"], { resource_type: resource });

/** Where entries lead, by name, or else by the part of it before the dot. */
const LINKS: Record<string, Link> = {
  payment,
  checkout: payment,
  delivery: (field) => href(["webhooks", field("webhook_id"), field("id")]),
  "delivery.exhausted": endpoint,
  "delivery.skipped": endpoint,
  retry: endpoint,
  webhook: (field) => href(["webhooks", field("id")]),
  "webhook.deleted": audit,
  mail: (field) => href(["mail", field("id")]),
  inbox: (field) => href(["inboxes", field("inbox")]),
  payment_link: (field, change) =>
    change === "deleted" ? href(["audit"]) : href(["payments", "links", field("id")]),
  product: inAudit("product"),
  discount_code: inAudit("discount_code"),
  widget: inAudit("widget"),
  api_key: inAudit("api_key"),
  "notification.updated": audit,
  "game.payment_requested": () => href(["payments", "transactions"]),
  "rule.payment": (field) =>
    field("transaction_id") === "" ? undefined : href(["payments", "story", field("transaction_id")]),
  fault: faulty,
  "world.stopped": () => href(["snapshots"]),
  "world.restored": () => href(["snapshots"]),
};

/** Where a fault of a subscriber is; a provider and the API have no view. */
function faulty(field: (name: string) => string): string | undefined {
  const [kind, id] = field("target").split(":");
  return kind === "webhook" && id ? href(["webhooks", id]) : undefined;
}

function linkOf({ type, data }: JournalEntry): string | undefined {
  const [group = "", change = ""] = type.split(".");
  const link = Object.hasOwn(LINKS, type)
    ? LINKS[type]
    : Object.hasOwn(LINKS, group)
      ? LINKS[group]
      : undefined;
  return link?.(
    (name) => (data[name] === null || data[name] === undefined ? "" : String(data[name])),
    change,
  );
}

/** What a dry run expects, in the words of the summary: `1 session expired, 2 to 4 attempts`. */
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
