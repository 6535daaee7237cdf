import { createServer } from "node:net";

/** Below what systems give to connections and to servers that ask for any port: no other test gets one of these. */
const FIRST = 20_000;
const LAST = 32_000;

/** A port that is free now, beginning at a place that differs from process to process. */
export async function portOfItsOwn(): Promise<number> {
  const span = LAST - FIRST;
  for (let step = 0; step < span; step += 1) {
    const port = FIRST + ((process.pid * 7 + step) % span);
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
