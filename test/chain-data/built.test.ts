import { expect, test } from "vitest";
import { startBuilt } from "../support/built.ts";
import { COLLECTOR, dataOf, sourceOf } from "../support/chain-data.ts";
import { clientOf } from "../support/sandbox.ts";

test("the built package replays the recordings that ship with it", async () => {
  const data = dataOf(clientOf(await startBuilt(["--port", "0", "--paused"])));
  const lookup = await data.lookup("?symbol=USDC&chain_id=8453");
  expect(lookup.body.data).toHaveLength(1);
  const listing = await data.holdings(COLLECTOR);
  expect(sourceOf(listing)).toMatchObject({ cache: "MISS", provider: "explorer-1" });
  expect(listing.body.items).toHaveLength(50);
});
