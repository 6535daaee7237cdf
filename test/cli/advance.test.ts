import { describe, expect, test } from "vitest";
import { startCli } from "../support/built.ts";
import { expectMisuse, runCli } from "../support/cli.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { at, startHeldSubscriber } from "../support/webhooks.ts";

/** Makes a command believe that its output goes to a terminal. */
const TERMINAL = { NODE_OPTIONS: "--import=data:text/javascript,process.stdout.isTTY=true", TERM: "xterm" };

/**
 * Starts a sandbox in which a session expires after ten minutes, and an advance of one hour that waits for the
 * resulting delivery.
 */
async function startWaitingAdvance(args: string[] = [], env: Record<string, string> = {}) {
  const sandbox = await startSandbox();
  const subscriber = await startHeldSubscriber();
  await sandbox.createWebhook(subscriber.url, { events: ["checkout.expired"] });
  await sandbox.openSession({ expires_in: 600 });
  await sandbox.openSession({ expires_in: 1200 });
  const cli = startCli(["advance", "1h", ...args], { env: { SANDGLASS_URL: sandbox.url, ...env } });
  await subscriber.arrived(1);
  const answer = (count: number) => subscriber.open[count]!.answer(200);
  return { sandbox, subscriber, cli, answer };
}

/** Resolves once the sandbox has been asked to stop its advance. */
const ends = (sandbox: TestSandbox) =>
  expect.poll(() => sandbox.sandbox.world.scheduler.progress()?.ending).toBe(true);

describe("the progress of an advance", () => {
  test("advance shows its progress on a terminal in a line that it clears at the end", async () => {
    const { cli, subscriber, answer } = await startWaitingAdvance([], TERMINAL);
    await cli.saw(/10 min of 1 h, 16 %: 2 entries, waiting for 1 response/);
    answer(0);
    await subscriber.arrived(2);
    await cli.saw(/20 min of 1 h, 33 %: 5 entries, waiting for 1 response/);
    answer(1);
    const { code, stdout } = await cli.ended;
    expect(code).toBe(0);
    const shown = stdout.split("\r\u001b[K").at(-1);
    expect(shown).not.toMatch(/waiting for/);
    expect(shown).toMatch(/2 deliveries, 0 failed/);
  });

  test.each([
    ["to a file", [], {}],
    ["JSON to a terminal", ["--json"], TERMINAL],
  ])("advance prints only the result when it writes %s", async (_name, args, env) => {
    const { cli, subscriber, answer } = await startWaitingAdvance(args, env);
    answer(0);
    await subscriber.arrived(2);
    answer(1);
    const { code, stdout, stderr } = await cli.ended;
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).not.toMatch(/waiting for/);
  });
});

describe("Ctrl-C during an advance", () => {
  test("Ctrl-C stops an advance once everything due at the current time is done, and the command prints the entries so far", async () => {
    const { sandbox, cli, answer } = await startWaitingAdvance();
    cli.kill("SIGINT");
    await ends(sandbox);
    answer(0);
    const { code, stdout, stderr } = await cli.ended;
    expect(code).toBe(1);
    expect(stdout).toMatch(/Now 2026-01-15 09:10:00 UTC, 10 min later; 1 delivery, 0 failed/);
    expect(stdout).toMatch(/cancelled/);
    expect(stderr).toMatch(/Ctrl-C again/);
    expect((await sandbox.control("GET", "/clock")).body.now).toBe(at(600));
  });

  test("Ctrl-C stops an advance with --json, and the command prints the result so far", async () => {
    const { sandbox, cli, answer } = await startWaitingAdvance(["--json"]);
    cli.kill("SIGINT");
    await ends(sandbox);
    answer(0);
    const { stdout } = await cli.ended;
    expect(JSON.parse(stdout)).toMatchObject({ to: at(600), reached: false, cancelled: true });
  });

  test("a second Ctrl-C stops the advance command immediately", async () => {
    const { sandbox, cli } = await startWaitingAdvance();
    cli.kill("SIGINT");
    await ends(sandbox);
    // npm forwards a Ctrl-C, so two in quick succession count as one. Repeat it until the command exits.
    let ended = false;
    void cli.ended.then(() => {
      ended = true;
    });
    await expect.poll(() => ended || void cli.kill("SIGINT"), { interval: 300 }).toBe(true);
    expect(await cli.ended).toMatchObject({ code: 130, stdout: "" });
  });
});

test("advance reports that it was stopped from another terminal", async () => {
  const { sandbox, cli, answer } = await startWaitingAdvance();
  const ending = sandbox.control("DELETE", "/clock/advance");
  await ends(sandbox);
  answer(0);
  await ending;
  expect(await cli.ended).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/The advance was cancelled/),
  });
});

test("advance --cancel stops an advance started in another terminal", async () => {
  const { sandbox, cli, answer } = await startWaitingAdvance();
  const cancelling = runCli(["advance", "--cancel"], { env: { SANDGLASS_URL: sandbox.url } });
  await ends(sandbox);
  answer(0);
  expect(await cancelling).toMatchObject({
    code: 0,
    stdout: "Cancelled the advance. It is now 2026-01-15 09:10:00 UTC.\n",
  });
  expect((await cli.ended).code).toBe(1);
  const idle = await runCli(["advance", "--cancel"], { env: { SANDGLASS_URL: sandbox.url } });
  expect(idle).toMatchObject({ code: 0, stdout: "No advance was in progress.\n" });
  expectMisuse(
    await runCli(["advance", "1h", "--cancel"], { env: { SANDGLASS_URL: sandbox.url } }),
    /--cancel cannot be combined with a duration/,
  );
});

test("advance --until does not move the clock if the event has already happened and no further one is due", async () => {
  const sandbox = await startSandbox();
  const { id } = await sandbox.openSession();
  await sandbox.control("POST", `/sessions/${id}/expire`);
  const advance = () =>
    runCli(["advance", "--until", "checkout.expired"], { env: { SANDGLASS_URL: sandbox.url } });
  expect(await advance()).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(
      "checkout.expired already happened at 2026-01-15 09:00:00 UTC, and nothing due outside the demo data could cause it again, so the clock was not moved.",
    ),
  });
  await sandbox.openSession();
  expect((await advance()).code).toBe(0);
});

test("the help text of advance mentions Ctrl-C", async () => {
  expect((await runCli(["advance", "--help"])).stdout).toMatch(/Ctrl-C/);
});
