import { clip } from "../http/violation-text.ts";
import { iso, LAST_INSTANT } from "../world/duration.ts";
import type { Game, GameContext } from "./context.ts";
import { notAuthenticated } from "./errors.ts";
import { type Games, gameGone } from "./games.ts";
import { MAX_AVATAR_LENGTH, MAX_NAME_LENGTH, MAX_TOKEN_LENGTH } from "./limits.ts";
import { ADDRESS, type Players, playerGone } from "./players.ts";
import type { PlayerRow, SessionRow } from "./rows.ts";
import type { Session, Sessions } from "./sessions.ts";

/** The claims of a launcher JWT; `jti` is the session's id. See docs/fidelity.md, "Game launcher: requests". */
export interface Claims {
  id: string;
  address: string;
  username: string;
  avatar: string;
  gameId: string;
  channelId: string;
  iat: number;
  /** Present only in tokens that the user's code signed. */
  nbf?: number;
  exp: number;
  jti: string;
}

/** Unvalidated claims of a token signed by the user's code; each may have any type. */
type Unread<Fields> = { [Name in keyof Fields]?: unknown };

/** Players' launcher JWTs. See docs/fidelity.md, "Game launcher: requests". */
export interface Tokens {
  /**
   * Mints a token and opens its session.
   * @param lifetime in virtual milliseconds
   * @param newChannelId the id for a new channel, if the player has no channel of their own yet
   */
  mint(
    player: PlayerRow,
    game: Game,
    lifetime: number,
    newChannelId?: string,
  ): Promise<{ token: string; session: SessionRow }>;
  /** Returns the session for a request's launcherJwt. @throws GameError NotAuthenticated with the reason */
  authenticate(token: unknown, evenEnded: boolean): Promise<Session>;
}

/** The last second that the virtual clock can represent. */
const LAST_SECOND = Math.floor(LAST_INSTANT / 1_000);
const ALGORITHM = "HS256";
const MINT_HINT = "Mint one with `npx sandglass token` or POST /_sandbox/game/tokens.";

/** Loaded on first use, to keep start-up fast. */
const loadJose = () => import("jose");

export function createTokens(
  { world }: GameContext,
  { games, players, sessions }: { games: Games; players: Players; sessions: Sessions },
): Tokens {
  const { store, clock } = world;

  /** Checks that the current time is within a token's validity, in virtual milliseconds. */
  function checkTime(validFrom: number, expiresAt: number): void {
    const now = clock.now();
    const problem =
      now >= expiresAt
        ? `expired at ${iso(expiresAt)}`
        : now < validFrom && `is not valid before ${iso(validFrom)} (nbf)`;
    if (problem) throw notAuthenticated(`launcherJwt ${problem}; it is ${iso(now)} here. ${MINT_HINT}`);
  }

  /** The session for a token signed by the user's code: the open one, or a new one. */
  function sessionOfOwn(claims: Unread<Claims>, game: Game, expiresAt: number): string {
    return store.transaction(() => {
      const player = players.byId(String(claims.id)) ?? newcomer(claims);
      return (sessions.current(player.id, game.id) ?? sessions.open(player, game, expiresAt)).id;
    });
  }

  /** The player with a token's wallet. A new player gets the name and avatar from the token. */
  function newcomer({ address, username, avatar }: Unread<Claims>): PlayerRow {
    if (typeof address !== "string" || !ADDRESS.test(address))
      throw notAuthenticated(
        `launcherJwt ${address === undefined ? "has no address" : `has the address ${clip(JSON.stringify(address))}`}: the player's wallet is 0x followed by 40 hex digits. ${MINT_HINT}`,
      );
    return players.join(address, {
      username: shortText(username, MAX_NAME_LENGTH),
      avatar: shortText(avatar, MAX_AVATAR_LENGTH),
    });
  }

  function sessionOf(claims: Unread<Claims>, game: Game): string {
    const name = String(claims.id ?? claims.address);
    const player = players.byId(name) ?? players.byAddress(name);
    if (!player) throw playerGone(clip(name));
    const row = sessions.byId(String(claims.jti));
    if (row && (row.player !== player.id || row.game !== game.id))
      throw notAuthenticated(
        `The session in launcherJwt belongs to a different player or game than its id and gameId say. ${MINT_HINT}`,
      );
    return String(claims.jti);
  }

  async function verify(token: string, evenEnded: boolean): Promise<Session> {
    const jose = await loadJose();
    const { algorithm, claims } = readUnverified(jose, token);
    if (algorithm !== ALGORITHM)
      throw notAuthenticated(
        `launcherJwt uses the algorithm '${clip(algorithm, 20)}'; only ${ALGORITHM} is accepted. ${MINT_HINT}`,
      );
    if (typeof claims.gameId !== "string")
      throw notAuthenticated(
        `launcherJwt ${claims.gameId === undefined ? "has no gameId" : `has the gameId ${clip(JSON.stringify(claims.gameId))}`}: the id or the slug of a game, as text. ${MINT_HINT}`,
      );
    const game = games.find(claims.gameId);
    if (!game) throw gameGone(clip(claims.gameId));
    try {
      await jose.compactVerify(token, new TextEncoder().encode(game.secret), { algorithms: [ALGORITHM] });
    } catch {
      throw notAuthenticated(
        `launcherJwt is not signed with the secret of ${game.name}. GET /_sandbox/game/games shows that secret.`,
      );
    }
    const expiresAt = readSecond("exp", claims.exp) * 1_000;
    checkTime(claims.nbf === undefined ? 0 : readSecond("nbf", claims.nbf) * 1_000, expiresAt);
    const id = claims.jti === undefined ? sessionOfOwn(claims, game, expiresAt) : sessionOf(claims, game);
    return sessions.enter(id, evenEnded);
  }

  return {
    async mint(player, game, lifetime, newChannelId) {
      const now = clock.now();
      const exp = Math.floor((now + lifetime) / 1_000);
      const session = sessions.open(player, game, exp * 1_000, newChannelId);
      const token = await signToken(player, game, session);
      sessions.keepToken(session.id, token);
      return { token, session: { ...session, token } };
    },

    async authenticate(token, evenEnded) {
      if (token === undefined || token === null || token === "")
        throw notAuthenticated(`launcherJwt is missing from the body. ${MINT_HINT}`);
      if (typeof token !== "string" || token.length > MAX_TOKEN_LENGTH) throw noToken();
      return verify(token, evenEnded);
    },
  };
}

