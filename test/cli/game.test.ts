import { describe, expect, it } from "vitest";
import { expectMisuse, readJsonAt, runAt } from "../support/cli.ts";
import { startGame } from "../support/game.ts";
import { type Json, startSandbox } from "../support/sandbox.ts";

describe("sandglass rules", () => {
  it("the rules command lists how often each rule fired, and why it was last skipped", async () => {
    const sandbox = await startSandbox({ seed: "sandglass" });
    const { body: minted } = await sandbox.control("POST", "/game/tokens", {});
    for (const value of [40, 140])
      await sandbox.call("POST", "/game/launcher/trigger-rules-engine", {
        body: { launcherJwt: minted.token, trigger: "boss-defeated", value },
      });
    const { stdout } = await runAt(sandbox, "rules");
    expect(stdout).toMatch(/^name +game +when +if +then +fired +skipped +last_reason +last_skipped_at$/m);
    expect(stdout).toMatch(
      /^boss reward +boss-defeated +value gte 100 +item .*, message .* 1 +1 +value must be at least 100, not 40 +2026-01-15 09:00:00$/m,
    );
    expect(stdout).toMatch(/^support the roastery +lantern-keeper +buy-coffee +payment .* 0 +0$/m);
    expect((await runAt(sandbox, "rules", "tide-runners")).stdout).not.toMatch(/roastery/);
    expect((await readJsonAt(sandbox, "rules", "lantern-keeper")).data).toHaveLength(4);
    const misspelled = await runAt(sandbox, "rules", "tide-runner");
    expectMisuse(misspelled, /no game 'tide-runner'/);
    expect(misspelled.stderr).toContain("Did you mean tide-runners?");
  });

  it("the rules command explains where rules come from if the world has none", async () => {
    const sandbox = await startGame({ rules: [] });
    expect((await runAt(sandbox, "rules")).stdout).toMatch(/^No rules found\. Add some/);
  });

  it("the rules command reports that the given game has no rules", async () => {
    const sandbox = await startGame({
      rules: [{ name: "r", game: "tide-runners", when: "go", then: [{ item: { name: "Oar" } }] }],
    });
    expect((await runAt(sandbox, "rules", "lantern-keeper")).stdout).toMatch(/^No rules found\./);
  });
});

describe("sandglass channels and message", () => {
  it("the channels command lists channels, and the message command posts as a player or as the game", async () => {
    const sandbox = await startSandbox({ seed: "sandglass" });
    const { stdout } = await runAt(sandbox, "channels", "--limit", "2");
    expect(stdout).toMatch(/^\w{24} +Lantern Keeper: everyone +group +\w{24} +.+ and \d+ more +\d+ +2026/m);
    expect(stdout).toMatch(/^and \d+ more; --limit prints them$/m);
    const { data } = await readJsonAt(sandbox, "channels", "lantern-keeper");
    expect(new Set(data.map(({ game_id: game }: Json) => game)).size).toBe(1);

    const posted = (await runAt(sandbox, "message", "night shift", "gg", "--from", "mira_lantern")).stdout;
    expect(posted).toMatch(/^senderId +0x\w{40}\ncreatedAt +2026-01-15 09:00:00\ncontent +gg$/m);
    expect(await readJsonAt(sandbox, "message", "night shift", "Back soon.")).toMatchObject({
      content: "Back soon.",
      channelId: data.find(({ name }: Json) => name === "night shift").id,
    });
    expect((await runAt(sandbox, "message", data[0].id, "hello")).stdout).toContain(data[0].game_id);
    expect(
      await readJsonAt(sandbox, "message", "Tide Runners: everyone", "go", "--game", "tide-runners"),
    ).toMatchObject({
      content: "go",
    });
    for (const [args, message, hint] of [
      [["nigt shift", "gg"], /no channel 'nigt shift'/, "sandglass channels"],
      [
        ["night shift", "gg", "--game", "tide-runners"],
        /tide-runners has no channel 'night shift', but lantern-keeper does/,
        "--game lantern-keeper",
      ],
      [["night shift", "gg", "--from", "0x12"], /'0x12' is not a valid address/, "40 hexadecimal"],
      [["night shift", "gg", "--from", "nemo"], /no player 'nemo'/, "sandglass token --player"],
      [["night shift", "gg", "--from", "tomasz"], /tomasz is not a participant/, "message --help"],
      [["night shift", "gg", "--game", "chess"], /no game 'chess'/, "Games here: lantern-keeper"],
      [["night shift", ""], /needs a text/, "npx sandglass message"],
      [["night shift"], /Missing required argument 'text'/, "npx sandglass message"],
    ] as const) {
      const refused = await runAt(sandbox, "message", ...args);
      expectMisuse(refused, message);
      expect(refused.stderr).toContain(hint);
    }
  });
});
