import { describe, expect, expectTypeOf, test } from "vitest";
import { DATA_ENTRIES } from "../../src/chain-data/area.ts";
import type { ProviderState as Provider } from "../../src/chain-data/providers/faults.ts";
import { GAME_ENTRIES } from "../../src/game/area.ts";
import type * as library from "../../src/index.ts";
import { PAYMENTS_ENTRIES } from "../../src/payments/area.ts";
import type { PlatformErrorCode } from "../../src/payments/errors.ts";
import type * as rows from "../../src/payments/rows.ts";
import type { EventType } from "../../src/payments/webhooks/event-types.ts";
import type { AreaName } from "../../src/sandbox/areas.ts";
import { OWN_ENTRIES } from "../../src/sandbox/entry-names.ts";
import type { DisabledReason } from "../../src/story/endpoint-state.ts";
import type { DeliveryError } from "../../src/webhooks/failures.ts";
import type { InboxBehaviour } from "../../src/webhooks/inbox.ts";
import type * as webhooks from "../../src/webhooks/rows.ts";
import type { SubscriberFault, SubscriberFaultKind } from "../../src/webhooks/subscriber-faults.ts";
import type { ClockMode } from "../../src/world/clock.ts";
import type { AdvanceResult } from "../../src/world/scheduler.ts";

/** `npm run types` checks these: what the library declares is what the sandbox knows. */
describe("the library declares", () => {
  test("the words of the sandbox, all of them and no others", () => {
    expectTypeOf<library.Area>().toEqualTypeOf<AreaName>();
    expectTypeOf<library.CheckoutSessionStatus>().toEqualTypeOf<rows.SessionStatus>();
    expectTypeOf<library.ClockMode>().toEqualTypeOf<ClockMode>();
    expectTypeOf<library.DeliveryError>().toEqualTypeOf<DeliveryError>();
    expectTypeOf<library.DeliveryStatus>().toEqualTypeOf<webhooks.DeliveryStatus>();
    expectTypeOf<library.DeliveryTrigger>().toEqualTypeOf<webhooks.DeliveryTrigger>();
    expectTypeOf<library.DisabledReason>().toEqualTypeOf<DisabledReason>();
    expectTypeOf<library.EventType>().toEqualTypeOf<EventType>();
    expectTypeOf<library.FailureReason>().toEqualTypeOf<rows.FailureReason>();
    expectTypeOf<library.FaultKind>().toEqualTypeOf<SubscriberFaultKind>();
    expectTypeOf<library.PaymentStatus>().toEqualTypeOf<rows.TransactionStatus>();
    expectTypeOf<library.PlatformErrorCode>().toEqualTypeOf<PlatformErrorCode>();
    expectTypeOf<library.ProviderState>().toEqualTypeOf<Provider>();
    expectTypeOf<library.WebhookEndpointStatus>().toEqualTypeOf<webhooks.WebhookRow["status"]>();
  });

  test("the fields of what is sent to the sandbox", () => {
    expectTypeOf<keyof library.Fault>().toEqualTypeOf<keyof SubscriberFault>();
    expectTypeOf<keyof library.InboxBehaviour>().toEqualTypeOf<keyof InboxBehaviour>();
  });

  test("what an advance resolves with, its entries by their names", () => {
    expectTypeOf<Omit<library.Advance, "ledger">>().toEqualTypeOf<Omit<AdvanceResult, "ledger">>();
    expectTypeOf<keyof library.JournalEntry>().toEqualTypeOf<keyof AdvanceResult["ledger"][number]>();
  });

  test("the names of journal entries", () => {
    const names = [
      ...PAYMENTS_ENTRIES,
      ...DATA_ENTRIES,
      ...GAME_ENTRIES,
      ...OWN_ENTRIES,
    ] satisfies readonly library.JournalEntryName[];
    expectTypeOf<library.JournalEntryName>().toEqualTypeOf<(typeof names)[number]>();
    expect(new Set(names).size).toBe(names.length);
  });
});