/** Signs a session's launcher JWT. The result is deterministic. */
export async function signToken(player: PlayerRow, game: Game, session: SessionRow): Promise<string> {
  const { SignJWT } = await loadJose();
  const { id, address, username, avatar } = player;
  const claims: Claims = {
    id,
    address,
    username,
    avatar,
    gameId: game.id,
    channelId: session.channel,
    iat: Math.floor(session.opened_at / 1_000),
    exp: session.expires_at / 1_000,
    jti: session.id,
  };
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: ALGORITHM, typ: "JWT" })
    .sign(new TextEncoder().encode(game.secret));
}

/**
 * Reads a token's time claim in seconds since the epoch.
 * @throws GameError NotAuthenticated with the problem
 */
function readSecond(claim: "exp" | "nbf", value: unknown): number {
  if (value === undefined)
    throw notAuthenticated(`launcherJwt has no ${claim}: a number of seconds since 1970. ${MINT_HINT}`);
  if (Number.isSafeInteger(value) && Math.abs(value as number) <= LAST_SECOND) return value as number;
  const problem =
    typeof value !== "number"
      ? `must be a number of seconds since 1970, not ${typeof value === "string" ? "text" : "another type"}`
      : !Number.isInteger(value)
        ? "must be a whole number of seconds since 1970"
        : Math.abs(value) <= LAST_SECOND * 1_000
          ? `must be in seconds since 1970, not in milliseconds: ${Math.floor(value / 1_000)}`
          : `must be at most ${LAST_SECOND}, the end of the year 9999`;
  throw notAuthenticated(`launcherJwt has the ${claim} ${clip(JSON.stringify(value), 40)}; it ${problem}.`);
}

const shortText = (value: unknown, longest: number): string | undefined =>
  typeof value === "string" && value !== "" && value.length <= longest ? value : undefined;

function noToken(): Error {
  return notAuthenticated(`launcherJwt is not a JWT: three parts in base64url, joined by dots. ${MINT_HINT}`);
}

function readUnverified(
  jose: Awaited<ReturnType<typeof loadJose>>,
  token: string,
): { algorithm: string; claims: Unread<Claims> } {
  try {
    const { alg } = jose.decodeProtectedHeader(token);
    return { algorithm: String(alg), claims: jose.decodeJwt<Unread<Claims>>(token) };
  } catch {
    throw noToken();
  }
}
