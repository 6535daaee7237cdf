import { bytes, count } from "../text.ts";
import { type Data, named, text, type Words } from "./words.ts";

/** `ada, boss-defeated with 140`. */
function about({ player, trigger, value }: Data): string {
  return `${text(player)}, ${text(trigger)}${value === null || value === undefined ? "" : ` with ${text(value)}`}`;
}

const list = (actions: unknown) =>
  Array.isArray(actions) && actions.length > 0 ? text(actions.join(", ")) : "nothing";

/** The rules engine's actions, or the reason for doing nothing. */
const RULE_WORDS: Words = {
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
    title: `${text(data.trigger)} repeated: the first response was returned`,
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

const inGame = (data: Data) => `${text(data.player)}, ${text(data.game)}`;

/** Players, their sessions, and their activity. */
export const GAME_WORDS: Words = {
  ...RULE_WORDS,
  "game.payment_requested": (data) => ({
    title: `${text(data.rule)} requests a payment`,
    detail: `${text(data.link)}, ${inGame(data)}`,
  }),
  "player.joined": (data) => ({ title: `${text(data.username)} joined`, detail: text(data.address) }),
  "player.removed": (data) => ({ title: `${text(data.username)} was removed` }),
  "session.opened": (data) => ({ title: "Game session opened", detail: inGame(data) }),
  "session.ended": (data) => ({ title: "Game session ended", detail: inGame(data) }),
  "play_session.tracked": (data) => ({
    title: data.ended ? "Play session ended" : "Play session tracked",
    detail: inGame(data),
  }),
  "state.set": (data) => ({
    title: `State ${text(data.label)} set, ${bytes(Number(data.bytes ?? 0))}`,
    detail: inGame(data),
  }),
  "score.set": (data) => ({ title: `Score ${text(data.score)}`, detail: inGame(data) }),
  "activity.added": (data) => ({
    title: text(data.text),
    detail: `${text(data.type)} activity, ${inGame(data)}`,
  }),
  "notification.sent": (data) => ({
    title: "Notification sent",
    detail: `${text(data.message)} (${inGame(data)})`,
  }),
  "channel.created": (data) => ({
    title: `Channel ${text(data.name)} created`,
    detail: `${count(Number(data.participants ?? 0), "participant")}, ${text(data.game)}`,
  }),
  "message.sent": named("Message sent", "plain", "content"),
  "message.edited": named("Message edited", "plain", "content"),
  "message.unsent": named("Message unsent", "plain", "channel"),
};
