import { createHash } from "node:crypto";
import builtInRules from "../../fixtures/game/rules.json" with { type: "json" };
import { type Game, type GameSettings, SIGNATURE_MODES, type SignatureMode } from "../game/context.ts";
import { OWN_GAME } from "../game/description.ts";
import { KNOWN_GAMES } from "../game/games.ts";
import { RULE } from "../game/rules/description.ts";
import type { Rule } from "../game/rules/rule.ts";
import type { Mistakes } from "../schema/mistakes.ts";
import { field, object, oneOf, type Value } from "../schema/schema.ts";

const GAMES = {
  type: "array",
  items: OWN_GAME,
  examples: [[{ slug: "my-game", name: "My Game", id: "my-game-id", secret: "a secret of my own" }]],
} as const;
const SIGNATURES = {
  anyOf: [
    { type: "boolean" },
    { type: "array", items: { type: "string" } },
    { type: "object", additionalProperties: oneOf(...SIGNATURE_MODES) },
  ],
  errorMessage: "must be true, false, a list of games, or off, optional or required for each game",
} as const;
const TROPHY: Rule = {
  name: "boss reward",
  when: "boss-defeated",
  if: { value: { gte: 100 } },
  then: [{ item: { name: "Trophy" } }, { activity: { displayText: "{username} won {value} points" } }],
};

export const GAME = object({
  games: field(
    GAMES,
    [],
    "Your own games, before the built-in ones: `slug`, `name`, and optionally `id` and `secret`.",
  ),
  requireSignature: field(
    SIGNATURES,
    false,
    'Which games require signatures: all, those listed, or `"off"`, `"optional"`, `"required"` for each.',
  ),
  rules: {
    type: "array",
    items: RULE,
    unset: "four built-in rules",
    examples: [[TROPHY]],
    description: "Rules that define what triggers do; they replace the built-in rules.",
  },
});

type NamedGame = Omit<Game, "signatures">;

/** Checks what the schema cannot express: that names are unique, and that references to games are valid. */
export function completeGame(config: Value<typeof GAME>, mistakes: Mistakes): GameSettings {
  const own: NamedGame[] = [];
  for (const [index, game] of config.games.entries()) {
    refuseTaken(`game.games[${index}]`, game, [...own, ...KNOWN_GAMES], mistakes);
    const id = createHash("sha256").update(String(game.slug)).digest("hex").slice(0, 24);
    own.push({ id, secret: `game_secret_sandbox_${game.slug}`, ...game });
  }
  const games: NamedGame[] = [...own, ...KNOWN_GAMES];
  const findGame = (field: string, name: string): NamedGame | undefined => {
    const found = games.find((game) => game.slug === name || game.id === name);
    const slugs = games.map((game) => game.slug).join(", ");
    if (!found) mistakes.add(field, `one of the games ${slugs}`, name);
    return found;
  };

  const { requireSignature } = config;
  const modes = new Map<NamedGame | undefined, SignatureMode>();
  if (Array.isArray(requireSignature))
    for (const [index, name] of requireSignature.entries())
      modes.set(findGame(`game.requireSignature[${index}]`, name), "required");
  else if (typeof requireSignature === "object")
    for (const [name, mode] of Object.entries(requireSignature))
      modes.set(findGame(`game.requireSignature.${name}`, name), mode);
  const otherwise = requireSignature === true ? "required" : "optional";

  const names = new Set<string>();
  const rules = config.rules?.map((rule, index): Rule => {
    const field = `game.rules[${index}]`;
    if (names.has(rule.name)) mistakes.add(`${field}.name`, "a name that no earlier rule uses", rule.name);
    names.add(rule.name);
    return rule.game === undefined
      ? rule
      : { ...rule, game: findGame(`${field}.game`, rule.game)?.slug ?? rule.game };
  });
  return {
    games: games.map((game) => ({ ...game, signatures: modes.get(game) ?? otherwise })),
    rules: rules ?? (builtInRules as Rule[]),
  };
}

function refuseTaken(
  field: string,
  { slug, id }: Value<typeof OWN_GAME>,
  games: readonly NamedGame[],
  mistakes: Mistakes,
): void {
  for (const [name, value] of Object.entries({ slug, id })) {
    const taken = value && games.find((game) => game.slug === value || game.id === value);
    if (taken) mistakes.add(`${field}.${name}`, `different from ${taken.name}'s`, value);
  }
}
