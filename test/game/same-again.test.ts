import { expect, test } from "vitest";
import { startGame, wallet } from "../support/game.ts";
import type { Json } from "../support/sandbox.ts";

/** Makes some calls of every kind, in a fixed order. */
async function play(): Promise<Json[]> {
  const game = await startGame(
    {
      rules: [
        { name: "r", when: "go", then: [{ item: { name: "Key" } }, { message: { content: "{value}" } }] },
      ],
    },
    { seed: "sandglass" },
  );
  const ada = await game.mint();
  const bo = await game.mint({ address: wallet("b") });
  const answers: Json[] = [ada, bo].map(({ token, player, session_id }) => ({ token, player, session_id }));
  const keep = async (answer: Promise<Json>) => void answers.push(await answer);
  await keep(ada.ok("createMessageChannel", { otherParticipants: [wallet("b")] }));
  await keep(bo.ok("sendChannelMessage", { channelId: answers[2]._id, content: "hi" }));
  await game.advance("90s");
  await keep(ada.ok("setState", { state: '{"a":1}' }));
  await keep(ada.ok("setUserScore", { score: 3 }));
  await keep(bo.ok("triggerRulesEngine", { trigger: "go", value: 7 }));
  await keep(bo.ok("sendCustomActivity", { label: "{username}", eventId: "e" }));
  await keep(ada.ok("getMessageChannels"));
  await keep(game.call("GET", "/game/activities").then(({ body }) => body));
  const entries = (await game.journal()).map(({ wall: _, ...entry }) => entry);
  return [...answers, ...entries];
}

test("the same seed and calls give the same game ids, tokens, responses and journal", async () => {
  expect(await play()).toEqual(await play());
});

test("a restore brings back exactly the game launcher's data from the time of the snapshot", async () => {
  const game = await startGame();
  const { ok, token } = await game.mint();
  await ok("setUserScore", { score: 1, nonce: "before" });
  const { sandbox } = game;
  const bytes = sandbox.world.store.serialize();
  await ok("setUserScore", { score: 2, nonce: "after" });
  const later = await game.mint({ address: wallet("b") });
  sandbox.world.store.restore({ bytes }, () => {});
  expect((await ok("getUserScores")).scores.map(({ nonce }: Json) => nonce)).toEqual(["before"]);
  expect((await later.call("channelStatus")).body.message).toContain("does not exist in this world");
  expect(token).not.toBe(later.token);
});
