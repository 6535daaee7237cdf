import { createServer } from "node:net";

const NEARBY = 50;
const LAST_PORT = 65_535;

export function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

/** Finds the first free port above one that is already taken; undefined if the next ports are taken, too. */
export async function nextFree(taken: number, host: string): Promise<number | undefined> {
  for (let port = taken + 1; port <= Math.min(LAST_PORT, taken + NEARBY); port++)
    if (await isFree(port, host)) return port;
  return undefined;
}
