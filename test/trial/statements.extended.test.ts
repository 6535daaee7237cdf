import { describe, expect, it } from "vitest";
import { hasPostgres } from "../support/postgres.ts";
import { ONCE, servePostgres, UNDONE } from "./statements.ts";

describe.runIf(hasPostgres())("the statements of a started server", () => {
  const { openShop } = servePostgres();

  it.each([
    [
      "finds a server that crashes on a lost connection because its client has no error listener",
      ONCE.replaceAll("transaction(", "unheard("),
      1,
      ["The server stops when its database connection is lost.", "a client of pg without an error listener"],
    ],
  ])("explore %s", async (_title, body, code, words) => {
    const trying = await openShop();
    const result = await trying(body, "explore");
    for (const one of words) expect(result.stdout.replace(/\s+/g, " "), result.stderr).toContain(one);
    expect(result.code).toBe(code);
  });
  it("explore --all reports a failed statement followed by a 2xx response separately from a crash that leaves the same rows", async () => {
    const body = `const { rowCount } = await query("insert into events values ($1) on conflict do nothing", [id]);
      if (rowCount > 0) await query(PAY, [order]).catch(() => undefined);`;
    const { code, stdout } = await (await openShop())(body, "explore", "--all");
    const text = stdout.replace(/\s+/g, " ");
    expect(text.match(/The server is killed before statement 2/g)).toHaveLength(1);
    expect(text.match(/responds with 2xx although a statement failed/g)).toHaveLength(1);
    expect(text.match(/order\.paid is missing from orders/gi)).toHaveLength(2);
    expect(code).toBe(1);
  });

  it("sandglass run replays a finding at its statement, even if the statement's number changed", async () => {
    const trying = await openShop();
    const found = await trying(UNDONE, "explore");
    expect(found.stdout).toMatch(/-- the server is killed --\n +insert into orders .* not done\n/);
    const [, name] = /npx sandglass run (\S+)/.exec(found.stdout)!;
    const again = await trying(`await query("select 1"); ${UNDONE}`, "run", name!);
    expect(again.stdout).toMatch(/^failed .*crash@1.2/);
    expect(again.stdout).toContain("the server is killed before statement 3");
    expect((await trying(ONCE, "run", name!)).code).toBe(0);
  });

  it.each([
    [
      "check sends the second copy before the commit of a statement that checks and inserts",
      "duplicate-at-once",
      'await query("insert into seen select $1::text where not exists (select from seen where id = $1)", [id]);',
      "1",
    ],
  ])("%s", async (_title, hazard, body, instances) => {
    const trying = await openShop();
    const { code, stdout } = await trying(body, "check", "--only", hazard, "--instances", instances);
    expect(stdout).toMatch(new RegExp(`fail +${hazard} .*was handled twice`));
    expect(code).toBe(1);
  });
  it.each([
    [
      "reports a server that changes its own database",
      `globalThis.own ??= new Pool({ connectionString: JSON.parse(read("sandbox.config.json")).subject.state });
      await own.query(PAY, [order]);`,
      "itself, which was restored",
    ],
    [
      "prints the output of a server that executed no statement because its pool is lazy",
      `console.error("No customer in the metadata");`,
      "your server returned 200 to order.paid and made no statement, and printed: No customer in the metadata.",
    ],
    [
      "reports a server that insists on TLS",
      `await new (pool.constructor)({ connectionString: process.env.DATABASE_URL.replace("disable", "require") }).query("select 1");`,
      "The server insists on TLS for its database.",
    ],
  ])("explore %s", async (_title, body, words) => {
    const { code, stderr } = await (await openShop())(body, "explore");
    expect(stderr).toMatch(words);
    expect(code).toBe(3);
  });
  it("check accepts a server whose pool connects at its first query", async () => {
    const { code, stdout } = await (await openShop())(ONCE, "check", "--only", "duplicate");
    expect([code, stdout]).toEqual([0, expect.stringContaining("handled once")]);
  });
});
