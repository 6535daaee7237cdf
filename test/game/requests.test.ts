import { expect, test } from "vitest";
import { expectGameError, kebab, LANTERN, startGame, wallet } from "../support/game.ts";
import type { Json } from "../support/sandbox.ts";

/** Every operation, with a body that it accepts. They are written out rather than taken from the code. */
const OPERATIONS: Record<string, Json> = {
  channelStatus: {},
  channelHeartbeat: {},
  getMessageChannels: {},
  getChannelMessages: { channelId: "$channel" },
  createMessageChannel: { otherParticipants: [wallet("b")] },
  sendChannelMessage: { channelId: "$channel", content: "x" },
  editChannelMessage: { messageId: "$message", newContent: "y" },
  setState: { state: "{}", label: "x" },
  getStates: {},
  getState: {},
  setUserScore: { score: 5, nonce: "n" },
  getUserScores: {},
  triggerRulesEngine: { trigger: "go", value: 1, nonce: "n" },
  sendCustomActivity: { label: "x", eventId: "e" },
  sendNotification: { message: "x" },
  trackGameSessions: { sessionId: "s", state: "{}" },
  unsendChannelMessage: { messageId: "$message" },
};
const WITHOUT_TOKEN: Record<string, Json> = {
  getGameScoresLeaderboard: { gameId: LANTERN },
  getUsersPositionInGameScoreLeaderboard: { gameId: LANTERN, wallet: wallet("a") },
  createUnverifiedChannel: { wallet: wallet("d") },
};
const PAGED = ["getMessageChannels", "getChannelMessages", "getStates", "getUserScores"];

async function start() {
  const game = await startGame();
  const player = await game.mint();
  await game.mint({ address: wallet("b") });
  const channel = (await player.ok("getMessageChannels")).data[0]._id;
  const message = (await player.ok("sendChannelMessage", { channelId: channel, content: "x" }))._id;
  const fill = (body: Json) =>
    JSON.parse(JSON.stringify(body).replace("$channel", channel).replace("$message", message));
  return { game, player, fill };
}

test("every game launcher operation is available at its path and through X-Service-Method [fidelity: Game launcher › Operations · Game launcher: requests › FeathersJS form]", async () => {
  const { game, player, fill } = await start();
  for (const [method, body] of Object.entries(OPERATIONS)) {
    const withToken = { launcherJwt: player.token, ...fill(body) };
    const headers = { "x-service-method": method };
    const forms = await Promise.all(
      method === "unsendChannelMessage"
        ? [game.call("POST", "/game/launcher/", { body: withToken, headers })]
        : [
            game.call("POST", `/game/launcher/${kebab(method)}`, { body: withToken }),
            game.call("POST", `/game/launcher/${kebab(method)}/`, { body: withToken }),
            game.call("POST", "/game/launcher", { body: withToken, headers }),
            game.call("POST", "/game/launcher/", { body: withToken, headers }),
          ],
    );
    for (const { status, text } of forms) expect(status, `${method} ${text}`).toBe(200);
    const keys = forms.map(({ body: answer }) => Object.keys(answer).join());
    expect(new Set(keys).size, method).toBe(1);
  }
  for (const [method, body] of Object.entries(WITHOUT_TOKEN)) {
    const headers = { "x-service-method": method };
    const scores = method === "getGameScoresLeaderboard" ? ["/scores", "/scores/"] : [];
    for (const path of [`/launcher/${kebab(method)}`, "/launcher", "/launcher/", ...scores])
      expect((await game.call("POST", `/game${path}`, { body, headers })).status, method).toBe(200);
  }
});

test("every game launcher operation rejects a missing or invalid token [fidelity: Game launcher › Access]", async () => {
  const { game, fill } = await start();
  for (const [method, body] of Object.entries(OPERATIONS)) {
    for (const launcherJwt of [undefined, "rubbish"]) {
      const answer = await game.call("POST", `/game/launcher/${kebab(method)}`, {
        body: { ...fill(body), launcherJwt },
      });
      expectGameError(answer, "NotAuthenticated", "launcherJwt", method);
    }
  }
});

test("an unknown or missing X-Service-Method is rejected", async () => {
  const { game, player } = await start();
  const body = { launcherJwt: player.token };
  for (const path of ["/game/launcher", "/game/scores"]) {
    const known = path === "/game/launcher" ? "setUserScore" : "getGameScoresLeaderboard";
    for (const method of [
      undefined,
      "",
      "nothing",
      "SetUserScore",
      "set-user-score",
      "__proto__",
      "constructor",
    ]) {
      const headers: Record<string, string> = method === undefined ? {} : { "x-service-method": method };
      expectGameError(
        await game.call("POST", path, { body, headers }),
        "MethodNotAllowed",
        known,
        `${path} ${method}`,
      );
    }
    const headers = { "x-service-method": "nothing" };
    expectGameError(
      await game.call("POST", path, { body: "{", headers }),
      "MethodNotAllowed",
      known,
      "before the body",
    );
  }
  const headers = { "x-service-method": "setUserScore" };
  expectGameError(await game.call("POST", "/game/scores", { body, headers }), "MethodNotAllowed", "/scores");
});

