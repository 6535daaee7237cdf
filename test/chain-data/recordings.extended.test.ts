import nock from "nock";
import { afterAll, describe, expect, test } from "vitest";
import { makeRecordings } from "../../fixtures/chain-data/make/recordings.ts";
import { FILES, text } from "./recordings.ts";

afterAll(() => nock.restore());

describe("the shipped recordings", () => {
  test("regenerating the shipped recordings produces identical bytes", () => {
    const made = makeRecordings();
    expect([...made.keys()].sort()).toEqual([...FILES].sort());
    for (const [name, bytes] of made) expect(bytes === text(name), name).toBe(true);
  });
});
