import { ApiError } from "../../api.ts";
import type { JournalEntry, ListQuery, Page } from "../../api-types.ts";
import { md5 } from "./md5.ts";
import type * as t from "./types.ts";

export type GameApi = ReturnType<typeof createGameApi>;

/** Whom a call of the launcher is made as: a token, and the game that it is for. */
export interface Access {
  token: string;
  game: t.Game;
}

/** A page of a list that does not say how many there are. */
export interface Slice {
  skip: number;
  limit: number;
}

interface Call {
  query?: ListQuery;
  body?: unknown;
  headers?: Record<string, string>;
}

type ErrorBody = { error?: object; message?: string; name?: string };

/**
 * What the Game view asks: the control API, and the launcher's own API as a player of it.
 * @param base where the world is served, with a slash at the end
 */
export function createGameApi(base: string, fetcher: typeof fetch = (...args) => fetch(...args)) {
  async function call<Answer>(method: string, path: string, { query = {}, body, headers }: Call = {}) {
    const url = new URL(path, base);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined && value !== "") url.searchParams.set(name, String(value));
    const request: RequestInit = { method, headers: { ...headers } };
    if (body !== undefined) {
      request.body = JSON.stringify(body);
      request.headers = { ...headers, "content-type": "application/json" };
    }
    const response = await fetcher(url, request).catch(() => {
      throw new ApiError(0, { message: "The sandbox does not answer.", hint: "Is it still running?" });
    });
    const answer = (await response.json().catch(() => ({}))) as Answer & ErrorBody;
    if (response.ok) return answer as Answer;
    throw new ApiError(
      response.status,
      answer.error ?? {
        ...(answer.name === undefined ? {} : { code: answer.name }),
        ...(answer.message === undefined ? {} : { message: answer.message }),
      },
    );
  }

  const data = async <Item>(path: string, query: ListQuery = {}) =>
    (await call<{ data: Item[] }>("GET", `_sandbox/${path}`, { query })).data;
  const post = <Answer>(path: string, body: unknown) => call<Answer>("POST", `_sandbox/${path}`, { body });
  const launcher = <Answer>(path: string, { token, game }: Access, body: object = {}) =>
    call<Answer>("POST", `game/launcher/${path}`, {
      body: { launcherJwt: token, ...body },
      headers: signature(game),
    });
  const id = encodeURIComponent;

  return {
    games: () => data<t.Game>("game/games"),
    players: () => data<t.Player>("game/players"),
    sessions: () => data<t.Session>("game/sessions", { limit: 1_000 }),
    rules: () => data<t.Rule>("game/rules"),
    ruleEntries: (limit: number) =>
      data<JournalEntry>("events", { types: "rule.*", order: "desc", limit }).then((list) => list.reverse()),
    mint: (request: t.TokenRequest) => post<t.Token>("game/tokens", request),
    endSession: (session: string) => call<t.Session>("DELETE", `_sandbox/game/sessions/${id(session)}`),
    postMessage: (request: t.MessageRequest) => post<t.ChannelMessage>("game/messages", request),

    channels: (access: Access, slice: Slice) =>
      launcher<Envelope<t.Channel>>("get-message-channels", access, slice).then(pageOf),
    messages: (access: Access, channelId: string, slice: Slice) =>
      launcher<Envelope<t.ChannelMessage>>("get-channel-messages", access, { channelId, ...slice }).then(
        pageOf,
      ),
    states: (access: Access, slice: Slice) =>
      launcher<{ states: t.State[] }>("get-states", access, slice).then(({ states }) => states),
    scores: (access: Access, slice: Slice) =>
      launcher<{ scores: t.Score[] }>("get-user-scores", access, slice).then(({ scores }) => scores),
    trigger: (access: Access, trigger: t.Trigger) =>
      launcher<t.TriggerResult>("trigger-rules-engine", access, trigger),
    leaderboard: (gameId: string, slice: Slice) =>
      call<{ leaderboard: t.LeaderboardEntry[] }>("POST", "game/scores", {
        body: { gameId, ...slice },
        headers: { "x-service-method": "getGameScoresLeaderboard" },
      }).then(({ leaderboard }) => leaderboard),
    activities: (query: ListQuery) =>
      call<{ result: { data: t.Activity[] } }>("GET", "game/activities", { query }).then(
        ({ result }) => result.data,
      ),
  };
}

interface Envelope<Item> {
  total: number;
  data: Item[];
}

const pageOf = <Item>({ data, total }: Envelope<Item>): Page<Item> => ({ data, total });

/** The signature that a game requires of its requests: MD5(nonce + MD5(secret)). */
function signature({ secret, signatures }: t.Game): Record<string, string> {
  if (signatures !== "required") return {};
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const nonce = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return { "x-request-nonce": nonce, "x-request-signature": md5(nonce + md5(secret)) };
}
