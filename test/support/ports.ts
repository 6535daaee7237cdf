import { createServer } from "node:net";

/** Below what systems give to connections and to servers that ask for any port: no other test gets one of these. */
const FIRST = 20_000;
const LAST = 32_000;

const SPAN = LAST - FIRST;

/** Where this process looks next: its own part of the ports, in which it takes none twice. */
let next = (process.pid * 37) % SPAN;

/** A port that is free now, and that no other test is given. */
export async function portOfItsOwn(): Promise<number> {
  for (let tries = 0; tries < SPAN; tries += 1) {
    const port = FIRST + next;
    next = (next + 1) % SPAN;
    if (await isFree(port)) return port;
  }
  throw new Error(`No port is free from ${FIRST} to ${LAST}.`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
