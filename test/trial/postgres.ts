import { afterAll, beforeAll, vi } from "vitest";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";

/**
 * Starts a Postgres server for a group of tests, which run in the folder of a project with pg.
 * @returns a function that returns the server
 */
export function servePostgres(): () => PostgresServer {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
    vi.spyOn(process, "cwd").mockReturnValue(server.project);
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await server.close();
  });
  return () => server;
}
