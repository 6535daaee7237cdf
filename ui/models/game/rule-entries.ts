import type { JournalEntry } from "../../api-types.ts";
import type { Described } from "../describe.ts";
import { href } from "../router.ts";

type Data = Record<string, unknown>;
type Words = Omit<Described, "href"> & { payment?: string };

const text = (value: unknown): string => (value === null || value === undefined ? "" : String(value));

/** `ada, boss-defeated with 140`. */
function about({ player, trigger, value }: Data): string {
  return `${text(player)}, ${text(trigger)}${value === null || value === undefined ? "" : ` with ${text(value)}`}`;
}

const list = (actions: unknown) =>
  Array.isArray(actions) && actions.length > 0 ? actions.join(", ") : "nothing";

const ENTRIES: Record<string, (data: Data) => Words> = {
  "rule.fired": (data) => ({
    tone: "good",
    title: `${text(data.rule)} fired`,
    detail: `${list(data.actions)} (${about(data)})`,
  }),
  "rule.skipped": (data) => ({
    tone: "plain",
    title: `${text(data.rule)} did not fire`,
    detail: `${text(data.reason)} (${about(data)})`,
  }),
  "rule.unmatched": (data) => ({
    tone: "plain",
    title: `No rule listens to ${text(data.trigger)}`,
    detail: about(data),
  }),
  "rule.repeated": (data) => ({
    tone: "plain",
    title: `${text(data.trigger)} came again, and was answered as before`,
    detail: `${text(data.player)}, nonce ${text(data.nonce)}`,
  }),
  "rule.action_failed": (data) => ({
    tone: "bad",
    title: `${text(data.rule)}: an action could not be done`,
    detail: text(data.reason),
  }),
  "rule.payment": (data) =>
    data.transaction_id
      ? {
          tone: data.status === "failed" ? "bad" : "good",
          title: `${text(data.rule)}: payment ${text(data.status)}`,
          detail: text(data.transaction_id),
          payment: text(data.transaction_id),
        }
      : { tone: "bad", title: `${text(data.rule)}: payment refused`, detail: text(data.reason) },
};

/** An entry of the rules engine as a person reads it; it leads to its payment, else to the journal. */
export function describeRuleEntry({
  type,
  seq,
  data,
}: JournalEntry): Described & { href: string; isPayment: boolean } {
  const words = Object.hasOwn(ENTRIES, type)
    ? ENTRIES[type]!(data)
    : { tone: "plain" as const, title: type, detail: "" };
  const { payment, ...described } = words as Words;
  const target =
    payment === undefined ? ["activity", "journal", String(seq)] : ["payments", "story", payment];
  return { ...described, isPayment: payment !== undefined, href: href(target) };
}
