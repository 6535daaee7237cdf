import { clip } from "../http/violation-text.ts";
import { iso } from "../world/duration.ts";
import type { Channels } from "./channels.ts";
import type { Game, GameContext } from "./context.ts";
import { notAuthenticated, notFound } from "./errors.ts";
import type { Games } from "./games.ts";
import { SIGN_IN_LIFE, TOKEN_LIFE } from "./limits.ts";
import type { Players } from "./players.ts";
import type { Tokens } from "./tokens.ts";

interface SignInRow {
  channel: string;
  game: string;
  address: string;
  created_at: number;
  expires_at: number;
}

/** Signatures with this ending are rejected, so that tests can cause a rejection without a wallet. */
const REFUSED_ENDING = "dead";

/** Wallet sign-in: an unverified channel, which is then verified by a signature. */
export interface SignIns {
  /** Starts a sign-in. Returns the text for the wallet to sign, and the future session's channel. */
  begin(address: string, game: Game): { success: true; signRequest: string; channelId: string };
  /** Returns the game of an open sign-in. @throws GameError NotFound */
  gameOf(channelId: string): Game;
  /** Completes a sign-in with the wallet's signature and mints a token. Only the signature's format is checked. */
  verify(channelId: string, signature: string): Promise<{ success: true; jwt: string }>;
}

export function createSignIns(
  { world, makeId }: GameContext,
  {
    games,
    players,
    channels,
    tokens,
  }: { games: Games; players: Players; channels: Channels; tokens: Tokens },
): SignIns {
  const { store, clock, random } = world;
  const byChannel = store.sql<SignInRow>("select * from game_sign_ins where channel = ?");
  const insert = store.sql(
    "insert or replace into game_sign_ins (channel, game, address, created_at, expires_at) values (?, ?, ?, ?, ?)",
  );
  const remove = store.sql("delete from game_sign_ins where channel = ?");

  function find(channelId: string): SignInRow {
    const row = byChannel.get(channelId);
    if (row) return row;
    throw notFound(
      `There is no sign-in for the channel '${clip(channelId)}'. createUnverifiedChannel starts one, and each sign-in works once.`,
    );
  }

  return {
    begin(address, game) {
      return store.transaction(() => {
        const player = players.byAddress(address);
        const channelId = (player && channels.ownOf(player, game)?.id) ?? makeId("channel");
        const now = clock.now();
        insert.run(channelId, game.id, address.toLowerCase(), now, now + SIGN_IN_LIFE);
        const nonce = random.bytes("sign_in").toString("hex").slice(0, 16);
        const signRequest = [
          `Sign in to ${game.name} with ${address}.`,
          "",
          `Channel: ${channelId}`,
          `Nonce: ${nonce}`,
          `Issued At: ${iso(now)}`,
        ].join("\n");
        return { success: true, signRequest, channelId };
      });
    },

    gameOf: (channelId) => games.get(find(channelId).game),

    async verify(channelId, signature) {
      const { game: gameId, address, expires_at: expiresAt } = find(channelId);
      const game = games.get(gameId);
      if (clock.now() >= expiresAt)
        throw notAuthenticated(
          `The sign-in expired at ${iso(expiresAt)}. Start another with createUnverifiedChannel.`,
        );
      if (signature.toLowerCase().endsWith(REFUSED_ENDING))
        throw notAuthenticated(
          `signature is not from the wallet ${address}. (The sandbox accepts every signature except those ending in ${REFUSED_ENDING}.)`,
        );
      const player = store.transaction(() => {
        remove.run(channelId);
        return players.join(address);
      });
      const { token } = await tokens.mint(player, game, TOKEN_LIFE, channelId);
      return { success: true, jwt: token };
    },
  };
}
