import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { BROWSER, openPage } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";

const GAME = pathToFileURL(fileURLToPath(new URL("../../docs/demo/beans.html", import.meta.url))).href;

describe.skipIf(!BROWSER)("the game of docs/demo in a browser", () => {
  test("the demo game stores state, posts a score, shows the leaderboard and buys a coffee", async () => {
    const sandbox = await startSandbox({ seed: "sandglass" });
    const { bases, player } = (await sandbox.control("GET", "/status")).body;
    const { page, shot } = await openPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => void problems.push(error.message));
    const open = async () => {
      await page.goto("about:blank");
      await page.goto(`${GAME}#${bases.game},${player.token}`);
      await page.waitForSelector("#board li");
    };
    const scores = async (): Promise<{ score: number }[]> => {
      const body = { launcherJwt: player.token };
      return (await sandbox.call("POST", "/game/launcher/get-user-scores", { body })).body.scores;
    };

    await open();
    expect(await page.textContent("#beans")).toBe("0");
    for (const beans of ["1", "2", "3"]) {
      await page.click("#pick");
      await page.locator("#beans", { hasText: beans }).waitFor();
    }
    await open();
    expect(await page.textContent("#beans")).toBe("3");

    const before = (await sandbox.api("GET", "/transactions")).body.total_count;
    await page.click("#finish");
    await expect.poll(async () => (await scores()).map(({ score }) => score)).toContain(3);
    await page.click("#coffee");
    await expect
      .poll(async () => (await sandbox.api("GET", "/transactions")).body.total_count)
      .toBe(before + 1);
    expect((await sandbox.journal("rule.fired")).map(({ data }) => data.rule).sort()).toEqual([
      "level complete",
      "support the roastery",
    ]);
    await shot("game");
    expect(problems).toEqual([]);
  });
});
