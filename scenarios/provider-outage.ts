import { defineScenario } from "sandglass";

const WALLET = "0x63a859a238cd54aee6e23874e2627a04402ecae4";
/** A wallet that is not requested before the outage, so its data is not cached. */
const UNKNOWN_SO_FAR = "0xcb110a2b20b969f9870b5373faeb05ce2ee0a225";

/** Why a call fails in each state of the provider. */
const REASONS = {
  down: "connection_refused",
  error: "status",
  garbage: "invalid_json",
  slow: "timeout",
} as const;

export default defineScenario({
  name: "provider-outage",
  title: "Providers of chain data go down one by one, and answers keep coming",
  description:
    "The proxy asks the explorer of a chain, then the indexer. What is cached for a day hides an outage at first; then the next provider answers. When all are down, what has expired is served stale, marked as such. Only what nobody ever asked for is an error.",
  seed: "empty",
  params: {
    state: {
      default: "down",
      description: "what is wrong with the providers",
      choices: ["down", "error", "garbage", "slow"],
    },
  },
  async run({ sandbox, step, expect, params }) {
    const holdings = async (wallet = WALLET) => {
      const { status, headers, body } = await sandbox.data.get<{ items: { value: string }[] }>(
        `/explorer/addresses/${wallet}/tokens?chain_id=1`,
      );
      return {
        status,
        cache: headers["x-cache"],
        provider: headers["x-sandbox-provider"],
        age: Number(headers.age),
        values: body.items?.map(({ value }) => value),
      };
    };

    const { values } = await step("All is well: the explorer of the chain answers", async () => {
      const answer = await holdings();
      expect(answer).toMatchObject({ status: 200, cache: "MISS", provider: "explorer-1" });
      expect(answer.values).not.toEqual([]);
      return answer;
    });

    await step("The explorer fails, and it does not show: the answer is cached", async () => {
      await sandbox.data.setProvider("explorer-1", { state: params.state });
      await sandbox.clock.advance("23h");
      expect(await holdings()).toEqual({
        status: 200,
        cache: "HIT",
        provider: "explorer-1",
        age: 23 * 3600,
        values,
      });
    });

    await step(
      "A day after the first answer it has expired, and the indexer answers, with the same holdings",
      async () => {
        await sandbox.clock.advance("1h");
        expect(await holdings()).toEqual({
          status: 200,
          cache: "EXPIRED",
          provider: "indexer",
          age: 0,
          values,
        });
      },
    );

    await step("The indexer fails, too. A day later what was kept is served stale", async () => {
      await sandbox.data.setProvider("indexer", { state: params.state });
      await sandbox.clock.advance("1d");
      const stale = { status: 200, cache: "STALE", provider: "indexer", values };
      expect(await holdings()).toEqual({ ...stale, age: 24 * 3600 });
      await sandbox.clock.advance("1d");
      expect(await holdings()).toEqual({ ...stale, age: 48 * 3600 });
    });

    await step(
      "A wallet that was never asked for is an error: there is nothing to fall back to",
      async () => {
        expect((await holdings(UNKNOWN_SO_FAR)).status).toBe(500);
      },
    );

    await step("The journal tells who was asked, and why that did not help", async () => {
      const failures = await sandbox.events({ types: ["upstream.failed"] });
      expect(failures.slice(0, 3).map(({ data }) => [data.provider, data.reason])).toEqual([
        ["explorer-1", REASONS[params.state]],
        ["explorer-1", REASONS[params.state]],
        ["indexer", REASONS[params.state]],
      ]);
      expect(await sandbox.events({ types: ["cache.served_stale"] })).toHaveLength(2);
    });

    await step("The explorer is back, and answers at the next call", async () => {
      await sandbox.data.setProvider("explorer-1", { state: "up" });
      expect(await holdings()).toEqual({
        status: 200,
        cache: "EXPIRED",
        provider: "explorer-1",
        age: 0,
        values,
      });
      expect((await holdings()).cache).toBe("HIT");
    });
  },
});
