import { beforeAll, describe, expect, test, vi } from "vitest";
import { BUGS, badReceiver, repeats, SHOWN_BY } from "./receivers/bad.ts";
import { everything, unseen } from "./receivers.ts";
import { serveRoute } from "./support/next.ts";
import { SECRET, startFile, startReceiver } from "./support/start.ts";
import { tryReceiver, verdictsOf } from "./support/try.ts";

const start = (bug: string) => startReceiver(badReceiver(BUGS[bug]!, SECRET));

const LONG = ["duplicate-at-once", "large-body", "other-events"];

/** For each bug, the hazards that fail once `check` can also see the handler's state. */
const SHOWN_BY_STATE: [bug: string, only: string[], shown: Record<string, string[]>][] = [
  ["no bug", [...repeats, "test-delivery", "wrong-signature"], {}],
  ["identifies an event by its delivery id", repeats, { fail: ["late-retry"] }],
  ["handles duplicates again", repeats, { fail: repeats }],
  ["checks for an event first and records it later", repeats, { fail: ["duplicate-at-once"] }],
  ["does the work before it verifies", ["missing-signature"], { fail: ["missing-signature"] }],
  [
    "returns 200 for everything, and ignores unsigned requests",
    ["wrong-signature", "get-request"],
    { warn: ["wrong-signature", "get-request"] },
  ],
];

describe("a handler with a bug", () => {
  test.each(Object.entries(SHOWN_BY))(
    "check fails exactly the hazards that reveal a handler's bug: %s",
    async (bug, shown) => {
      // A handler without a bug runs all hazards. The others skip the slow hazards, unless these reveal the bug.
      const skip = shown.length === 0 ? [] : LONG.filter((name) => !shown.includes(name));
      const report = await tryReceiver(await start(bug), { skip });
      const { skipped = [], fail = [], unknown = [] } = verdictsOf(report);
      expect(unknown).toEqual(unseen.filter((name) => ![...fail, ...skip].includes(name)));
      expect({ fail, skipped }).toEqual({
        fail: report.hazards.map(({ name }) => name).filter((name) => shown.includes(name)),
        skipped: [],
      });
      expect(report.verdict).toBe(shown.length > 0 ? "fail" : "unknown");
    },
  );

  test("every bug in the list of handler bugs has a test", () => {
    const useless = ["redirects", "never responds", "returns 404", "has a different secret"];
    const tried = [...Object.keys(SHOWN_BY), ...SHOWN_BY_STATE.map(([bug]) => bug), ...useless];
    expect([...new Set(tried)].sort()).toEqual(Object.keys(BUGS).sort());
  });

  test("check finds bugs that only the state shows", async () => {
    const found = await Promise.all(
      SHOWN_BY_STATE.map(async ([bug, only]) => {
        const report = await tryReceiver(await start(bug), { state: true, only });
        return [bug, only, verdictsOf(report)];
      }),
    );
    expect(found).toEqual(SHOWN_BY_STATE);
  });
});

describe("a handler in a framework", () => {
  test("check detects that a handler verifies the output of express.json() instead of the raw bytes", async () => {
    expect(verdictsOf(await tryReceiver(await startFile("bad-express.mjs")))).toEqual({
      fail: ["changed-body", "other-formatting", "large-body", "crlf"],
      unknown: unseen,
    });
  });
});

describe("a handler that accepts no valid event", () => {
  test.each([
    ["redirects", 10_000, "returned 308 to /webhooks/", "follows no redirects"],
    ["never responds", 200, "did not respond within 200 ms", "do the work afterwards"],
    ["returns 404", 10_000, "returned 404", "Nothing accepts a POST at this path"],
    ["has a different secret", 10_000, "returned 401", "its secret differs from"],
  ])(
    "check skips the remaining hazards and gives advice if a handler %s",
    async (bug, timeout, detail, advice) => {
      const { hazards, counts, finding } = await tryReceiver(await start(bug), { timeout });
      expect(counts).toMatchObject({ fail: 1, pass: 0, warn: 0, skipped: hazards.length - 1 });
      expect(hazards[0]).toMatchObject({ name: "valid-event", summary: expect.stringContaining(detail) });
      expect(hazards[0]!.fix).toContain(advice);
      expect(finding).toBe(`${hazards[0]!.summary} Nothing else could be checked.`);
    },
  );
});

describe("the documented handlers", () => {
  beforeAll(() => {
    vi.stubEnv("SANDGLASS_WEBHOOK_SECRET", SECRET);
    return () => vi.unstubAllEnvs();
  });

  test("the documented Next.js route handler passes every hazard that its responses can show", async () => {
    const receiver = await startReceiver(serveRoute(await import("./receivers/route.ts")));
    const report = await tryReceiver(receiver);
    expect(verdictsOf(report)).toEqual({ unknown: unseen });
    expect(report).toMatchObject({
      verdict: "unknown",
      finding: null,
      counts: { pass: everything.length - unseen.length, unknown: unseen.length },
    });
  });
});
