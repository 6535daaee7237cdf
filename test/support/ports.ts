import { createServer, type Server } from "node:net";
import { isFree } from "../../src/runtime/free-port.ts";

/** The ranges start below the ports that systems assign to connections and to servers that ask for any port. */
const FIRST = 20_000;
const LAST = 32_000;

/**
 * The number of ports for each process. A restarting server briefly releases its port, which another process could
 * otherwise take.
 */
const SPAN = 240;
const PARTS = (LAST - FIRST) / SPAN;

/**
 * The first port in this process's range. No other process on this machine uses the range, not even in another test
 * run.
 */
let claimed: Promise<number> | undefined;
let next = 0;

/** A port that is currently free and that no other test gets. */
export async function portOfItsOwn(): Promise<number> {
  claimed ??= claimPart();
  const first = await claimed;
  for (let tries = 0; tries < SPAN - 1; tries += 1) {
    const port = first + next;
    next = (next + 1) % (SPAN - 1);
    if (await isFree(port, "127.0.0.1")) return port;
  }
  throw new Error(`No port is free from ${first} to ${first + SPAN}.`);
}

/** Claims a range for the lifetime of this process by listening on the last port in it. */
async function claimPart(): Promise<number> {
  for (let tries = 0; tries < PARTS; tries += 1) {
    const first = FIRST + ((process.pid + tries) % PARTS) * SPAN;
    if (await listens(createServer().unref(), first + SPAN - 1)) return first;
  }
  throw new Error(`Every part of the ports from ${FIRST} to ${LAST} is taken by another process.`);
}

const listens = (server: Server, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => resolve(true));
  });
