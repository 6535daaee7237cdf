import type { Sandbox } from "../sandbox/sandbox.ts";
import { instant } from "../story/instant.ts";
import type { Invocation } from "./command.ts";
import { findGame, readGames } from "./game-name.ts";
import { type Cell, columns, paint, print, printJson } from "./output.ts";
import { chosenSandbox, type ServerOptions } from "./server.ts";

type Rule = ReturnType<Sandbox["game"]["rules"]>[number];

/** `sandglass rules`: the rules of the games, how often each fired, and why it last did not. */
export async function run({ args: [name], options }: Invocation<ServerOptions>): Promise<undefined> {
  const sandbox = await chosenSandbox(options);
  const { data: all } = await sandbox.run("game.rules");
  const game = name === undefined ? undefined : findGame(await readGames(sandbox), name, "rules");
  const data = game ? rulesOf(all, game) : all;
  if (options.json) printJson({ data });
  else if (data.length === 0)
    print(
      game && all.length > 0
        ? `No rule is for ${game.slug}. npx sandglass rules lists those of other games.`
        : "There are no rules. Add some to game.rules in the configuration.",
    );
  else for (const line of columns(data.map(row))) print(line);
  return undefined;
}

/** The rules of a game are its own and those of every game. */
const rulesOf = (rules: readonly Rule[], { id, slug }: { id: string; slug: string }): Rule[] =>
  rules.filter(({ game }) => game === null || game === id || game === slug);

const SIGNS: Record<string, string> = { gte: ">=", gt: ">", lte: "<=", lt: "<", eq: "=" };

const row = (rule: Rule): Cell[] => [
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
