import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { openLocalStatements } from "../../src/trial/statements/local.ts";

test("a server killed with an unread response closes only its own connection", async () => {
  const statements = await openLocalStatements(true, undefined);
  onTestFinished(statements.close);
  const [port, token] = statements.env.SANDGLASS_STATEMENTS!.split(" ");
  const open = async () => {
    const line = connect(Number(port), "127.0.0.1");
    await once(line, "connect");
    line.write(`${token}\n`);
    return line;
  };
  const killed = await open();
  killed.write(`${JSON.stringify({ sql: "select 1" })}\n`);
  await once(killed, "readable");
  // Reset the connection, as the system does for a killed process.
  killed.resetAndDestroy();
  const next = await open();
  onTestFinished(() => void next.destroy());
  next.write(`${JSON.stringify({ sql: "select 2" })}\n`);
  const [answer] = await once(next, "data");
  expect([...answer]).toEqual([1]);
});

/** Inserts a row for each line that it reads, and prints the number of rows. */
const SERVER = `
  const db = new (process.getBuiltinModule("node:sqlite").DatabaseSync)(":memory:");
  db.exec("create table handled (id integer)");
  process.stdin.on("data", () => {
    db.prepare("insert into handled values (1)").run();
    console.log(db.prepare("select count(*) as n from handled").get().n);
  });`;

test("a server that outlives its trial executes its statements without waiting", async () => {
  const statements = await openLocalStatements(true, undefined);
  const env = { ...process.env, ...statements.env };
  const server = spawn(process.execPath, ["-e", SERVER], { env, stdio: ["pipe", "pipe", "ignore"] });
  onTestFinished(() => void server.kill("SIGKILL"));
  const insert = async () => {
    server.stdin.write("\n");
    return Number(await Promise.race([once(server.stdout, "data"), once(server, "exit")]));
  };
  expect(await insert()).toBe(1);
  await statements.close();
  expect([await insert(), await insert()]).toEqual([2, 3]);
});
