import type { Static } from "typebox";
import { didYouMean } from "../errors/closest.ts";
import { hintOfOption, misuse, notFound, type SandboxError } from "../errors/errors.ts";
import type { Game } from "../game/context.ts";
import type { GameArea } from "../game/game.ts";
import { ADDRESS } from "../game/players.ts";
import type { ChannelRow, PlayerRow, SessionRow } from "../game/rows.ts";
import type { TokenBody } from "../operations/game.ts";

type PlayerChoice = Pick<Static<typeof TokenBody>, "player" | "address">;

/** Looks up names in a world's game launcher. @throws SandboxError `not_found`, which lists the existing names */
export function createGameNames(area: GameArea) {
  const { world, games, players, sessions, channels, mainPlayer } = area;

  /** Finds a player by id, address or username. @throws SandboxError `not_found`, or `bad_request` for an invalid address */
  function findPlayer(name: string): PlayerRow {
    const player = players.find(name);
    if (player) return player;
    if (/^0x[0-9a-f]*$/i.test(name) && !ADDRESS.test(name))
      throw misuse(
        `'${name.slice(0, 100)}' is not a valid address.`,
        "An address is 0x followed by 40 hexadecimal characters.",
      );
    throw notFound(`There is no player '${name.slice(0, 100)}'.`, {
      command: "A new address creates a new player: npx sandglass token --player 0x…",
      library: "A new address creates a new player: game.token({ address }).",
      http: "GET /_sandbox/game/players lists the players; a token for a new address creates a player.",
    });
  }

  /** Finds a game by id or slug. The default is the first game. */
  function findGame(name: string | undefined): Game {
    if (name === undefined) return games.main();
    const game = games.find(name);
    if (game) return game;
    const slugs = games.list().map(({ slug }) => slug);
    throw notFound(
      `There is no game '${name.slice(0, 100)}'.`,
      `${didYouMean(name, slugs, "")} Games here: ${slugs.join(", ")}.`.trim(),
    );
  }

  function findSession(id: string): SessionRow {
    const row = sessions.byId(id);
    if (row) return row;
    throw notFound(
      `There is no session '${id.slice(0, 100)}'.`,
      "GET /_sandbox/game/sessions lists the sessions.",
    );
  }

  function noChannel(asked: Game, name: string): SandboxError {
    const other = games.list().find((game) => channels.find(game, name));
    const shown = `'${name.slice(0, 100)}'`;
    if (other)
      return notFound(
        `The game ${asked.slug} has no channel ${shown}, but ${other.slug} does.`,
        hintOfOption(
          `--game ${other.slug}`,
          `gameId: "${other.slug}"`,
          (option) => `Specify that game: ${option}`,
        ),
      );
    return notFound(`There is no channel ${shown}.`, {
      command: "List them all: npx sandglass channels",
      library: "GET /_sandbox/game/channels lists the channels.",
      http: "GET /_sandbox/game/channels lists the channels.",
    });
  }

  /**
   * Finds the player for an address or name. A new address creates a player, even if it is passed as `player`. If
   * neither is given, the main player is used.
   * @throws SandboxError `not_found`, or `bad_request` if both are given
   */
  function playerFor({ player, address }: PlayerChoice): PlayerRow {
    if (player !== undefined && address !== undefined)
      throw misuse(
        "Pass either player or address.",
        "Specify a player by id, address or username; a new address creates a new player.",
      );
    if (player !== undefined) return ADDRESS.test(player) ? players.join(player) : findPlayer(player);
    if (address !== undefined) return players.join(address);
    return mainPlayer() ?? players.join(world.ids.hex("player_address", 20));
  }

  /** Finds a channel by id, or by its name in the specified game. */
  function findChannel(name: string, gameId: string | undefined): { channel: ChannelRow; game: Game } {
    const asked = findGame(gameId);
    const channel = channels.byId(name) ?? channels.find(asked, name);
    if (channel) return { channel, game: findGame(channel.game) };
    throw noChannel(asked, name);
  }

  return { findPlayer, playerFor, findGame, findSession, findChannel };
}
