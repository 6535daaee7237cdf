import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { folderOf, runCli } from "../support/cli.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { checkGithub, startAcme, startGithub } from "./evidence.ts";
import { SECRET } from "./support/start.ts";
import { verdictsOf } from "./support/try.ts";

describe("a handler that catches its own exceptions and returns 200", () => {
  test.each(["a database", "a command", "an inbox"])(
    "check warns if the state read from %s does not change",
    async (kind) => {
      const { url, sender } = await startAcme(() => 200);
      const file = join(folderOf(), "shop.db");
      new Database(file).exec("create table orders (id text primary key)").close();
      const states: Record<string, string> = { "a database": `sqlite:${file}`, "a command": "echo '{}'" };
      const inbox = { state: "inbox:mails", apiPort: await portOfItsOwn() };
      const config = { subject: states[kind] ? { state: states[kind], inPlace: true } : inbox };
      const cwd = folderOf({ "sandbox.config.json": JSON.stringify(config) });
      const args = ["--sender", sender, "--events", "order.paid", "--secret", SECRET, "--only", "unicode"];
      const { code, stdout } = await runCli(["check", url, ...args, "--json"], { cwd });
      expect([code, verdictsOf(JSON.parse(stdout))]).toEqual([
        0,
        { warn: ["valid-event"], unknown: ["unicode"] },
      ]);
    },
  );
});

describe("a handler that acts on only some event types", () => {
  test("check warns and lists every event type that it tried if none changes the state", async () => {
    const report = await checkGithub(await startGithub("star"));
    expect(verdictsOf(report)).toEqual({ warn: ["valid-event"], unknown: ["extra-fields", "duplicate"] });
    expect(report.hazards[0]!.summary).toBe(
      "Nothing changed in the state: your server returned 200 to every valid event.",
    );
  });
});
