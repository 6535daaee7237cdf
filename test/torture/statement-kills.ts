import { spawn } from "node:child_process";
import { connect } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { portOfItsOwn } from "../support/ports.ts";
import { Finding } from "./finding.ts";
import { sleep } from "./part.ts";
import type { TortureServer } from "./statement-databases.ts";

/** If a transaction has had no statement for this long, the exploration has most likely paused it. */
const HELD_MS = 8;
const WITHIN_MS = 30_000;

async function until(holds: () => Promise<boolean>): Promise<boolean> {
  for (const end = performance.now() + WITHIN_MS; performance.now() < end; await sleep(2))
    if (await holds()) return true;
  return false;
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
    socket.once("close", () => undefined).once("connect", () => socket.destroy());
  });

/**
 * Kills an exploration while a statement of its server is paused, and lets the next exploration start.
 * @returns whether a statement was paused
 * @throws Finding if anything is left behind, or the user's database has changed
 */
export async function killHeld(server: TortureServer): Promise<boolean> {
  const { has, queries } = server;
  const [{ url, start }, port] = [await server.openDatabase(), await portOfItsOwn()];
  const before = server.dump(url);
  const explore = (budget: string) =>
    spawn(
      process.execPath,
      [
        ...["dist/cli/main.js", "explore", `127.0.0.1:${port}`, "--start", start],
        ...["--state", url, "--secret", "whsec_test", "--sender", "polar", "--events", "order.paid"],
        ...["--deviations", "1", "--budget", budget],
      ],
      { stdio: "ignore" },
    );
  const ended = (child: ReturnType<typeof explore>) =>
    new Promise((resolve) => child.once("exit", resolve).once("error", resolve));
  const killed = explore("5m");
  const end = ended(killed);
  const isHeld = await until(async () => {
    if (killed.exitCode !== null) return true;
    return server.isHeld(HELD_MS);
  });
  const wasKilled = killed.kill("SIGKILL");
  await end;
  const left = async (what: string, isGone: () => Promise<boolean>) => {
    if (!(await until(isGone))) throw new Finding(`A killed exploration leaves ${what}.`, [url]);
  };
  await left("its server", async () => !(await answers(port)));
  await left("connections to its copy", async () => !(await has(queries.connections)));
  // The next command that uses the database drops the copy.
  await ended(explore("1s"));
  await left("a copy of the database", async () => !(await has(queries.copies)));
  if (!isDeepStrictEqual(server.dump(url), before))
    throw new Finding("A killed exploration changed the user's database.", [url]);
  return isHeld && wasKilled;
}
