import { expect, test } from "vitest";
import type { DataApi, NextPage } from "../../../ui/models/chain-data/api.ts";
import { createHoldings } from "../../../ui/models/chain-data/holdings.ts";

const next = { items_count: 1, token_name: "A", token_type: "ERC-20", value: 3 };
const source = { state: "MISS", providers: [], chains: [], age: 0, headers: {} };

function apiOf(answer: (after: NextPage | null) => unknown): DataApi {
  return {
    holdings: async (_address: string, _filter: unknown, after: NextPage | null) => answer(after),
  } as never;
}
const settle = () => new Promise((resolve) => setTimeout(resolve));

test("pages follow each other until the last", async () => {
  const asked: unknown[] = [];
  const model = createHoldings(
    apiOf((after) => {
      asked.push(after);
      return { items: [{ value: String(asked.length) }], next: after ? null : next, source };
    }),
    "0xaa",
    { type: "", chains: [] },
  );
  await settle();
  await model.more();
  await model.more();
  expect(asked).toEqual([null, next]);
  expect(model.state.value).toMatchObject({ pages: 2, next: null, items: [{ value: "1" }, { value: "2" }] });
  await model.again();
  expect(model.state.value).toMatchObject({ pages: 1, items: [{ value: "3" }] });
});

test("a page that cannot be read leaves those before it", async () => {
  const model = createHoldings(
    apiOf((after) => {
      if (after) throw new Error("There is no such place.");
      return { items: [{ value: "1" }], next, source };
    }),
    "0xaa",
    { type: "", chains: [] },
  );
  await settle();
  await model.more();
  expect(model.error.value?.message).toBe("There is no such place.");
  expect(model.state.value?.items).toHaveLength(1);
});
