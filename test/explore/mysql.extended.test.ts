import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { folderOf } from "../support/cli.ts";
import { hasMariadb } from "../support/mariadb.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { runWarmCli as runCli } from "../support/warm-cli.ts";
import { serveMariadb } from "../trial/mariadb.ts";

const SHOP = fileURLToPath(new URL("../support/mysql/shop.mjs", import.meta.url));

describe.runIf(hasMariadb())("a shop whose state is a MariaDB database", () => {
  const server = serveMariadb();

  /** @param payments the columns of the payments table */
  async function openShop(name: string, payments: string) {
    const state = await server().create(name);
    await server().query(`create table ${name}.payments (${payments})`);
    const start = `exec ${process.execPath} ${SHOP} ${join(server().project, "package.json")}`;
    const port = await portOfItsOwn();
    const cwd = folderOf();
    const explore = async (...options: string[]) => {
      const args = [`http://127.0.0.1:${port}/webhooks`, "--sender", "stripe", "--secret", "whsec_test"];
      const story = ["--story", "subscription-checkout", "--deviations", "1"];
      const ended = await runCli(["explore", ...args, ...story, "--state", state, ...options], { cwd });
      return { ...ended, text: ended.stdout.replaceAll(/\s+/g, " ") };
    };
    const left = () => server().query("show databases like 'sandglass%'");
    return { state, start, port, explore, left };
  }

  it("explore --start finds a payment that two deliveries insert after both have checked that it does not exist", async () => {
    const { start, explore, left } = await openShop(
      "racing",
      "id bigint unsigned auto_increment primary key, event_id varchar(80), amount int",
    );
    const { code, text } = await explore("--start", start);
    expect(text).toContain("Payments has an entry too many.");
    expect(text).toMatch(/a unique index on payments\(event_id\) would refuse the second/);
    expect(code).toBe(1);
    expect(await server().query("select * from racing.payments")).toEqual([]);
    expect(await left()).toEqual([]);
  });

  it("explore --in-place restores the rows, and finds nothing if a unique key rejects a second payment", async () => {
    const { state, port, explore, left, start } = await openShop(
      "unique_keys",
      "id binary(16) default (unhex(replace(uuid(), '-', ''))) primary key, event_id varchar(80) unique, amount int",
    );
    await server().query("insert into unique_keys.payments (event_id, amount) values ('evt_OLD', 7)");
    const shop = spawn("sh", ["-c", start], {
      env: { ...process.env, DATABASE_URL: state, PORT: String(port) },
      stdio: "ignore",
    });
    onTestFinished(() => void shop.kill());
    const { code, text } = await explore("--in-place");
    expect(text).toContain("nothing found");
    expect(code).toBe(0);
    expect(await server().query("select event_id, amount from unique_keys.payments")).toEqual([
      { event_id: "evt_OLD", amount: 7 },
    ]);
    expect(await left()).toEqual([]);
  });
});
