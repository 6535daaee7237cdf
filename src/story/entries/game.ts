import { bytes, count } from "../text.ts";
import { RULE_WORDS } from "./rules.ts";
import { type Data, text, type Words } from "./words.ts";

const inGame = (data: Data) => `${text(data.player)}, ${text(data.game)}`;

/** Players, their sessions, and what they did. */
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
  "message.sent": (data) => ({ title: "Message sent", detail: text(data.content) }),
  "message.edited": (data) => ({ title: "Message edited", detail: text(data.content) }),
  "message.unsent": (data) => ({ title: "Message unsent", detail: text(data.channel) }),
};