test("other HTTP methods and unknown paths are rejected in the game launcher's format", async () => {
  const { game } = await start();
  for (const path of ["/launcher", "/launcher/set-user-score", "/scores"])
    for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
      const answer = await game.call(method, `/game${path}`);
      expectGameError(answer, "MethodNotAllowed", "use POST", `${method} ${path}`);
      expect(answer.headers.get("allow")).toBe("POST, OPTIONS");
    }
  expectGameError(await game.call("POST", "/game/activities", { body: {} }), "MethodNotAllowed", "use GET");
  for (const [method, path] of [
    ["POST", "/launcher/nothing"],
    ["POST", "/nothing"],
    ["GET", "/"],
    ["GET", "/launcher/x/y"],
    ["POST", "/launcher/%2e%2e"],
  ] as const)
    expectGameError(await game.call(method, `/game${path}`), "NotFound", "nothing at", `${method} ${path}`);
  expectGameError(await game.call("POST", "/game/launcher/%2G"), "NotFound", "percent-encoded");
});

test("the game launcher parses a body as JSON, no matter what its content type is [fidelity: Game launcher: requests › Bodies]", async () => {
  const { game, player } = await start();
  const body = JSON.stringify({ launcherJwt: player.token });
  const types = [
    "application/json",
    "application/json; charset=utf-8",
    "text/plain",
    "text/plain;charset=UTF-8",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/octet-stream",
    "application/merge-patch+json",
    "json",
    "*/*",
    ";;;",
  ];
  for (const type of types) {
    const answer = await game.call("POST", "/game/launcher/channel-status", {
      body,
      headers: { "content-type": type },
    });
    expect(answer.status, `${type} ${answer.text}`).toBe(200);
  }
  const bytes = await game.call("POST", "/game/launcher/channel-status", {
    body: new TextEncoder().encode(`\uFEFF${body}`),
    headers: { "content-type": "" },
  });
  expect(bytes.status, bytes.text).toBe(200);
});

test("a body that is not a JSON object is rejected, and the message says what to send instead [fidelity: Game launcher: requests › Bodies]", async () => {
  const { game, player } = await start();
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const multipart = { "content-type": "multipart/form-data; boundary=x" };
  const bodies: [string, string | Uint8Array, Record<string, string>][] = [
    ["a form", `launcherJwt=${player.token}&score=5`, form],
    ["a multipart form", '--x\r\ncontent-disposition: form-data; name="score"\r\n\r\n5\r\n--x--', multipart],
    ["a text", "hello", { "content-type": "text/plain" }],
    ["half of JSON", '{"launcherJwt":', {}],
    ["a list", "[]", {}],
    ["null", "null", {}],
    ["a number", "5", {}],
    ["a JSON text", '"x"', {}],
    ["no UTF-8", new Uint8Array([0x7b, 0xff, 0x7d]), {}],
    ["half of a surrogate pair", '{"launcherJwt":"\\ud800"}', {}],
    ["far too deep", `{"a":${"[".repeat(5_000)}${"]".repeat(5_000)}}`, {}],
  ];
  for (const [what, body, headers] of bodies) {
    const answer = await game.call("POST", "/game/launcher/set-user-score", { body, headers });
    expectGameError(answer, "BadRequest", "JSON object", what);
  }
  const huge = `{"launcherJwt":"${"x".repeat(4 * 1024 * 1024)}"}`;
  expectGameError(
    await game.call("POST", "/game/launcher/set-state", { body: huge }),
    "BadRequest",
    "4194304",
  );
  const none = await game.call("POST", "/game/launcher/set-state");
  expectGameError(none, "NotAuthenticated", "missing", "no body");
});

test("special property names like __proto__ have no effect in the game launcher [fidelity: Game launcher: requests › Bodies]", async () => {
  const { game, player } = await start();
  const body = `{"__proto__":{"score":9},"constructor":{"prototype":{"score":9}},"launcherJwt":"${player.token}","nonce":"n"}`;
  expectGameError(await game.call("POST", "/game/launcher/set-user-score", { body }), "BadRequest", "score");
  expect(({} as Json).score).toBeUndefined();
  const known = body.replace('"nonce"', '"score":1,"colour":"green","nonce"');
  expect(
    (await game.call("POST", "/game/launcher/set-user-score", { body: known })).body.newScore.score,
  ).toBe(1);
});

