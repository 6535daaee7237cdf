import { createServer } from "node:net";

/** Below what systems give to connections and to servers that ask for any port: no other test gets one of these. */
const FIRST = 20_000;
const LAST = 32_000;

/** Each worker has a part of its own: a server that is restarted leaves its port for a moment, in which another would find it free. */
const SPAN = 750;
const PARTS = (LAST - FIRST) / SPAN;
const PART = FIRST + (Number(process.env.VITEST_POOL_ID ?? 0) % PARTS) * SPAN;

/** Where this process looks next in its part: not where the last run did. */
let next = (process.pid * 37) % SPAN;

/** A port that is free now, and that no other test is given. */
export async function portOfItsOwn(): Promise<number> {
  for (let tries = 0; tries < SPAN; tries += 1) {
    const port = PART + next;
    next = (next + 1) % SPAN;
    if (await isFree(port)) return port;
  }
  throw new Error(`No port is free from ${PART} to ${PART + SPAN}.`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
