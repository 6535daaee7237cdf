import { describe, expect, test } from "vitest";
import { expectFit } from "../support/axe.ts";
import { BROWSER } from "../support/browser.ts";
import { LANTERN, TIDE } from "../support/game.ts";
import { type Json, startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { openUi } from "../support/ui.ts";

const EVIL = `<img src=x onerror="document.title='1'"> \u202e\u05de\u05e8\u202d ${"w".repeat(300)}`;

const playerNamed = async (sandbox: TestSandbox, name: string): Promise<Json> =>
  (await sandbox.control("GET", "/game/players")).body.data.find(({ username }: Json) => username === name);

const claimsOf = (token: string): Json =>
  JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString("utf8"));

describe.skipIf(!BROWSER)("the Game view", () => {
  test("a player is found, a token minted and copied, and its session ended", async () => {
    const sandbox = await startSandbox({ seed: "sandglass" });
    const { page, go, link, heading, fill, button, problems } = await openUi(sandbox.url);
    await go("#/game");
    await page.getByText("60 players").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("tomasz");
    await page.getByText("1 player of 60").waitFor();
    expect(page.url()).toContain("#/game/players?search=tomasz");
    await page.getByRole("link", { name: /tomasz/ }).click();
    await heading("tomasz").waitFor();

    await page.getByRole("radio", { name: "Tide Runners" }).check();
    await fill("Lifetime, virtual", "soon");
    await button("Mint").click();
    await page.locator(".field-error").waitFor();
    await fill("Lifetime, virtual", "90s");
    await button("Mint").click();
    await page.getByText("Valid until 09:01:30, in 1 min 30 s.").waitFor();
    await button("Copy the token").click();
    const token = (await page.evaluate("navigator.clipboard.readText()")) as string;
    expect(claimsOf(token)).toMatchObject({ username: "tomasz", gameId: TIDE });

    const row = page.getByRole("row").nth(1);
    const heartbeat = () =>
      sandbox.call("POST", "/game/launcher/channel-heartbeat", { body: { launcherJwt: token } });
    expect((await heartbeat()).status).toBe(200);
    await row.getByText("present").waitFor();
    await row.getByRole("button", { name: /^End/ }).click();
    await row.getByText("ended").waitFor();
    expect((await heartbeat()).status).toBe(401);
    await link("Scores").click();
    await page.getByText("This player has no valid token.").waitFor();
    await button("Mint one for 24 hours").click();
    await page.getByText("Latest first.").waitFor();
    expect(problems).toEqual([expect.stringContaining("400 (Bad Request)")]);
  });

  test("a channel is read as a player, and written in as another, as the game, and from elsewhere", async () => {
    const sandbox = await startSandbox({ seed: "sandglass" });
    const { body: minted } = await sandbox.control("POST", "/game/tokens", {
      player: "tomasz",
      gameId: LANTERN,
    });
    const ada = await playerNamed(sandbox, "Okonkwo.Ada");
    const { body: channel } = await sandbox.call("POST", "/game/launcher/create-message-channel", {
      body: { launcherJwt: minted.token, otherParticipants: [ada.address], name: "The two of us" },
    });
    const { page, button, link, heading, fill, problems } = await openUi(
      sandbox.url,
      `#/game/players/${minted.player.id}/channels`,
    );
    await link("The two of us").click();
    await heading("The two of us").waitFor();
    await page.getByText("No messages yet.").waitFor();
    const messages = page.getByRole("list", { name: "Messages, newest first" }).getByRole("listitem");
    for (const [as, content] of [
      ["tomasz", "gg"],
      ["Okonkwo.Ada", EVIL],
      ["the game, Lantern Keeper", "Good night."],
    ] as const) {
      await page.getByLabel("Write as").selectOption({ label: as });
      await fill(/^Message$/, content);
      await button("Post").click();
      await messages.first().getByText(content).waitFor();
    }
    await sandbox.control("POST", "/game/messages", { channel: channel._id, from: ada.id, content: "live" });
    await messages.first().getByText("live").waitFor();
    expect(await messages.count()).toBe(4);
    expect(await page.locator("main img").count()).toBe(0);
    await sandbox.control("DELETE", `/game/players/${ada.id}`);
    await page.getByLabel("Write as").selectOption(ada.address);
    await fill(/^Message$/, "anybody there?");
    await button("Post").click();
    await page.getByRole("alert").getByText("There is no player").waitFor();
    expect(await page.getByLabel(/^Message$/).inputValue()).toBe("anybody there?");
    expect(problems).toEqual([expect.stringContaining("404 (Not Found)")]);
  });

  test("rules are triggered, fire or say why not, and lead to the payment", async () => {
    const sandbox = await startSandbox({ seed: "sandglass" });
    const { page, button, heading, fill, problems } = await openUi(sandbox.url, "#/game/rules");
    const log = page.getByRole("region", { name: "What the rules did, newest first" }).getByRole("listitem");
    const rule = (name: string) => page.locator(".rule", { hasText: name });
    await page.getByText("No rule was triggered yet.").waitFor();
    await fill("Player", "nobody");
    await button("Trigger").click();
    expect(await page.locator("input:invalid").count()).toBe(1);
    await fill(/^Trigger$/, "any");
    await button("Trigger").click();
    await page.getByText("No player has this name, address or id.").waitFor();
    await fill("Player", "tomasz");
    await button("Try it boss reward").click();
    await page.keyboard.type("40");
    await page.keyboard.press("Enter");
    await page.getByText("No rule fired. The log says why.").waitFor();
    await log.first().getByText("boss reward did not fire").waitFor();
    await rule("boss reward").getByText("value must be at least 100, not 40.").waitFor();

    await fill("Value", "140");
    await button("Trigger").click();
    await page.getByText("Done by rules: item, message.").waitFor();
    await log.first().getByText("boss reward fired").waitFor();
    await rule("boss reward").getByText("fired 1 time").waitFor();
    expect((await playerNamed(sandbox, "tomasz")).items).toContainEqual({
      game_id: LANTERN,
      name: "Boss trophy",
      quantity: 1,
    });

    await button("Try it support the roastery").click();
    await button("Trigger").click();
    await log.getByText("support the roastery: payment completed").click();
    await heading("Payment story").waitFor();
    expect(problems).toEqual([]);
  });

  test("the leaderboard follows the scores", async () => {
    const sandbox = await startSandbox({ seed: "sandglass" });
    const { page, problems } = await openUi(sandbox.url, "#/game/leaderboard?game=tide-runners");
    const first = page.getByRole("row").nth(1);
    await first.waitFor();
    const { body: minted } = await sandbox.control("POST", "/game/tokens", {
      player: "tomasz",
      gameId: TIDE,
    });
    await sandbox.call("POST", "/game/launcher/set-user-score", {
      body: { launcherJwt: minted.token, score: 99_999_999 },
    });
    await first.getByText("99,999,999").waitFor();
    await first.getByRole("link", { name: "tomasz" }).click();
    await page.getByRole("heading", { name: "tomasz" }).waitFor();
    expect(problems).toEqual([]);
  });

  test("where signatures are required, what is read as a player is signed", async () => {
    const sandbox = await startSandbox({ seed: "sandglass", game: { requireSignature: true } });
    const { page, link, button, problems } = await openUi(sandbox.url, "#/game/games");
    await page.getByText("required").first().waitFor();
    await button("Show the secret of Lantern Keeper").click();
    await button("Copy the secret of Lantern Keeper").waitFor();
    const { id } = await playerNamed(sandbox, "mira_lantern");
    await page.goto(`${sandbox.url}/#/game/players/${id}`);
    await link("States").click();
    await page.getByText("settings", { exact: true }).waitFor();
    await link("Channels").click();
    await page.getByRole("row").nth(1).waitFor();
    expect(problems).toEqual([]);
  });

  test("an empty world teaches the next step", async () => {
    const sandbox = await startSandbox();
    const { page, fill, button, heading } = await openUi(sandbox.url, "#/game");
    await page.getByText("No players yet.").waitFor();
    await fill(/^Wallet$/, "0x00");
    await button("Play").click();
    await page.getByRole("alert").waitFor();
    await fill(/^Wallet$/, `0x${"ab".repeat(20)}`);
    await button("Play").click();
    await heading("Mint a token").waitFor();
    await page.getByRole("row", { name: /open/ }).waitFor();
  });

  test("is accessible and keeps to its width, in both themes and presenting", async () => {
    const sandbox = await startSandbox({ seed: "sandglass" });
    const { body: minted } = await sandbox.control("POST", "/game/tokens", { player: "mira_lantern" });
    const call = (operation: string, body: object) =>
      sandbox.call("POST", `/game/launcher/${operation}`, { body: { launcherJwt: minted.token, ...body } });
    await call("set-state", { label: EVIL.slice(0, 200), state: JSON.stringify({ text: EVIL }) });
    await call("set-user-score", { score: 12, nonce: EVIL.slice(0, 200) });
    await call("send-custom-activity", { label: EVIL, eventId: "evil" });
    for (const [trigger, value] of [
      ["boss-defeated", 40],
      ["boss-defeated", 140],
      [EVIL.slice(0, 200), 1],
      ["buy-coffee", 1],
    ])
      await call("trigger-rules-engine", { trigger, value });
    const { body: channels } = await call("get-message-channels", {});
    await sandbox.control("POST", "/game/messages", { channel: channels.data[0]._id, content: EVIL });
    const own = `#/game/players/${minted.player.id}`;
    const opened = await openUi(sandbox.url);
    const { page, go, problems } = opened;
    for (const [view, hash] of [
      ["players", "#/game"],
      ["player", own],
      ["channels", `${own}/channels`],
      ["messages", `${own}/channels/${channels.data[0]._id}`],
      ["states", `${own}/states`],
      ["scores", `${own}/scores`],
      ["rules", "#/game/rules"],
      ["leaderboard", "#/game/leaderboard"],
      ["activities", "#/game/activities"],
      ["games", "#/game/games"],
    ] as const) {
      await go(hash);
      if (view === "player") {
        await page.getByRole("button", { name: "Mint", exact: true }).click();
        await page.getByText(/^Valid until/).waitFor();
      }
      if (view === "states") await page.locator("main details > summary").first().click();
      await expectFit(opened, `game-${view}`);
      expect(await page.locator("main img").count()).toBe(0);
    }
    expect(problems).toEqual([]);
  });
});
