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
        // The verifier accepts every other event, too: test/senders/shipped.test.ts.
        const { events } = await readSender(name);
        return run({ state: stateUrl, events: events.slice(0, 2).join() });
      }),
    );
    // What a late event does to its data, only the handler's author knows.
    const verdicts = reports.map((report) =>
      // How long answers take, this machine decides.
      verdictsOf({ ...report, hazards: report.hazards.filter(({ name }) => name !== "slow-answer") }),
    );
    // These only name an object, whose present state a handler reads.
    const thin = ["mollie", "plaid"];
    expect(verdicts).toEqual(
      names.map((name) => (thin.includes(name) ? {} : { unknown: ["reordered-events"] })),
    );
    expect(reports.map(({ sender }) => sender)).toEqual(names);
    for (const { hazards, left_out: leftOut } of reports)
      expect([...hazards, ...leftOut].map(({ name }) => name).sort()).toEqual([...HAZARD_NAMES].sort());
  });
});
