import { describe, expect, expectTypeOf, test } from "vitest";
import type { DATA } from "../../src/chain-data/name.ts";
import type { GAME } from "../../src/game/name.ts";
import type * as library from "../../src/index.ts";
import type { PlatformErrorCode } from "../../src/payments/errors.ts";
import type { PLATFORM } from "../../src/payments/name.ts";
import { ENTRY_NAMES } from "../../src/sandbox/entry-names.ts";
import type { InboxBehaviour } from "../../src/webhooks/inbox.ts";
import type { SubscriberFault } from "../../src/webhooks/subscriber-faults.ts";
import type { AdvanceResult } from "../../src/world/scheduler.ts";

/** `npm run types` checks that the library's declarations match what the sandbox accepts. */
describe("the library's declarations", () => {
  test("the library declares exactly the platform's areas and error codes", () => {
    expectTypeOf<library.Area>().toEqualTypeOf<typeof PLATFORM | typeof DATA | typeof GAME>();
    expectTypeOf<library.PlatformErrorCode>().toEqualTypeOf<PlatformErrorCode>();
  });

  test("the library declares exactly the fields of faults and inbox behaviours", () => {
    expectTypeOf<keyof library.Fault>().toEqualTypeOf<keyof SubscriberFault>();
    expectTypeOf<keyof library.InboxBehaviour>().toEqualTypeOf<keyof InboxBehaviour>();
  });

  test("the library declares the result of an advance and the fields of its entries", () => {
    expectTypeOf<Omit<library.Advance, "ledger" | "happened_at">>().toEqualTypeOf<
      Omit<AdvanceResult, "ledger">
    >();
    expectTypeOf<keyof library.JournalEntry>().toEqualTypeOf<keyof AdvanceResult["ledger"][number]>();
  });

  test("the library lists each type of journal entry exactly once", () => {
    expect(new Set(ENTRY_NAMES).size).toBe(ENTRY_NAMES.length);
  });
});
