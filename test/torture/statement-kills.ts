import { spawn } from "node:child_process";
import { connect } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { portOfItsOwn } from "../support/ports.ts";
import type { PostgresServer } from "../support/postgres.ts";
import { openDatabase } from "../support/statements/explore.ts";
import { commandOf } from "../support/statements/shop.ts";
import { Finding } from "./finding.ts";
import { sleep } from "./part.ts";

/** A transaction without a statement for so long waits at a point, most of the time. */
const HELD_MS = 8;
const WITHIN_MS = 30_000;
const COPIES = "datname like 'sandglass_trial_%'";

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
 * Kills an exploration while a statement of its server is held, and lets the next one begin.
 * @returns whether a statement was held
 * @throws Finding if anything is left behind, or the user's database is another one
 */
export async function killHeld(server: PostgresServer): Promise<boolean> {
  const [url, port] = [await openDatabase(server, "on-conflict"), await portOfItsOwn()];
  const before = server.dump(url, "none");
  const explore = (budget: string) =>
    spawn(
      process.execPath,
      [
        ...["dist/cli/main.js", "explore", `127.0.0.1:${port}`, "--start", commandOf("on-conflict", "pg")],
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
    const held = await server.query(
      `select 1 from pg_stat_activity where ${COPIES} and state = 'idle in transaction'
       and state_change < clock_timestamp() - interval '${HELD_MS} ms'`,
    );
    return held.length > 0;
  });
  const wasKilled = killed.kill("SIGKILL");
  await end;
  const left = async (what: string, isGone: () => Promise<boolean>) => {
    if (!(await until(isGone))) throw new Finding(`A killed exploration leaves ${what}.`, [url]);
  };
  await left("its server", async () => !(await answers(port)));
  await left(
    "connections to its copy",
    async () => (await server.query(`select 1 from pg_stat_activity where ${COPIES}`)).length === 0,
  );
  // The next command of that database drops the copy.
  await ended(explore("1s"));
  await left(
    "a copy of the database",
    async () => (await server.query(`select 1 from pg_database where ${COPIES}`)).length === 0,
  );
  if (!isDeepStrictEqual(server.dump(url, "none"), before))
    throw new Finding("A killed exploration changed the user's database.", [url]);
  return isHeld && wasKilled;
}
