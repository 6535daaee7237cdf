import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resolveConfig } from "../../src/config/config.ts";
import { gameArea } from "../../src/game/area.ts";
import { serve } from "../../src/server/serve.ts";
import {
  type Call,
  compareRates,
  type Figure,
  type MeasuredProgram,
  pathOf,
  startMeasured,
} from "./harness.ts";

const CLI = pathOf("../../dist/cli/main.js");
const BARE = pathOf("./bare-game.mjs");
const PLAYERS = 10_000;
const MESSAGES = 2_000;
const GAME = "6f1d2a7c40b8e35912cd7e04";

/** The leaderboard, a page of messages and a state, each against a bare route with the same queries. */
export async function game(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "sandglass-bench-"));
  const { token: launcherJwt, channelId } = await prepare(folder);
  const kept = await startMeasured([
    CLI,
    "start",
    "--port",
    "0",
    "--quiet",
    "--paused",
    "--data-dir",
    folder,
  ]);
  const inMemory = await startMeasured([CLI, "start", "--port", "0", "--quiet", "--paused"]);
  const bare = await startMeasured([BARE, String(PLAYERS), String(MESSAGES)]);
  const minted = await fetch(`${inMemory.url}/_sandbox/game/tokens`, { method: "POST" });
  const { token } = (await minted.json()) as { token: string };

  const page = { limit: 100, skip: 0 };
  const cells = Array.from({ length: 2_600 }, (_, cell) => cell % 1_000);
  const state = JSON.stringify({ cells });
  const cases: [name: string, program: MeasuredProgram, ours: Call, bare: Call][] = [
    [
      "a leaderboard of 100 of 10,000 scores",
      kept,
      post("/game/scores", { gameId: GAME, ...page }, { "x-service-method": "getGameScoresLeaderboard" }),
      post("/scores", { gameId: GAME, ...page }),
    ],
    [
      "a page of 100 messages",
      kept,
      post("/game/launcher/get-channel-messages", { launcherJwt, channelId, ...page }),
      post("/messages", { channelId: "channel", ...page }),
    ],
    [
      "set-state of 10 KB",
      inMemory,
      post("/game/launcher/set-state", { launcherJwt: token, state, label: "bench" }),
      post("/state", { launcherJwt: token, state, label: "bench" }),
    ],
  ];
  const figures: Figure[] = [];
  for (const [name, program, ours, theirs] of cases)
    figures.push({
      name: `${name}, of a bare Fastify route with the same queries`,
      ...(await compareRates([program, ours], [bare, theirs])),
      limit: { least: 0.5 },
    });
  for (const program of [kept, inMemory, bare]) await program.stop();
  rmSync(folder, { recursive: true });
  return figures;
}

function post(path: string, body: object, headers: Record<string, string> = {}): Call {
  const sent = JSON.stringify(body);
  return {
    method: "POST",
    path,
    headers: { "content-type": "application/json", ...headers },
    body: () => sent,
  };
}

/** Fills a data folder with players, their scores and a busy channel. */
async function prepare(dataDir: string): Promise<{ token: string; channelId: string }> {
  const { sandbox, close } = await serve(
    resolveConfig({ port: 0, seed: "empty", dataDir, clock: { mode: "paused" } }, 0),
  );
  const { world } = sandbox;
  const launcher = sandbox.part(gameArea);
  const lantern = launcher.games.get(GAME);
  world.store.transaction(() => {
    for (let index = 0; index < PLAYERS; index += 1) {
      const player = launcher.players.join(`0x${String(index).padStart(40, "0")}`);
      launcher.scores.set({ player, game: lantern }, (index * 7_919) % PLAYERS, "run-1");
    }
  });
  const { token } = await sandbox.game.token({ player: `0x${"1".padStart(40, "0")}` });
  const player = launcher.players.byAddress(`0x${"1".padStart(40, "0")}`)!;
  const channel = launcher.channels.own(player, lantern);
  world.store.transaction(() => {
    for (let index = 0; index < MESSAGES; index += 1)
      launcher.messages.send({ player, game: lantern }, channel.id, `message number ${index} of the bench`);
  });
  await close();
  return { token, channelId: channel.id };
}
