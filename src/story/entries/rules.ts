import { type Data, text, type Words } from "./words.ts";

/** `ada, boss-defeated with 140`. */
function about({ player, trigger, value }: Data): string {
  return `${text(player)}, ${text(trigger)}${value === null || value === undefined ? "" : ` with ${text(value)}`}`;
}

const list = (actions: unknown) =>
  Array.isArray(actions) && actions.length > 0 ? text(actions.join(", ")) : "nothing";

/** What the rules engine did, and why it did not. */
export const RULE_WORDS: Words = {
  "rule.fired": (data) => ({
    title: `${text(data.rule)} fired`,
    tone: "good",
    detail: `${list(data.actions)} (${about(data)})`,
  }),
  "rule.skipped": (data) => ({
    title: `${text(data.rule)} did not fire`,
    detail: `${text(data.reason)} (${about(data)})`,
  }),
  "rule.unmatched": (data) => ({ title: `No rule matches ${text(data.trigger)}`, detail: about(data) }),
  "rule.repeated": (data) => ({
    title: `${text(data.trigger)} repeated: the first answer was returned`,
    detail: `${text(data.player)}, nonce ${text(data.nonce)}`,
  }),
  "rule.action_failed": (data) => ({
    title: `${text(data.rule)}: an action failed`,
    tone: "bad",
    detail: text(data.reason),
  }),
  "rule.payment": ({ rule, status, transaction_id: id, ...data }) => ({
    title: `${text(rule)}: payment ${id ? text(status) : "refused"}`,
    tone: !id || status === "failed" ? "bad" : "good",
    detail: text(id ?? data.reason),
  }),
};
