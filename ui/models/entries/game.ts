import { bytes, count } from "../format.ts";
import { href } from "../router.ts";
import { RULE_WORDS } from "./rules.ts";
import { type Data, text, type Words } from "./words.ts";

const found = (data: Data) => href(["game", "players"], { search: text(data.player) });
const player = (data: Data) => href(["game", "players", text(data.id)]);
const inGame = (data: Data) => `${text(data.player)}, ${text(data.game)}`;

/** Players, their sessions, and what they did. */
export const GAME_WORDS: Words = {
  ...RULE_WORDS,
  "game.payment_requested": (data) => ({
    title: `${text(data.rule)} asks for a payment`,
    detail: `${text(data.link)}, ${inGame(data)}`,
    href: href(["payments", "transactions"]),
  }),
  "player.joined": (data) => ({
    title: `${text(data.username)} joined`,
    detail: text(data.address),
    href: player(data),
  }),
  "player.removed": (data) => ({
    title: `${text(data.username)} was removed`,
    href: href(["game", "players"]),
  }),
  "session.opened": (data) => ({ title: "Game session opened", detail: inGame(data), href: found(data) }),
  "session.ended": (data) => ({ title: "Game session ended", detail: inGame(data), href: found(data) }),
  "play_session.tracked": (data) => ({
    title: data.ended ? "Play session ended" : "Play session tracked",
    detail: inGame(data),
    href: found(data),
  }),
  "state.set": (data) => ({
    title: `State ${text(data.label)} set, ${bytes(Number(data.bytes))}`,
    detail: inGame(data),
    href: found(data),
  }),
  "score.set": (data) => ({
    title: `Score ${text(data.score)}`,
    detail: inGame(data),
    href: href(["game", "leaderboard"], { game: text(data.game) }),
  }),
  "activity.added": (data) => ({
    title: text(data.text),
    detail: `${text(data.type)} activity, ${inGame(data)}`,
    href: href(["game", "activities"]),
  }),
  "notification.sent": (data) => ({
    title: "Notification sent",
    detail: `${text(data.message)} (${inGame(data)})`,
    href: found(data),
  }),
  "channel.created": (data) => ({
    title: `Channel ${text(data.name)} created`,
    detail: `${count(Number(data.participants), "participant")}, ${text(data.game)}`,
  }),
  "message.sent": (data) => ({ title: "Message sent", detail: text(data.content) }),
  "message.edited": (data) => ({ title: "Message edited", detail: text(data.content) }),
  "message.unsent": (data) => ({ title: "Message taken back", detail: text(data.channel) }),
};