test("an unknown field is ignored and listed in X-Sandbox-Hint, even in error responses [fidelity: Game launcher: requests › Bodies]", async () => {
  const { game, player } = await start();
  const hint = async (path: string, body?: Json, headers: Record<string, string> = {}) =>
    (await game.call(body ? "POST" : "GET", `/game${path}`, { ...(body && { body }), headers })).headers.get(
      "x-sandbox-hint",
    );
  const body = { launcherJwt: player.token, score: 1, nonse: "n" };
  const unknown =
    "Ignored unknown body fields: nonse. Valid names: launcherJwt, score, nonce. Did you mean nonce instead of nonse?";
  expect(await hint("/launcher/set-user-score", body)).toBe(unknown);
  expect(await hint("/launcher", body, { "x-service-method": "setUserScore" })).toBe(unknown);
  expect(await hint("/launcher/set-user-score", { ...body, score: "x" })).toBe(unknown);
  expect(await hint("/launcher/set-user-score", { ...body, nonse: undefined })).toBeNull();
  expect(await hint("/activities?walletAddress=")).toBeNull();
  expect(await hint("/activities?walletaddress=0x1")).toBe(
    "Ignored unknown query parameters: walletaddress. Valid names: pageSize, pageNumber, walletAddress, gameId, type. Did you mean walletAddress instead of walletaddress?",
  );
});

test("limit and skip must be whole numbers within their range [fidelity: Game launcher: requests › Paging]", async () => {
  const { game, player, fill } = await start();
  const calls = [
    ...PAGED.map(
      (method) =>
        [method, (page: Json) => player.call(method, { ...fill(OPERATIONS[method]), ...page })] as const,
    ),
    [
      "getGameScoresLeaderboard",
      (page: Json) =>
        game.call("POST", "/game/scores", {
          body: { gameId: LANTERN, ...page },
          headers: { "x-service-method": "getGameScoresLeaderboard" },
        }),
    ] as const,
  ];
  const limits = [-1, 0.5, 1.5, 101, 1_000_000, 1e300, "20", "", null, true, [], {}];
  const skips = [-1, 0.5, 1e16, 1e300, "0", null, false, [], {}];
  for (const [method, call] of calls) {
    for (const limit of limits)
      expectGameError(await call({ limit }), "BadRequest", "limit must be", `${method} limit ${limit}`);
    for (const skip of skips)
      expectGameError(await call({ skip }), "BadRequest", "skip must be", `${method} skip ${skip}`);
    for (const page of [
      { limit: 0 },
      { limit: 100 },
      { skip: Number.MAX_SAFE_INTEGER },
      { limit: 1, skip: 1_000 },
    ])
      expect((await call(page)).status, `${method} ${JSON.stringify(page)}`).toBe(200);
  }
  expect(await player.ok("getMessageChannels", { limit: 0 })).toMatchObject({ total: 1, limit: 0, data: [] });
});

test("a message has 1 to 4,000 characters", async () => {
  const { player, fill } = await start();
  const send = (content: unknown) =>
    player.call("sendChannelMessage", fill({ channelId: "$channel", content }));
  for (const content of ["", "x".repeat(4_001), 5, null, undefined, {}])
    expectGameError(await send(content), "BadRequest", "content", String(content).slice(0, 20));
  expect((await send("😀".repeat(4_000))).status).toBe(200);
});

test("any page can call the game launcher with the headers that its client needs [fidelity: Game launcher: requests › CORS]", async () => {
  const { game, player } = await start();
  const origin = "https://game.example";
  const preflight = await game.call("OPTIONS", "/game/launcher", {
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type,x-service-method,x-request-nonce",
    },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
  expect(preflight.headers.get("access-control-allow-methods")).toContain("POST");
  expect(preflight.headers.get("access-control-allow-headers")).toContain("x-service-method");
  for (const answer of [
    await player.call("channelStatus", {}, { headers: { origin } }),
    await game.call("POST", "/game/launcher/channel-status", { headers: { origin } }),
    await game.call("GET", "/game/nothing", { headers: { origin } }),
  ])
    expect(answer.headers.get("access-control-allow-origin"), String(answer.status)).toBe("*");
});

test("a fault makes an operation fail or respond slowly, by path and by X-Service-Method", async () => {
  const { game, player } = await start();
  const score = { launcherJwt: player.token, score: 1 };
  const byHeader = () =>
    game.call("POST", "/game/launcher", { body: score, headers: { "x-service-method": "setUserScore" } });
  const byPath = () => player.call("setUserScore", { score: 1 });
  await game.fault({ status: 503, match: "POST /launcher/set-user-score" });
  for (const call of [byHeader, byPath]) {
    const answer = await call();
    expectGameError(answer, "Unavailable", "fault");
    expect(answer.headers.get("x-sandbox-fault")).toBe("api");
  }
  expect((await player.call("channelStatus")).status).toBe(200);
  await game.fault({ status: 429, times: 1 });
  expectGameError(await game.call("GET", "/game/activities"), "TooManyRequests", "fault");
  expect((await game.call("GET", "/game/activities")).status).toBe(200);
  await game.fault({ status: 418, match: "/scores", times: 1 });
  const headers = { "x-service-method": "getGameScoresLeaderboard" };
  const teapot = await game.call("POST", "/game/scores", { body: { gameId: LANTERN }, headers });
  expect(teapot.status).toBe(418);
  expect(teapot.body).toMatchObject({ name: "GeneralError", code: 418, data: { success: false } });
  await game.fault({ latency: 150, match: "*set-user-score" });
  const started = performance.now();
  expect((await byHeader()).status).toBe(200);
  expect(performance.now() - started).toBeGreaterThan(140);
});
