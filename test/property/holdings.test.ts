import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rowsOf, STRANGER, sharedData } from "../support/chain-data.ts";
import type { Json } from "../support/sandbox.ts";

const TYPES = ["ERC-20", "ERC-721", "ERC-1155"] as const;
const FILTERS = [
  "",
  "ERC-20",
  "ERC-721",
  "ERC-1155",
  "ERC-20,ERC-721",
  "ERC-1155,ERC-20",
  "ERC-721,ERC-1155",
];

/** Use few values and names, so rows are equal in most of the fields by which they are sorted. */
const VALUES = [
  "0",
  "1",
  "2",
  "10",
  "9007199254740993",
  "9007199254740992",
  "1".padEnd(40, "0"),
  String(2n ** 256n - 1n),
];
const NAMES = [null, "", "null", "A", "a", "B", "A & B=+ %", "Ω", "🌊"];

interface Row {
  value: string;
  type: (typeof TYPES)[number];
  name: string | null;
  contract: number;
  id: number;
}

const row: fc.Arbitrary<Row> = fc.record({
  value: fc.constantFrom(...VALUES),
  type: fc.constantFrom(...TYPES),
  name: fc.constantFrom(...NAMES),
  contract: fc.nat(3),
  id: fc.nat(40),
});
/** What identifies a row in a listing: the contract and, within it, the token. */
const identity = ({ type, contract, id }: Row) => `${type} ${contract} ${type === "ERC-20" ? "" : id}`;
const rows = fc.uniqueArray(row, { selector: identity, maxLength: 160, size: "max" });

const PREFIX = { "ERC-20": "20", "ERC-721": "72", "ERC-1155": "15" };
const addressOf = ({ type, contract }: Row) => `0x${PREFIX[type]}${String(contract).padStart(38, "0")}`;
const tokenIdOf = ({ type, id }: Row) => (type === "ERC-20" ? null : String(id));
const inputOf = (one: Row) => ({
  value: one.value,
  token_id: tokenIdOf(one),
  token: { address: addressOf(one), type: one.type, name: one.name },
});

/** The listing according to the contract's sort order, implemented in another way: each field is compared in turn. */
function listed(all: readonly Row[], filter: string): string[] {
  const wanted = filter === "" ? TYPES : filter.split(",");
  const fields = [
    ({ value }: Row) => -BigInt(value),
    ({ type }: Row) => type,
    ({ name }: Row) => name ?? "",
    ({ type, id }: Row) => (type === "ERC-20" ? -1n : BigInt(id)),
    addressOf,
  ];
  return all
    .filter(({ type }) => wanted.includes(type))
    .sort((a, b) => {
      const field = fields.find((of) => of(a) !== of(b));
      return field === undefined ? 0 : field(a) < field(b) ? -1 : 1;
    })
    .map((one) => JSON.stringify([one.value, one.type, one.name, addressOf(one), tokenIdOf(one)]));
}

const seen = ({ value, token, token_id: id }: Json) =>
  JSON.stringify([value, token.type, token.name, token.address, id]);

describe.each([1, 7, 100])("page walks with a page size of %i", (pageSize) => {
  const sandbox = sharedData({ chainData: { pageSize } });
  const { data } = sandbox;

  test("a page walk returns each row once, in order, for any filter and provider [fidelity: Chain data: requests › Order of a listing]", async () => {
    const most = pageSize === 1 ? 12 : 160;
    await fc.assert(
      fc.asyncProperty(rows, fc.constantFrom(...FILTERS), fc.boolean(), async (all, filter, indexed) => {
        const held = all.slice(0, most);
        expect((await data.hold(STRANGER, held.map(inputOf), 1)).status).toBe(200);
        await data.provider("explorer-1", { state: indexed ? "down" : "up" });
        const pages = await data.walk(STRANGER, `?chain_id=1&type=${filter}`);
        const expected = listed(held, filter);
        expect(rowsOf(pages).map(seen)).toEqual(expected);
        expect(pages).toHaveLength(Math.max(1, Math.ceil(expected.length / pageSize)));
        if (expected.length > 0)
          expect(pages[0]!.headers.get("x-sandbox-provider")).toBe(indexed ? "indexer" : "explorer-1");
      }),
      { numRuns: 8, interruptAfterTimeLimit: 25_000 },
    );
  });
});
