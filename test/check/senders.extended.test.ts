import { describe, expect, test } from "vitest";
import { readSender } from "../../src/senders/files.ts";
import { HAZARD_NAMES } from "../../src/trial/hazards/index.ts";
import { VERIFIERS } from "../senders/verifiers.ts";
import { startHandler } from "./senders.ts";
import { verdictsOf } from "./support/try.ts";

describe("check with a sender", () => {
  test("a handler with the published verifier of each sender passes every hazard", async () => {
    const names = Object.keys(VERIFIERS);
    const reports = await Promise.all(
      names.map(async (name) => {
        const { check: run, stateUrl } = await startHandler(name);
        // test/senders/shipped.test.ts checks that the verifier accepts every other event as well.
        const { events } = await readSender(name);
        return run({ state: stateUrl, events: events.slice(0, 2).join() });
      }),
    );
    // Ignore this hazard: only the author of the handler knows what a late event should do to its data.
    const verdicts = reports.map((report) =>
      // Ignore this hazard: how long responses take depends on this machine.
      verdictsOf({ ...report, hazards: report.hazards.filter(({ name }) => name !== "slow-answer") }),
    );
    // Events of these senders only contain an object's id, so a handler must read its current state.
    const thin = ["mollie", "plaid"];
    expect(verdicts).toEqual(
      names.map((name) => (thin.includes(name) ? {} : { unknown: ["reordered-events"] })),
    );
    expect(reports.map(({ sender }) => sender)).toEqual(names);
    for (const { hazards, left_out: leftOut } of reports)
      expect([...hazards, ...leftOut].map(({ name }) => name).sort()).toEqual([...HAZARD_NAMES].sort());
  });
});
