import { readFileSync, writeFileSync } from "node:fs";
import { Chance } from "../chance.ts";
import { sleep } from "../part.ts";
import { Server } from "../server.ts";
import type { RawRequest } from "./draft.ts";
import { problemWith } from "./judge.ts";
import { Room, send } from "./room.ts";
import { shrink } from "./shrink.ts";
import { Wire } from "./wire.ts";

export const SERVER_FLAGS = ["--paused", "--rate-limit", "off"];
/**
 * A limit of four times what these worlds take according to measurements, so exceeding it indicates a leak rather than
 * garbage.
 */
export const SETTING = { heapMegabytes: 256 };
/** How long to search for a smaller history. */
const SHRINK_MS = 90_000;
/** A message on stderr may arrive after the response. */
const SETTLE_MS = 50;

/** The requests to one world, in order, as stored in a file. */
interface Saved {
  room: string;
  requests: (Omit<RawRequest, "bytes"> & { bytes: string })[];
}

/** Sends histories to fresh worlds on one server, which is restarted if it fails. */
class Replayer {
  #server: Server | undefined;

  /** Returns the first problem that occurs. */
  async run(room: string, history: readonly RawRequest[]): Promise<string | undefined> {
    this.#server ??= await new Server(SERVER_FLAGS, SETTING).ready();
    const server = this.#server;
    await new Room({ name: room, clients: 1, server, operations: [], chance: new Chance("") }).open();
    const wire = new Wire(server.port);
    for (const request of history) {
      const problem = problemWith(request, await send(wire, request));
      if (problem !== undefined) return problem;
      if (!server.alive || server.stderr !== "") break;
    }
    wire.close();
    await sleep(SETTLE_MS);
    if (server.alive && server.stderr === "") return undefined;
    await this.close();
    return `stderr: ${server.stderr}`;
  }

  async close(): Promise<void> {
    await this.#server?.kill();
    this.#server = undefined;
  }
}

/** Finds the smallest part of a history that still fails, and writes it to a file. Returns a description in lines. */
export async function reduce(room: string, history: readonly RawRequest[], file: string): Promise<string[]> {
  const replayer = new Replayer();
  const fails = async (part: readonly RawRequest[]) => (await replayer.run(room, part)) !== undefined;
  const again = await fails(history);
  const until = performance.now() + SHRINK_MS;
  const smallest = again ? await shrink(history, fails, until) : history.slice(-20);
  await replayer.close();
  const saved: Saved = {
    room,
    requests: smallest.map((request) => ({ ...request, bytes: request.bytes.toString("base64") })),
  };
  writeFileSync(file, JSON.stringify(saved, null, 1));
  return [
    again
      ? `It takes ${smallest.length} request(s), sent to a fresh world one after another:`
      : "It did not show when sent one after another; the last requests of that world were:",
    ...smallest.map(({ bytes }) => `  ${JSON.stringify(bytes.toString("latin1").slice(0, 1_500))}`),
    `npm run torture -- requests --replay ${file}`,
  ];
}

export async function replayFile(file: string): Promise<string | undefined> {
  const { room, requests } = JSON.parse(readFileSync(file, "utf8")) as Saved;
  const history = requests.map((request) => ({ ...request, bytes: Buffer.from(request.bytes, "base64") }));
  const replayer = new Replayer();
  const problem = await replayer.run(room, history);
  await replayer.close();
  return problem;
}
