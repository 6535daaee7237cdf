import { beforeAll, describe, expect, test, vi } from "vitest";
import { everything, unseen } from "./receivers.ts";
import { hasPython, SECRET, startFile } from "./support/start.ts";
import { tryReceiver, verdictsOf } from "./support/try.ts";

describe("a handler in a framework", () => {
  test.skipIf(!hasPython)("check finds the bugs in a Python handler based on http.server", async () => {
    expect(verdictsOf(await tryReceiver(await startFile("bad.py")))).toEqual({
      fail: ["missing-signature", "malformed-signature"],
      warn: ["not-an-event"],
      unknown: unseen,
    });
  });
});

describe("the documented handlers", () => {
  beforeAll(() => {
    vi.stubEnv("SANDGLASS_WEBHOOK_SECRET", SECRET);
    return () => vi.unstubAllEnvs();
  });

  test("the documented Node handlers pass every hazard, and their state shows that each event is handled once", async () => {
    const files = ["express.mjs", "fastify.mjs", "node-http.mjs"];
    const reports = await Promise.all(
      files.map(async (name) => tryReceiver(await startFile(name), { state: true })),
    );
    expect(reports.map(verdictsOf)).toEqual(files.map(() => ({})));
    for (const { hazards, verdict } of reports) {
      expect(verdict).toBe("pass");
      expect(hazards.map((it) => it.name)).toEqual(everything);
      expect(hazards.filter(({ summary }) => summary.includes("handled once")).map((it) => it.name)).toEqual([
        "duplicate",
        "duplicate-at-once",
        "late-retry",
      ]);
    }
  });

  test.skipIf(!hasPython)(
    "the documented Python handler based on http.server passes every hazard",
    async () => {
      const report = await tryReceiver(await startFile("receiver.py"), { state: true });
      expect(verdictsOf(report)).toEqual({});
    },
  );
});
