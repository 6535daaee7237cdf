import { afterAll, beforeAll, vi } from "vitest";
import { type MariadbServer, startMariadb } from "../support/mariadb.ts";

/**
 * Starts a MariaDB server for a group of tests, which run in the folder of a project with mysql2.
 * @returns a function that returns the server
 */
export function serveMariadb(): () => MariadbServer {
  let server: MariadbServer;
  beforeAll(async () => {
    server = await startMariadb();
    vi.spyOn(process, "cwd").mockReturnValue(server.project);
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await server.close();
  });
  return () => server;
}
