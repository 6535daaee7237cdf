import type { Served } from "../../src/server/serve.ts";
import { portOfItsOwn } from "./ports.ts";

/** The port of this worker's pages, once there are any. */
let pagePort: Promise<number> | undefined;
let isTaken = false;

/**
 * From now on, one sandbox after the other listens at the same port. To the browser they are one origin, so it loads
 * and compiles the page's files once: half of what it costs to open the page.
 */
export function sharePagePort(): void {
  pagePort ??= portOfItsOwn();
}

/** Serves a sandbox at the port of this worker's pages, or at any free one where another is served there. */
export async function atPagePort(serve: (port: number) => Promise<Served>): Promise<Served> {
  if (!pagePort || isTaken) return serve(0);
  isTaken = true;
  const free = () => {
    isTaken = false;
  };
  const port = await pagePort;
  try {
    const served = await serve(port);
    return { ...served, close: () => served.close().finally(free) };
  } catch (error) {
    free();
    // Another process may have been given it since.
    if ((error as { code?: string }).code !== "port_taken") throw error;
    return serve(0);
  }
}
