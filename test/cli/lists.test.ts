import { describe, expect, it } from "vitest";
import { startCli } from "../support/built.ts";
import { expectMisuse, readJsonAt, runAt, runCli } from "../support/cli.ts";
import { type Json, startSandbox, type TestSandbox } from "../support/sandbox.ts";

const clockOf = async (sandbox: TestSandbox) => (await sandbox.control("GET", "/clock")).body;

describe("sandglass clock", () => {
  it("the clock command shows, pauses and resumes the clock, and changes its rate", async () => {
    const sandbox = await startSandbox();
    expect((await runAt(sandbox, "clock")).stdout).toBe("clock  paused\nnow    2026-01-15 09:00:00 UTC\n");
    expect(await readJsonAt(sandbox, "clock", "rate", "60")).toMatchObject({ mode: "scaled", rate: 60 });
    expect(await readJsonAt(sandbox, "clock", "pause")).toMatchObject({ mode: "paused" });
    expect(await readJsonAt(sandbox, "clock", "resume")).toMatchObject({ mode: "scaled", rate: 60 });
    expect(await readJsonAt(sandbox, "clock", "rate", "1")).toMatchObject({ mode: "live", rate: 1 });
    expect(await clockOf(sandbox)).toMatchObject({ mode: "live" });
  });

  it("the clock command rejects an unknown action and an invalid rate", async () => {
    const sandbox = await startSandbox();
    const misspelled = await runAt(sandbox, "clock", "paus");
    expectMisuse(misspelled, /clock cannot 'paus'/);
    expect(misspelled.stderr).toContain("sandglass clock pause");
    expectMisuse(await runAt(sandbox, "clock", "rate"), /clock rate needs a rate: virtual seconds/);
    expectMisuse(await runAt(sandbox, "clock", "rate", "fast"), /rate must be a number.*, not 'fast'/);
    expectMisuse(await runAt(sandbox, "clock", "rate", "-0"), /rate/);
  });
});

