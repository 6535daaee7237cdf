import type { ResultOf } from "../client/http.ts";
import { instant } from "../timeline/instant.ts";
import { count } from "../timeline/text.ts";
import { iso } from "../world/duration.ts";
import { type Cell, columns, fields, paint } from "./output.ts";
import { view, viewsOf } from "./view.ts";

type Rule = ResultOf<"game.rules">["data"][number];

const SIGNS: Record<string, string> = { gte: ">=", gt: ">", lte: "<=", lt: "<", eq: "=" };

/** How the commands about games print. */
export const views = viewsOf(
  view("game.players", {
    lines: ({ data }) =>
      data.length === 0
        ? ["No players. Create one: npx sandglass token --player <address>"]
        : columns(
            data.map(({ id, address, username, items }): Cell[] => [
              { text: username, color: paint.bold },
              address,
              id,
              items.map(({ name, quantity }) => `${quantity} ${name}`).join(", "),
            ]),
          ),
  }),

  view("game.scores", {
    lines: ({ game, leaderboard }) =>
      leaderboard.length === 0
        ? [`No scores in ${game.name} yet.`]
        : columns(
            leaderboard.map(({ username, normalizedAddress, score, updatedAt }, index): Cell[] => [
              { text: String(index + 1).padStart(3), color: paint.dim },
              { text: String(score), color: paint.bold },
              username,
              normalizedAddress,
              { text: instant(iso(updatedAt)), color: paint.dim },
            ]),
          ),
  }),

  view("game.rules", {
    async lines({ data }, { sandbox, given: { game } }) {
      if (data.length > 0) return columns(data.map(ruleCells));
      const others = game !== undefined && (await sandbox.run("game.rules")).data.length > 0;
      return [
        others
          ? `No rule is for ${game}. npx sandglass rules lists those of other games.`
          : "There are no rules. Add some to game.rules in the configuration.",
      ];
    },
  }),

  view("game.channels", {
    async lines({ data, total_count: total }, { sandbox }) {
      if (data.length === 0)
        return ["There are no channels. A token for a player creates one: npx sandglass token"];
      const games = (await sandbox.run("game.games")).data;
      const rows = data.map((channel): Cell[] => [
        channel.id,
        { text: channel.name, color: paint.bold },
        channel.kind,
        games.find(({ id }) => id === channel.game_id)?.slug ?? channel.game_id,
        count(channel.participants.length, "player"),
        count(channel.messages, "message"),
        { text: instant(channel.updated_at), color: paint.dim },
      ]);
      const left = total - data.length;
      return [...columns(rows), ...(left > 0 ? [paint.dim(`and ${left} more; --limit prints them`)] : [])];
    },
  }),

  view("game.post", {
    lines: (posted, { given: { from = "the game" } }) =>
      fields([
        ["message", posted._id],
        ["channel", posted.channelId],
        ["from", from],
        ["at", `${instant(iso(posted.createdAt))} UTC`],
        ["text", posted.content],
      ]),
  }),
);

const ruleCells = (rule: Rule): Cell[] => [
  { text: rule.name, color: paint.bold },
  rule.game ?? "every game",
  `when ${rule.when}${conditionText(rule)}`,
  rule.then.flatMap((action) => Object.keys(action)).join(", "),
  { text: `fired ${rule.fired}`, color: rule.fired > 0 ? paint.green : paint.dim },
  { text: `skipped ${rule.skipped}`, color: rule.skipped > 0 ? paint.yellow : paint.dim },
  {
    text: rule.last_reason === null ? "" : `last: ${rule.last_reason}, ${instant(rule.last_skipped_at!)}`,
    color: paint.dim,
  },
];

function conditionText(rule: Rule): string {
  const limits = Object.entries(rule.if?.value ?? {});
  return limits.length === 0
    ? ""
    : `, value ${limits.map(([name, limit]) => `${SIGNS[name] ?? name} ${limit}`).join(" and ")}`;
}
