import { hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Game, GameContext } from "./context.ts";
import { type GameError, notAuthenticated } from "./errors.ts";
import { MAX_NONCE_LENGTH, NONCE_HEADER, SIGNATURE_HEADER } from "./limits.ts";

const RULE = "X-Request-Signature is the hex MD5 of the nonce followed by the hex MD5 of the game's secret";

/** A request's signature: MD5(nonce + MD5(gameSecret)) in hex. */
export const signRequest = (nonce: string, secret: string): string =>
  hash("md5", nonce + hash("md5", secret));

/**
 * Checks a request's signature according to the game's mode. See docs/fidelity.md, "Game launcher: requests".
 * @throws GameError NotAuthenticated
 */
export type CheckSignature = (game: Game, headers: IncomingHttpHeaders) => void;

export function createSignatureCheck({ world }: GameContext): CheckSignature {
  const { store, clock } = world;
  const remember = store.sql(
    "insert or ignore into game_request_nonces (game, nonce, seen_at) values (?, ?, ?)",
  );

  return (game, headers) => {
    if (game.signatures === "off") return;
    const nonce = headers[NONCE_HEADER] as string | undefined;
    const signature = headers[SIGNATURE_HEADER] as string | undefined;
    const required = game.signatures === "required";
    if (!nonce && !signature) {
      if (!required) return;
      throw refused(`${game.name} requires the headers X-Request-Nonce and X-Request-Signature`);
    }
    if (!nonce) throw refused("X-Request-Signature came without X-Request-Nonce");
    if (!signature) throw refused("X-Request-Nonce came without X-Request-Signature");
    if (nonce.length > MAX_NONCE_LENGTH)
      throw refused(`X-Request-Nonce has ${nonce.length} characters, more than ${MAX_NONCE_LENGTH}`);
    if (signature.toLowerCase() !== signRequest(nonce, game.secret))
      throw refused("X-Request-Signature does not match the nonce");
    if (required && remember.run(game.id, nonce, clock.now()).changes === 0)
      throw notAuthenticated(
        "X-Request-Nonce was used before. Generate a new random string for each request.",
      );
  };
}

function refused(what: string): GameError {
  return notAuthenticated(`${what}. ${RULE}; GET /_sandbox/game/games shows the secret.`);
}
