import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { openLocalStatements } from "../../src/trial/statements/local.ts";

test("a server that is killed with an answer unread ends nothing but its own line", async () => {
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
  // As the system does for a killed process.
  killed.resetAndDestroy();
  const next = await open();
  onTestFinished(() => void next.destroy());
  next.write(`${JSON.stringify({ sql: "select 2" })}\n`);
  const [answer] = await once(next, "data");
  expect([...answer]).toEqual([1]);
});
