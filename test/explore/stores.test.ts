import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { folderOf } from "../support/cli.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { runWarmCli } from "../support/warm-cli.ts";
import { exploreStore, storeServer } from "./stores.ts";

/** A request as supabase-js sends it. */
const CALL = `
const call = async (method, path, body, prefer) => {
  const headers = { "content-type": "application/json", ...(prefer && { prefer }) };
  const answer = await fetch(process.env.SUPABASE_URL + "/rest/v1/" + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!answer.ok) throw new Error(await answer.text());
  return method === "GET" ? answer.json() : undefined;
};`;

describe.runIf(hasPostgres())("a server whose rows are behind an HTTP API", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.close());

  it("explore interrupts a server between calls to its store, and the finding shows the calls like statements", async () => {
    const { code, text } = await exploreStore(server, "claims_first", {
      files: {
        "server.mjs": storeServer(
          CALL,
          `const isNew = await call("POST", "payments", { id, amount }).then(() => true, (error) => {
            if (!error.message.includes("23505")) throw error;
            return false;
          });
          if (!isNew) return;
          await call("POST", "rpc/add", { account: order, amount });`,
        ),
      },
      story: "payment",
    });
    expect(text).toContain("POST payments {id, amount}");
    expect(text).toContain("POST rpc/add {account, amount}");
    expect(text).toMatch(/profiles\.ord_1\.credits expected 2600, got 100/);
    expect(code).toBe(1);
  });

  it("explore finds nothing wrong if one call backed by a unique index does all of the work", async () => {
    const { code, text } = await exploreStore(server, "claims", {
      files: {
        "server.mjs": storeServer(
          CALL,
          `await call("POST", "payments?on_conflict=id", { id, amount }, "resolution=ignore-duplicates");`,
        ),
      },
      story: "payment",
    });
    expect([code, text]).toEqual([0, expect.stringContaining("No difference with up to 1 deviation")]);
  });
});

it("explore rejects a gate whose variable is not set or points to another machine", async () => {
  const config = { subject: { start: "node server.mjs", state: "effects", gate: ["SUPABASE_URL"] } };
  const cwd = folderOf({ "sandbox.config.json": JSON.stringify(config) });
  const url = `http://127.0.0.1:${await portOfItsOwn()}/webhooks`;
  const run = (env: Record<string, string>) =>
    runWarmCli(["explore", url, "--secret", "whsec_test"], { cwd, env });
  expect((await run({})).stderr).toContain("subject.gate lists SUPABASE_URL, but that variable is not set");
  expect((await run({ SUPABASE_URL: "https://abc.supabase.co" })).stderr).toContain(
    "is not the address of a store on this machine: abc.supabase.co.",
  );
});
