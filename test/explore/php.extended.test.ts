import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runBuiltCli as runCli } from "../support/built.ts";
import { folderOf } from "../support/cli.ts";
import { hasMariadb } from "../support/mariadb.ts";
import { portOfItsOwn } from "../support/ports.ts";

import { serveMariadb } from "../trial/mariadb.ts";

const HANDLER = fileURLToPath(new URL("../support/mysql/stripe.php", import.meta.url));
const hasPhp = /^pdo_mysql$/m.test(String(spawnSync("php", ["-m"]).stdout));

describe.runIf(hasMariadb() && hasPhp)("a plain PHP handler with PDO", () => {
  const server = serveMariadb();

  it("init finds a PHP handler and a database configured in parts, and sandglass test finds a payment recorded twice", async () => {
    await server().create("php_shop");
    await server().query(
      "create table php_shop.payments (id int auto_increment primary key, event_id varchar(80), amount int)",
    );
    const cwd = folderOf({
      "composer.json": '{ "require": { "ext-pdo_mysql": "*" } }',
      ".env": `DB_CONNECTION=mysql\nDB_HOST=127.0.0.1\nDB_PORT=${new URL(server().url).port}\nDB_DATABASE=php_shop\nDB_USERNAME=shop\nDB_PASSWORD=secret\n`,
    });
    mkdirSync(`${cwd}/public/webhooks`, { recursive: true });
    copyFileSync(HANDLER, `${cwd}/public/webhooks/stripe.php`);
    const init = await runCli(["init", "--yes", "--port", String(await portOfItsOwn())], { cwd });
    const text = init.stdout.replaceAll(/\s+/g, " ");
    expect(text).toMatch(
      /address http:\S+\/webhooks\/stripe\.php seen: it returned 400 to a wrong signature/,
    );
    expect(text).toMatch(/secret STRIPE_WEBHOOK_SECRET seen: a signed event is accepted with it/);
    const config = readFileSync(`${cwd}/sandbox.config.mjs`, "utf8");
    expect(config).toContain(
      'databaseEnv: ["DB_HOST", "DB_PORT", "DB_USERNAME", "DB_PASSWORD", "DB_DATABASE"]',
    );
    const test = await runCli(["test"], { cwd });
    expect(test.stdout.replaceAll(/\s+/g, " ")).toMatch(
      /Payments has an entry too many\..*Both deliveries checked before either inserted: a unique index on payments\(event_id\)/,
    );
    expect(test.code).toBe(1);
    expect(await server().query("select * from php_shop.payments")).toEqual([]);
  });
});
