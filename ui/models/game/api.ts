import type { Transport } from "../../api.ts";
import type { JournalEntry, ListQuery, Page, Slice } from "../../api-types.ts";
import type * as t from "./types.ts";

export type GameApi = ReturnType<typeof createGameApi>;

/** Whom a call of the launcher is made as: a token, and the game that it is for. */
export interface Access {
  token: string;
  game: t.Game;
}

/** What the Game view asks: the control API, and the launcher's own API as a player of it. */
export function createGameApi({ body: call, control, data }: Transport) {
  /** An operation that a person wants done. */
  const launcher = async <Answer>(path: string, { token, game }: Access, body: object = {}, quiet = false) =>
    call<Answer>("POST", `game/launcher/${path}`, {
      body: { launcherJwt: token, ...body },
      headers: game.signatures === "required" ? await signatureOf(game) : undefined,
      quiet,
    });
  const signatureOf = async ({ id: gameId }: t.Game) => {
    const query = { gameId, nonce: String(crypto.getRandomValues(new BigUint64Array(1))[0]) };
    const { nonce, signature } = await call<t.Signature>("GET", "_sandbox/game/signature", { query });
    return { "x-request-nonce": nonce, "x-request-signature": signature };
  };
  /** An operation that the page reads by. */
  const read = <Answer>(path: string, access: Access, body: object) =>
    launcher<Answer>(path, access, body, true);
  const id = encodeURIComponent;

  return {
    games: () => data<t.Game>("game/games"),
    players: () => data<t.Player>("game/players"),
    sessions: () => data<t.Session>("game/sessions", { limit: 1_000 }),
    rules: () => data<t.Rule>("game/rules"),
    ruleEntries: (limit: number) => data<JournalEntry>("events", { types: "rule.*", order: "desc", limit }),
    mint: (request: t.TokenRequest) => control<t.Token>("POST", "game/tokens", request),
    endSession: (session: string) => control<t.Session>("DELETE", `game/sessions/${id(session)}`),
    postMessage: (request: t.MessageRequest) => control<t.ChannelMessage>("POST", "game/messages", request),

    channels: (access: Access, slice: Slice) => read<Page<t.Channel>>("get-message-channels", access, slice),
    messages: (access: Access, channelId: string, slice: Slice) =>
      read<Page<t.ChannelMessage>>("get-channel-messages", access, { channelId, ...slice }),
    states: (access: Access, slice: Slice) =>
      read<{ states: t.State[] }>("get-states", access, slice).then(({ states }) => ({ data: states })),
    scores: (access: Access, slice: Slice) =>
      read<{ scores: t.Score[] }>("get-user-scores", access, slice).then(({ scores }) => ({ data: scores })),
    trigger: (access: Access, trigger: t.Trigger) =>
      launcher<t.TriggerResult>("trigger-rules-engine", access, trigger),
    leaderboard: (gameId: string, slice: Slice) =>
      call<{ leaderboard: t.LeaderboardEntry[] }>("POST", "game/scores", {
        body: { gameId, ...slice },
        headers: { "x-service-method": "getGameScoresLeaderboard" },
        quiet: true,
      }).then(({ leaderboard }) => ({ data: leaderboard })),
    activities: (query: ListQuery) =>
      call<{ result: { data: t.Activity[] } }>("GET", "game/activities", { query, quiet: true }).then(
        ({ result: { data: found } }) => ({ data: found }),
      ),
  };
}