describe("sandglass worlds", () => {
  it("the worlds command creates, lists and deletes worlds, and every client command accepts --world", async () => {
    const sandbox = await startSandbox();
    const made = await runAt(sandbox, "worlds", "create", "mine", "--seed", "empty", "--paused");
    expect(made.stdout).toMatch(/^world +mine$/m);
    const nothing = await runAt(sandbox, "undo", "--world", "mine");
    expect(nothing.code).toBe(2);
    expect(nothing.stderr).toMatch(
      /nothing to undo: .*the world mine\.\n.*npx sandglass snapshot save <name>/,
    );
    const reset = await runAt(sandbox, "reset", "--world", "mine", "--seed", "tuesday");
    expect(reset.stdout).toMatch(/npx sandglass undo$/m);
    const undone = await runAt(sandbox, "undo", "--world", "mine");
    expect(undone.stdout).toMatch(/^undone +world mine is as it was before the last reset or restore$/m);
    expect(await readJsonAt(sandbox, "undo", "--world", "mine")).toMatchObject({ seed: "tuesday" });
    expect(await readJsonAt(sandbox, "status", "--world", "mine")).toMatchObject({
      world: "mine",
      seed: "tuesday",
    });
    const inside = { url: `${sandbox.url}/w/mine` };
    expect(await readJsonAt(inside, "status", "--world", "default")).toMatchObject({ world: "default" });
    const { data } = await readJsonAt(sandbox, "worlds");
    expect(data.map(({ name }: Json) => name)).toEqual(["default", "mine"]);
    await runAt(sandbox, "worlds", "create", "branch", "--from", "mine", "--rate", "60");
    expect(await readJsonAt(sandbox, "clock", "--world", "branch")).toMatchObject({
      mode: "scaled",
      rate: 60,
    });
    const missing = await runAt(sandbox, "clock", "--world", "mien");
    expectMisuse(missing, /no world 'mien'/);
    expect(missing.stderr).toContain("Did you mean mine?");
    expect((await runAt(sandbox, "worlds", "delete", "mine")).stdout).toBe("Deleted mine.\n");
    expectMisuse(await runAt(sandbox, "worlds", "delete"), /worlds delete needs a name/);
    expectMisuse(await runAt(sandbox, "clock", "--world", "a/b"), /--world must be a world's name/);
  });
});

describe("sandglass links and sessions", () => {
  it("the links and sessions commands list links and sessions with their state", async () => {
    const sandbox = await startSandbox();
    const link = await sandbox.createLink({ name: "Tea", short_code: "teatea", amount: "13500000" });
    const other = await sandbox.createLink({ name: "Cake" });
    await sandbox.pay({ payment_link_id: link.id, client_reference_id: "order-7" });
    await sandbox.openSession({ payment_link_id: other.id });
    const links = (await runAt(sandbox, "links", "--search", "tea")).stdout;
    expect(links).toMatch(
      /^teatea +13\.50 USDC on Base +active +1 paid +Northlight Coffee Roasters +pl_\w+ +Tea$/m,
    );
    expect((await runAt(sandbox, "links", "--limit", "1")).stdout).toMatch(/^and 1 more; print up to 100/m);
    const sessions = (await runAt(sandbox, "sessions", "teatea")).stdout;
    expect(sessions).toMatch(/^cs_\w+ +completed +13\.50 USDC on Base .* order-7$/m);
    expect(sessions.trimEnd().split("\n")).toHaveLength(1);
    expect((await readJsonAt(sandbox, "sessions", "--status", "active")).data).toHaveLength(1);
    const misspelled = await runAt(sandbox, "sessions", "teate");
    expectMisuse(misspelled, /no payment link teate/);
    expect(misspelled.stderr).toContain("sandglass sessions teatea");
    expectMisuse(await runAt(sandbox, "links", "--limit", "101"), /--limit must be .*from 1 to 100, not 101/);
  });
});

describe("the --organization flag", () => {
  it("lists contain only one organization's rows with --organization, and show every organization without it", async () => {
    const sandbox = await startSandbox();
    const { organizations, keys } = (await sandbox.control("GET", "/status")).body;
    const [first, second] = organizations as Json[];
    const link = await sandbox.createLink({ name: "Tea", short_code: "teatea" });
    const headers = { authorization: `Bearer ${keys.other}` };
    const name = "Cake";
    const { body: other } = await sandbox.api("POST", "/payment-links", {
      body: { name, amount: "1000" },
      headers,
    });
    await sandbox.openSession({ payment_link_id: link.id });
    const endpoint = { url: `${sandbox.url}/_sandbox/inbox/shop`, events: ["*"] };
    await sandbox.api("POST", "/webhooks", { body: endpoint });
    await sandbox.api("POST", "/webhooks", { body: endpoint, headers });
    await sandbox.control("POST", "/payments", { payment_link_id: other.id });

    for (const command of ["links", "sessions", "webhooks"]) {
      const all = (await runAt(sandbox, command)).stdout.trimEnd().split("\n");
      expect(all).toHaveLength(2);
      for (const { name } of [first, second])
        expect(all.filter((line) => line.includes(`  ${name}`))).toHaveLength(1);
      const named = (await runAt(sandbox, command, "--organization", second.name.toUpperCase())).stdout;
      expect(named.trimEnd().split("\n")).toHaveLength(1);
      expect(named).not.toContain(second.name);
      const { data } = await readJsonAt(sandbox, command, "--organization", second.id);
      expect(data).toEqual([expect.objectContaining({ organization: second.id })]);
    }
    expect((await runAt(sandbox, "sessions", other.id)).stdout).toMatch(/^cs_\w+ +completed .*\n$/);
    const unknown = await runAt(sandbox, "links", "--organization", "nowhere");
    expectMisuse(unknown, /There is no organization nowhere/);
    expect(unknown.stderr).toContain(
      `Organizations: ${first.name} (${first.id}), ${second.name} (${second.id}).`,
    );
  });
});

describe("sandglass players and scores", () => {
  it("the players command lists players, and scores prints the leaderboard of a game", async () => {
    const sandbox = await startSandbox({ seed: "sandglass" });
    expect((await runAt(sandbox, "players")).stdout).toMatch(/^mira_lantern +0x\w{40} /m);
    const { game, leaderboard } = await readJsonAt(sandbox, "scores", "--limit", "2");
    expect([game.slug, leaderboard.length]).toEqual(["lantern-keeper", 2]);
    expect((await runAt(sandbox, "scores", "tide-runners")).stdout).toMatch(
      /^score +username +normalizedAddress +updatedAt\n\d+ +\w+ +0x\w{40} +2/,
    );
    const misspelled = await runAt(sandbox, "scores", "tide-runner");
    expectMisuse(misspelled, /no game 'tide-runner'/);
    expect(misspelled.stderr).toContain("Did you mean tide-runners?");
  });
});

describe("sandglass mail and events", () => {
  it("the mail and events commands print e-mails and the latest journal entries", async () => {
    const sandbox = await startSandbox();
    expectMisuse(await runAt(sandbox, "mail", "last"), /No e-mail has been sent yet/);
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    await sandbox.control("PUT", `/webhooks/${hook.id}/fault`, { status: 503 });
    const link = await sandbox.createLink();
    for (let payment = 0; payment < 5; payment += 1) await sandbox.pay({ payment_link_id: link.id });
    expect((await runAt(sandbox, "mail")).stdout).toMatch(/^2026-01-15 09:00:00 +mail_\w+ +to \S+ +Webhook/m);
    expect((await runAt(sandbox, "mail", "last")).stdout).toContain("10 deliveries in a row failed.");

    const shown = (
      await runAt(sandbox, "events", "--types", "delivery.failed,webhook.disabled", "--limit", "2")
    ).stdout;
    expect(shown).toMatch(
      /^\d+ +2026-01-15 09:00:00 +delivery\.failed +Attempt 1 of checkout\.completed failed/,
    );
    expect(shown).toMatch(/webhook\.disabled +Endpoint disabled {2}after 10 failures in a row\n$/);
    const { data } = await readJsonAt(sandbox, "events", "--after", "3", "--limit", "1");
    expect(data).toHaveLength(1);
  });

  it("events --follow prints new entries until Ctrl-C", async () => {
    const sandbox = await startSandbox();
    const following = startCli(["events", "--follow", "--after", "0", "--types", "webhook.*"], {
      env: { SANDGLASS_URL: sandbox.url },
    });
    await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    await following.saw(/webhook\.created +Endpoint created {2}wh_/);
    following.kill("SIGINT");
    expect((await following.ended).code).toBe(0);
    expectMisuse(await runCli(["events", "--follow", "--url", `${sandbox.url}/w/none`]), /no world 'none'/);
  });
});
