import { afterAll, beforeAll, vi } from "vitest";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";

/** Starts a Postgres server for the tests of a group, which run in the folder of a project with pg. @returns what returns it */
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
