import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { folderOf, runCli } from "../support/cli.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { startAcme } from "./evidence.ts";
import { SECRET, startReceiver } from "./support/start.ts";
import { verdictsOf } from "./support/try.ts";

describe("a handler that catches its own exceptions and answers 200", () => {
  const _only = ["wrong-signature", "extra-fields", "unicode", "split-character"];

  test.each(["a database", "a command", "an inbox"])("did nothing that can be seen in %s", async (kind) => {
    const { url, sender } = await startAcme(() => 200);
    const file = join(folderOf(), "shop.db");
    new Database(file).exec("create table orders (id text primary key)").close();
    const states: Record<string, string> = { "a database": `sqlite:${file}`, "a command": "echo '{}'" };
    const inbox = { state: "inbox:mails", apiPort: await portOfItsOwn() };
    const config = { subject: states[kind] ? { state: states[kind] } : inbox };
    const cwd = folderOf({ "sandbox.config.json": JSON.stringify(config) });
    const args = ["--sender", sender, "--events", "order.paid", "--secret", SECRET, "--only", "unicode"];
    const { code, stdout } = await runCli(["check", url, ...args, "--json"], { cwd });
    expect([code, verdictsOf(JSON.parse(stdout))]).toEqual([
      0,
      { warn: ["valid-event"], unknown: ["unicode"] },
    ]);
  });
});

describe("a handler that acts on some types", () => {
  /** Acts on one type of GitHub's events. */
  async function startGithub(acted: string) {
    let handled = 0;
    const seen = new Set<unknown>();
    return startReceiver(async (request, response) => {
      if (request.url === "/state") return void response.end(JSON.stringify({ handled }));
      await request.toArray();
      const { "x-github-event": type, "x-github-delivery": id } = request.headers;
      if (type === acted && !seen.has(id)) handled += 1;
      seen.add(id);
      response.writeHead(200).end();
    });
  }
  const run = ({ url, stateUrl }: { url: string; stateUrl: string }) =>
    check({
      subscriber: url,
      sender: "github",
      events: "ping,push,issues",
      secret: SECRET,
      state: stateUrl,
      only: ["duplicate", "extra-fields"],
    });

  test("gets a warning with every type that was tried if none changes the state", async () => {
    const report = await run(await startGithub("star"));
    expect(verdictsOf(report)).toEqual({ warn: ["valid-event"], unknown: ["extra-fields", "duplicate"] });
    expect(report.hazards[0]!.summary).toBe(
      "Nothing changed in the state: your server answered 200 to every valid event.",
    );
  });
});
