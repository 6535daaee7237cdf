import { createHash } from "node:crypto";
import rules from "../../fixtures/game/rules.json" with { type: "json" };
import { type Game, type GameSettings, SIGNATURE_MODES, type SignatureMode } from "../game/context.ts";
import { KNOWN_GAMES } from "../game/games.ts";
import type { Rule } from "../game/rules/rule.ts";
import { readRules } from "./rules.ts";
import { expect, oneOf, type Reader, type Section, text } from "./section.ts";

/**
 * A game of your own.
 * @example
 * const game: GameDefinition = { slug: "my-game", name: "My game" };
 */
export interface GameDefinition {
  /** How URLs and messages name it: small letters, digits and hyphens. */
  slug: string;
  name: string;
  /** The `gameId` that your game sends. Default: made from the slug. */
  id?: string;
  /** Signs launcher JWTs, and is part of request signatures. Default: readable, made from the slug. */
  secret?: string;
}

/**
 * What `sandbox.config.ts` may say of the game launcher.
 * @example
 * const game: GameConfig = { games: [{ slug: "my-game", name: "My game" }], requireSignature: ["my-game"] };
 */
export interface GameConfig {
  /** Games of your own, before the built-in ones. The first game is the one that is meant where none is named. */
  games?: GameDefinition[];
  /**
   * Whether requests have to carry X-Request-Nonce and X-Request-Signature: of all games, of those listed by slug or
   * id, or as said for each. Default false: `optional`, so that they are checked when they are there.
   */
  requireSignature?: boolean | string[] | Record<string, SignatureMode>;
  /** What triggers do, in place of the built-in rules. */
  rules?: Rule[];
}

type Named = Omit<Game, "signatures">;

const slug: Reader<string> = (value) =>
  typeof value === "string" && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(value) && value.length <= 60
    ? value
    : expect("small letters, digits and hyphens, such as my-game");
const name: Reader<string> = (value) =>
  text(value).length <= 100 ? text(value) : expect("at most 100 characters");
const id: Reader<string> = (value) =>
  typeof value === "string" && /^[\w.:-]{1,100}$/.test(value)
    ? value
    : expect("1 to 100 letters, digits and the characters . _ : -");
const secret: Reader<string> = (value) =>
  typeof value === "string" && value.length >= 16 && value.length <= 200
    ? value
    : expect("a text of 16 to 200 characters");

/** Reads the section `game`, with every default filled in. */
export function readGame(section: Section): GameSettings {
  const own: Named[] = [];
  for (const part of section.sections("games") ?? []) own.push(readOwnGame(part, own));
  const games: Named[] = [...own, ...KNOWN_GAMES];
  const signatures = section.read("requireSignature", signatureModes(games), new Map<Named, SignatureMode>());
  const settings: GameSettings = {
    games: games.map((game) => ({ ...game, signatures: signatures.get(game) ?? "optional" })),
    rules: readRules(section, gameAmong(games)) ?? (rules as Rule[]),
  };
  section.refuseUnknown();
  return settings;
}

function readOwnGame(section: Section, before: readonly Named[]): Named {
  const free =
    (reader: Reader<string>): Reader<string> =>
    (value) => {
      const read = reader(value);
      const taken = [...before, ...KNOWN_GAMES].find((game) => game.slug === read || game.id === read);
      return taken ? expect(`none that ${taken.name} has`) : read;
    };
  const chosen = section.require("slug", free(slug));
  const game = {
    slug: chosen,
    name: section.require("name", name),
    id: section.read("id", free(id), createHash("sha256").update(String(chosen)).digest("hex").slice(0, 24)),
    secret: section.read("secret", secret, `game_secret_sandbox_${chosen}`),
  };
  section.refuseUnknown();
  return game;
}

const gameAmong =
  (games: readonly Named[]): Reader<Named> =>
  (value) =>
    games.find((game) => game.slug === value || game.id === value) ??
    expect(`one of the games ${games.map((game) => game.slug).join(", ")}`);

function signatureModes(games: readonly Named[]): Reader<Map<Named, SignatureMode>> {
  const game = gameAmong(games);
  const mode = oneOf(...SIGNATURE_MODES);
  return (value) => {
    if (typeof value === "boolean")
      return new Map(games.map((one) => [one, value ? "required" : "optional"]));
    if (Array.isArray(value)) return new Map(value.map((one) => [game(one), "required"]));
    if (value === null || typeof value !== "object")
      return expect("true, false, a list of games, or off, optional or required for each game");
    return new Map(Object.entries(value).map(([one, what]) => [game(one), mode(what)]));
  };
}
