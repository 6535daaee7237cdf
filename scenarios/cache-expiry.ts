import { defineScenario } from "sandglass";

const DAY = 24 * 3600;

export default defineScenario({
  name: "cache-expiry",
  title: "A price is asked for again and again, and fetched once a day",
  description:
    "Chain data is cached for 24 hours, to the second; the headers of every answer say what became of the request. An answer without rows is kept for five minutes only, so that a new token is found soon. A purge forgets at once.",
  seed: "empty",
  params: {
    symbol: { default: "USDC", description: "the token that is looked up", choices: ["USDC", "DAI", "WETH"] },
  },
  async run({ sandbox, step, expect, params }) {
    const look = async (query: string) => {
      const { headers, body } = await sandbox.data.get<{ data: unknown[] }>(
        `/insights/v1/tokens/lookup?${query}`,
      );
      return {
        cache: headers["x-cache"],
        age: Number(headers.age),
        status: headers["cache-status"],
        rows: body.data.length,
      };
    };
    const upstreamCalls = async () => (await sandbox.events({ types: ["upstream.*"] })).length;
    const price = `symbol=${params.symbol}&chain_id=1&chain_id=8453`;

    await step("The first lookup goes to a provider, and its answer is kept", async () => {
      expect(await look(price)).toEqual({
        cache: "MISS",
        age: 0,
        status: "sandglass; fwd=miss; fwd-status=200; stored",
        rows: 2,
      });
    });

    await step("For a day no provider is asked again, however the question is written", async () => {
      const before = await upstreamCalls();
      expect(await look(price)).toMatchObject({ cache: "HIT", age: 0 });
      await sandbox.clock.advance("6h");
      expect(await look(price)).toMatchObject({ cache: "HIT", age: 6 * 3600, rows: 2 });
      const otherwise = `chain_id=8453&chain_id=1&chain_id=8453&symbol=${params.symbol}`;
      expect(await look(otherwise)).toMatchObject({ cache: "HIT", rows: 2 });
      expect(await upstreamCalls()).toBe(before);
    });

    await step("In its last second it is still fresh", async () => {
      await sandbox.clock.advance({ by: "17h59m59s" });
      expect(await look(price)).toEqual({
        cache: "HIT",
        age: DAY - 1,
        status: "sandglass; hit; ttl=1",
        rows: 2,
      });
    });

    await step("A second later it has expired, and a provider is asked again", async () => {
      await sandbox.clock.advance("1s");
      expect(await look(price)).toMatchObject({ cache: "EXPIRED", age: 0, rows: 2 });
      expect(await look(price)).toMatchObject({ cache: "HIT", age: 0 });
    });

    await step("An unknown symbol is remembered for five minutes", async () => {
      const unknown = "symbol=NOSUCHCOIN&chain_id=1";
      expect(await look(unknown)).toMatchObject({ cache: "MISS", rows: 0 });
      await sandbox.clock.advance("4m59s");
      expect(await look(unknown)).toMatchObject({ cache: "HIT", rows: 0 });
      await sandbox.clock.advance("1s");
      expect(await look(unknown)).toMatchObject({ cache: "EXPIRED", rows: 0 });
    });

    await step("A purge forgets everything at once", async () => {
      expect((await sandbox.data.purge()).purged).toBeGreaterThan(0);
      expect(await look(price)).toMatchObject({ cache: "MISS", rows: 2 });
    });
  },
});
