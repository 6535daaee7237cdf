import type { gameOperations } from "../../operations/game.ts";
import type { Bound } from "./bound.ts";

export const gameBound: Bound<(typeof gameOperations)[number]> = {
  "game.token": ({ sandbox, body }) => sandbox.game.token(body),
  "game.games": ({ sandbox }) => ({ data: sandbox.game.games() }),
  "game.signature": ({ sandbox, query }) => sandbox.game.signature(query.gameId, query.nonce),
  "game.players": ({ sandbox }) => ({ data: sandbox.game.players() }),
  "game.removePlayer": ({ sandbox, params }) => sandbox.game.removePlayer(params.id),
  "game.sessions": ({ sandbox, query }) => ({ data: sandbox.game.sessions(query.limit) }),
  "game.endSession": ({ sandbox, params }) => sandbox.game.endSession(params.id),
  "game.channels": ({ sandbox, query }) => sandbox.game.channels(query.game, query.limit),
  "game.scores": ({ sandbox, query }) => sandbox.game.scores(query.game, query.limit),
  "game.post": ({ sandbox, body }) => sandbox.game.post(body),
  "game.rules": ({ sandbox, query }) => ({ data: sandbox.game.rules(query.game) }),
  "game.notifications": ({ sandbox, query }) => ({ data: sandbox.game.notifications(query.limit) }),
};
