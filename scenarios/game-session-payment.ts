import { defineScenario } from "sandglass";

const GAME = "lantern-keeper";
const WALLET = "0x00000000000000000000000000000000000000aa";

export default defineScenario({
  name: "game-session-payment",
  title: "A player plays for an evening, and buys a coffee from inside the game",
  description:
    "A launcher JWT opens a session for a day. With it a game keeps state and scores, and triggers rules; one of them pays, with the player's wallet, and the shop gets its webhook. The token ends to the second, while what it did stays.",
  seed: "empty",
  params: {
    score: { default: 990_000, description: "what the player scores" },
  },
  async run({ sandbox, step, expect, params }) {
    const inbox = sandbox.inbox("roastery");

    const { id } = await step("A roastery sells coffee by a payment link, and takes webhooks", async () => {
      // The game's rule refers to the link by its short code.
      await sandbox.payments.createLink({
        name: "Coffee for the team",
        short_code: "coffee",
        amount: "4000000",
      });
      return sandbox.webhooks.create({ url: inbox.url, events: ["payment.completed"] });
    });

    const { token, game } = await step("A new player starts the game, with an unknown wallet", () =>
      sandbox.game.token({ address: WALLET, gameId: GAME }),
    );
    const player = (operation: string, body: Record<string, unknown> = {}) =>
      sandbox.game.call(operation, { launcherJwt: token, ...body });

    await step("The player is there as long as heartbeats come", async () => {
      expect((await player("channel-heartbeat")).body).toEqual({ success: true });
      expect((await player("channel-status")).body).toMatchObject({
        exists: true,
        present: true,
        wallet: WALLET,
      });
      await sandbox.clock.advance("2m");
      expect((await player("channel-status")).body).toMatchObject({ exists: true, present: false });
    });

    await step("After two hours of play the game keeps where they are, and their score", async () => {
      await sandbox.clock.advance("2h");
      const state = JSON.stringify({ level: 7, lanterns: 31 });
      expect((await player("set-state", { label: "save", state })).body).toMatchObject({
        success: true,
        newState: { label: "save", state: { level: 7, lanterns: 31 } },
      });
      await player("set-user-score", { score: params.score, nonce: "night-1" });
      const { body } = await sandbox.game.call<{
        leaderboard: { score: number; normalizedAddress: string }[];
      }>("get-game-scores-leaderboard", { gameId: game.id, limit: 100 });
      const entry = body.leaderboard.find(({ normalizedAddress }) => normalizedAddress === WALLET);
      expect(entry).toMatchObject({ score: params.score });
    });

    await step("They buy a coffee in the game: a rule pays its link with their wallet", async () => {
      const { body } = await player("trigger-rules-engine", { trigger: "buy-coffee", nonce: "cup-1" });
      expect(body).toMatchObject({ success: true });
      await sandbox.clock.advance(0);
      const [message, ...more] = await inbox.messages();
      expect(more).toEqual([]);
      expect(JSON.parse(message!.body)).toMatchObject({
        event: "payment.completed",
        data: { sender_address: WALLET, checkoutSession: { metadata: { trigger: "buy-coffee" } } },
      });
    });

    await step("The click comes twice, but the same nonce pays once", async () => {
      await player("trigger-rules-engine", { trigger: "buy-coffee", nonce: "cup-1" });
      await sandbox.clock.advance("1h");
      expect((await sandbox.webhooks.timeline(id)).attempts).toHaveLength(1);
      expect(await sandbox.events({ types: ["rule.repeated"] })).toHaveLength(1);
    });

    await step("The token works in its last second, and not after", async () => {
      const left = 24 * 3600 - 3 * 3600 - 120;
      await sandbox.clock.advance(`${left - 1}s`);
      expect((await player("get-states")).status).toBe(200);
      await sandbox.clock.advance("1s");
      expect(await player("get-states")).toMatchObject({ status: 401, body: { name: "NotAuthenticated" } });
    });

    await step("A new token goes on where the player left", async () => {
      const next = await sandbox.game.token({ address: WALLET, gameId: GAME });
      const { body } = await sandbox.game.call("get-states", { launcherJwt: next.token, label: "save" });
      expect(body).toMatchObject({ states: [{ state: { level: 7, lanterns: 31 } }] });
    });
  },
});
