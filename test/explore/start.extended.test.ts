import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startCli } from "../support/built.ts";
import { configured, folderOf } from "../support/cli.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { runWarmCli as runCli } from "../support/warm-cli.ts";
import { checkShop, exploreIn, exploreShop, isOpen, ONE_EVENT, shop } from "./start.ts";
import { stubborn, type Way } from "./stubborn.ts";

/** Replays a finding in a folder against a shop that the command starts. */
async function runIn(cwd: string, handle: string, finding: string) {
  writeFileSync(join(cwd, "shop.mjs"), shop(handle));
  const url = `http://127.0.0.1:${await portOfItsOwn()}/webhooks`;
  const server = ["--start", "node shop.mjs", "--state", "sqlite:shop.db", "--secret", "whsec_test"];
  return runCli(["run", finding, "--subscriber", url, ...server], { cwd });
}

describe("a server that explore starts", () => {
  it("explore and check compare the e-mails that a server sends to an inbox", async () => {
    // On a busy machine, the server is killed before it has sent the mail. A handler that continued without the mail
    // would then cause a different finding first.
    const mail = `const sent = await fetch(process.env.SANDGLASS_URL + "/_sandbox/inbox/mails", {
      method: "POST", body: JSON.stringify({ to: order }) });
      if (!sent.ok) throw new Error("The mail was not sent.");`;
    const { code, text } = await exploreShop(mail, "--state", "inbox:mails", ...ONE_EVENT);
    expect([code, text]).toEqual([1, expect.stringContaining("Mails has an entry too many")]);
    expect(text).toContain("The server makes 1 call outside: push 1.");
    expect(text).not.toContain("statement at its database");

    const right = await checkShop(`if (!seen.has(key)) { seen.add(key); ${mail} }`);
    expect([right.code, right.stdout]).toEqual([0, expect.stringContaining("handled once")]);
    const wrong = await checkShop(mail);
    expect([wrong.code, wrong.stdout]).toEqual([1, expect.stringContaining("handled twice")]);
  });

  it("explore restarts a server that stopped responding, and says so, because it leaks connections", async () => {
    // Each failing statement keeps one of two connections for ever.
    const { code, text } = await exploreShop(
      `
      globalThis.free ??= 2;
      if (globalThis.free === 0) await new Promise(() => {});
      globalThis.free -= 1;
      db.prepare("insert or ignore into handled values (?)").run(key);
      globalThis.free += 1;`,
      ...ONE_EVENT,
      ...configured({ workers: 1 }),
    );
    expect([code, text]).toEqual([
      0,
      expect.stringContaining("Your server stopped responding once, but handled"),
    ]);
  });

  it("explore restarts a server that remembers events in memory, and finds that it pays twice", async () => {
    const handle = "if (!seen.has(key)) pay(order); seen.add(key);";
    const { code, text, cwd } = await exploreShop(handle, ...ONE_EVENT);
    expect(code).toBe(1);
    expect(text).toContain("the server is killed after statement 1");
    expect(text).toContain("Paid has an entry too many.");
    // The file contains the kill, so the finding is replayed against a server that the command starts.
    const [, name] =
      /npx sandglass run (\S+) --subscriber \S+ --state sqlite:shop\.db --start 'node shop\.mjs'/.exec(text)!;
    expect(await runIn(cwd, handle, name!)).toMatchObject({
      ...{ code: 1, stdout: expect.stringContaining("Paid has an entry too many.") },
    });
    const args = ["run", name!, "--subscriber", "http://127.0.0.1:1", "--secret", "whsec_test"];
    expect((await runCli([...args, "--in-place", "--state", "sqlite:shop.db"], { cwd })).code).toBe(3);
  });

  it("explore says that a restart lost remembered event ids only if it observed the loss", async () => {
    const handle = "if (!seen.has(key)) pay(order); seen.add(key);";
    const known = (schedule: string) => {
      const cwd = folderOf();
      mkdirSync(join(cwd, "sandglass/findings"), { recursive: true });
      const finding = `finding: known\nstory: checkout\nschedule: [${schedule}]\nexpect: { paid.*: 1 }\n`;
      writeFileSync(join(cwd, "sandglass/findings/known.yaml"), finding);
      return cwd;
    };
    const seen = await runIn(known("restart@1, manual-resend@1"), handle, "known");
    expect(seen.stdout.replaceAll(/\s+/g, " ")).toContain(
      "it was remembered only in memory, and the restart forgot it.",
    );
    const unseen = await exploreIn(known("manual-resend@1"), "pay(order);");
    expect(unseen.text).toContain("Known: sandglass/findings/known.yaml.");
    expect(unseen.text).not.toContain("in memory");
  });

  it("explore passes a server that was killed without retries if a manual retry repairs its state", async () => {
    const handle = `
      db.transaction(() => {
        if (db.prepare("insert or ignore into handled values (?)").run(key).changes > 0) pay(order);
      })();
    `;
    const { code, text } = await exploreShop(handle, ...ONE_EVENT);
    expect([code, text]).toEqual([0, expect.stringMatching(/No difference with up to 1 deviation/)]);
    const lost = `db.prepare("insert or ignore into handled values (?)").run(key);
      try {
        pay(order);
      } catch (error) {
        db.exec("delete from handled");
        throw error;
      }`;
    const found = await exploreShop(
      `if (db.prepare("select 1 from handled where key = ?").get(key)) return; ${lost}`,
      ...ONE_EVENT,
    );
    expect(found.code).toBe(1);
    expect(found.text).toMatch(
      /The server is killed (?:before|after) statement .* of push, so a person sends it again/,
    );
  });

  it("if stories run at the current time, explore finds nothing wrong with a server that rejects old requests by its own clock", async () => {
    const { code, text } = await exploreShop(
      `
      if (Math.abs(Date.now() - Date.parse(sentAt)) > 300_000) throw new Error("replayed");
      db.transaction(() => {
        if (db.prepare("insert or ignore into handled values (?)").run(key).changes > 0) pay(order);
      })();
      `,
      ...configured({ at: "now" }),
    );
    expect([code, text]).toEqual([0, expect.stringMatching(/No difference .* all 37 schedules tried/)]);
  });
});

describe("processes started by --start", () => {
  it.each<Way>(["that ignores SIGTERM"])(
    "explore stops every process that it started, even a server %s",
    async (way) => {
      const { cwd, port, args } = await stubborn(way);
      await runCli(args, { cwd });
      expect(await isOpen(port)).toBe(false);
    },
  );

  it.each<Way>(["that ignores SIGTERM", "with its own session", "whose shell has exited"])(
    "a kill -9 of explore also stops a server %s",
    async (way) => {
      const { cwd, port, args } = await stubborn(way);
      const cli = startCli([...args, "--budget", "1m"], { cwd });
      await expect.poll(() => isOpen(port)).toBe(true);
      cli.kill("SIGKILL");
      await expect.poll(() => isOpen(port)).toBe(false);
    },
  );
});
