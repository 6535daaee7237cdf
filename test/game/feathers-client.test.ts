import { createRequire } from "node:module";
import { FeathersError, NotAuthenticated } from "@feathersjs/errors";
import { type Application, type FeathersService, feathers } from "@feathersjs/feathers";
import { expect, test } from "vitest";
import { LANTERN, startGame, wallet } from "../support/game.ts";
import type { Json } from "../support/sandbox.ts";

const { default: rest } = createRequire(import.meta.url)(
  "@feathersjs/rest-client",
) as typeof import("@feathersjs/rest-client");

type CustomMethods = Record<string, (data: Json) => Promise<Json>>;
type Service = FeathersService<Application, Json> & CustomMethods;

/** The client of a FeathersJS app, set up as its documentation describes. */
function clientOf(url: string) {
  const connection = rest(`${url}/game`).fetch(fetch);
  const app = feathers<Record<string, Json>>();
  app.configure(connection);
  const serviceOf = (path: string, methods: string[]) => {
    app.use(path, connection.service(path), { methods } as Json);
    return app.service(path) as Service;
  };
  return {
    launcher: serviceOf("launcher", [
      "setUserScore",
      "setState",
      "channelStatus",
      "getChannelMessages",
      "nothing",
    ]),
    scores: serviceOf("scores", ["getGameScoresLeaderboard"]),
    activities: serviceOf("activities", ["find"]),
  };
}

const failure = async (work: Promise<unknown>): Promise<FeathersError> =>
  work.then(
    (answer) => expect.fail(`It answered ${JSON.stringify(answer)}`),
    (error: FeathersError) => error,
  );

test("the FeathersJS REST client calls custom methods and reads activities", async () => {
  const game = await startGame();
  const { token: launcherJwt, player } = await game.mint();
  const { launcher, scores, activities } = clientOf(game.url);
  expect(await launcher.setUserScore!({ launcherJwt, score: 12, nonce: "n" })).toMatchObject({
    success: true,
    newScore: { score: 12, nonce: "n", normalizedAddress: wallet("a") },
  });
  expect(await launcher.setState!({ launcherJwt, state: '{"a":1}', label: "x" })).toMatchObject({
    newState: { state: { a: 1 } },
  });
  expect(await launcher.channelStatus!({ launcherJwt })).toMatchObject({ exists: true, present: false });
  expect(await scores.getGameScoresLeaderboard!({ gameId: LANTERN })).toMatchObject({
    leaderboard: [{ score: 12, username: player.username }],
  });
  expect(await activities.find({ query: { pageSize: 5 } })).toEqual({
    success: true,
    result: { pageNumber: 1, pageSize: 5, data: [] },
  });
});

test("the FeathersJS REST client gets the game launcher's errors as its typed errors [fidelity: Game launcher › Errors]", async () => {
  const game = await startGame();
  const { token: launcherJwt } = await game.mint();
  const bo = await game.mint({ address: wallet("b") });
  const [{ _id: others }] = (await bo.ok("getMessageChannels")).data;
  const { launcher, scores } = clientOf(game.url);
  const cases: [() => Promise<unknown>, string, number, string][] = [
    [
      () => launcher.setUserScore!({ launcherJwt: "x", score: 1 }),
      "NotAuthenticated",
      401,
      "not-authenticated",
    ],
    [() => launcher.setUserScore!({ launcherJwt, score: "1" }), "BadRequest", 400, "bad-request"],
    [() => launcher.getChannelMessages!({ launcherJwt, channelId: others }), "Forbidden", 403, "forbidden"],
    [() => launcher.getChannelMessages!({ launcherJwt, channelId: "x" }), "NotFound", 404, "not-found"],
    [() => launcher.nothing!({ launcherJwt }), "MethodNotAllowed", 405, "method-not-allowed"],
    [() => launcher.create({ launcherJwt }), "MethodNotAllowed", 405, "method-not-allowed"],
    [() => launcher.find(), "MethodNotAllowed", 405, "method-not-allowed"],
    [() => scores.getGameScoresLeaderboard!({ gameId: "x" }), "NotFound", 404, "not-found"],
  ];
  for (const [call, name, code, className] of cases) {
    const error = await failure(call());
    expect(error, name).toMatchObject({ name, code, className });
    expect(error.data, name).toEqual({ success: false, error: error.message });
    expect(error, name).toBeInstanceOf(FeathersError);
  }
  expect(await failure(launcher.channelStatus!({}))).toBeInstanceOf(NotAuthenticated);
});
