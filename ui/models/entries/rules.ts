import { type Data, payment, text, type Words } from "./words.ts";

/** `ada, boss-defeated with 140`. */
function about({ player, trigger, value }: Data): string {
  return `${text(player)}, ${text(trigger)}${value === null || value === undefined ? "" : ` with ${text(value)}`}`;
}

const list = (actions: unknown) =>
  Array.isArray(actions) && actions.length > 0 ? actions.join(", ") : "nothing";

/** What the rules engine did, and why it did not. */
export const RULE_WORDS: Words = {
  "rule.fired": (data) => ({
    tone: "good",
    title: `${text(data.rule)} fired`,
    detail: `${list(data.actions)} (${about(data)})`,
  }),
  "rule.skipped": (data) => ({
    title: `${text(data.rule)} did not fire`,
    detail: `${text(data.reason)} (${about(data)})`,
  }),
  "rule.unmatched": (data) => ({ title: `No rule listens to ${text(data.trigger)}`, detail: about(data) }),
  "rule.repeated": (data) => ({
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
          href: payment(data.transaction_id),
        }
      : { tone: "bad", title: `${text(data.rule)}: payment refused`, detail: text(data.reason) },
};
