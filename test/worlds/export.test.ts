import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folderOf } from "../support/cli.ts";
import { type Json, startSandbox, type TestSandbox } from "../support/sandbox.ts";

/** Writes what a world exports to a folder, and starts a sandbox with that. */
async function startFrom(exported: Json): Promise<TestSandbox> {
  const folder = folderOf({ "world.json": JSON.stringify(exported) });
  return startSandbox({ seed: undefined as never, from: folder });
}

const exportOf = async (sandbox: Pick<TestSandbox, "control">): Promise<Json> => {
  const { status, body } = await sandbox.control("GET", "/export");
  expect(status).toBe(200);
  return body;
};

/** Everything that the APIs list of a world. */
async function listed(sandbox: TestSandbox): Promise<Json> {
  const all: Json = {};
  for (const name of [
    "payment-links",
    "products",
    "checkout-sessions",
    "transactions",
    "customers",
    "discount-codes",
    "webhooks",
    "api-keys",
  ]) {
    const rows: Json[] = [];
    for (let page = 1; ; page += 1) {
      const { body } = await sandbox.api("GET", `/${name}?limit=100&page=${page}`);
      rows.push(...body.data);
      if (!body.has_more) break;
    }
    all[name] = rows;
  }
  all.organization = (await sandbox.api("GET", "/organization")).body;
  all.notifications = (await sandbox.api("GET", "/notifications")).body;
  for (const name of ["games", "players", "channels", "rules"])
    all[name] = (await sandbox.control("GET", `/game/${name}`)).body.data;
  all.addresses = (await sandbox.control("GET", "/data/addresses")).body.data.filter(
    ({ source }: Json) => source === "set",
  );
  return JSON.parse(JSON.stringify(all).replaceAll(sandbox.url, "http://sandbox"));
}

describe("a world that begins with what another exported", () => {
  test("is equal: the default seed", { timeout: 60_000 }, async () => {
    const sandbox = await startSandbox({ seed: "sandglass", clock: { mode: "paused" } });
    const exported = await exportOf(sandbox);
    const again = await startFrom(exported);
    const second = await exportOf(again);
    for (const kind of Object.keys(exported))
      if (Array.isArray(exported[kind]))
        for (const [i, row] of exported[kind].entries())
          expect(JSON.stringify(second[kind]?.[i]), kind).toBe(JSON.stringify(row));
    expect(JSON.stringify(second)).toBe(JSON.stringify(exported));
    const [before, after] = [await listed(sandbox), await listed(again)];
    for (const name of Object.keys(before)) expect(after[name], name).toEqual(before[name]);
  });
});
void writeFileSync;
void join;
