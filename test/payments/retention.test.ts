import { expect, test } from "vitest";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { countRows } from "../torture/invariants.ts";

/** The number of rows in a table of the world's database, counted in a snapshot. */
async function rowsIn({ url, control }: TestSandbox, table: string): Promise<number> {
  await control("POST", "/snapshots", { name: "now" });
  const response = await fetch(`${url}/_sandbox/snapshots/now/download`);
  return countRows(new Uint8Array(await response.arrayBuffer()), table);
}

test("responses stored under an Idempotency-Key are removed after they expire", async () => {
  const sandbox = await startSandbox();
  const create = (key: string) =>
    sandbox.api("POST", "/payment-links", {
      body: { name: "Tea", amount: "1" },
      headers: { "idempotency-key": key },
    });
  const first = (await create("a")).body;
  await sandbox.advance("20h");
  await create("b");
  expect((await create("a")).body).toEqual(first);
  expect(await rowsIn(sandbox, "idempotency_keys")).toBe(2);
  await sandbox.advance("5h");
  await create("c");
  expect(await rowsIn(sandbox, "idempotency_keys")).toBe(2);
});

test("audit events are removed after 90 days, whether or not the trail is read", async () => {
  const sandbox = await startSandbox();
  await sandbox.createLink();
  await sandbox.advance("89d");
  await sandbox.createLink();
  expect(await rowsIn(sandbox, "audit_events")).toBe(2);
  await sandbox.advance("2d");
  await sandbox.createLink();
  expect(await rowsIn(sandbox, "audit_events")).toBe(2);
});
