import type { Served } from "../../src/server/serve.ts";
import { portOfItsOwn } from "./ports.ts";

/** The port for this worker's pages; undefined until it has been chosen. */
let pagePort: Promise<number> | undefined;
let isTaken = false;

/**
 * From now on, sandboxes listen on the same port, one after the other. To the browser they have the same origin, so it
 * loads and compiles the page's files only once, which saves half the cost of opening the page.
 */
export function sharePagePort(): void {
  pagePort ??= portOfItsOwn();
}

/** Serves a sandbox on the port for this worker's pages, or on any free port if another sandbox is using that one. */
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
    // Another process may have been given the port in the meantime.
    if ((error as { code?: string }).code !== "port_taken") throw error;
    return serve(0);
  }
}
