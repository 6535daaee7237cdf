import { beforeAll, describe, expect, test, vi } from "vitest";
import { HAZARDS } from "../../src/trial/hazards/index.ts";
import { BUGS, badReceiver } from "./receivers/bad.ts";
import { serveRoute } from "./support/next.ts";
import { hasPython, SECRET, startFile, startReceiver } from "./support/start.ts";
import { tryReceiver, verdictsOf } from "./support/try.ts";

const everything = HAZARDS.map(({ name }) => name);
const start = (bug: string) => startReceiver(badReceiver(BUGS[bug]!, SECRET));
const forged = [
  "wrong-signature",
  "missing-signature",
  "truncated-signature",
  "malformed-signature",
  "changed-body",
];
const repeats = ["duplicate", "duplicate-at-once", "late-retry"];
/** What the answers do not show. */
const unseen = ["test-delivery", ...repeats, "reordered-events"];

/** Each bug, and every hazard that shows it; no other fails. */
const SHOWN_BY: Record<string, string[]> = {
  "no bug": [],
  "verifies nothing": forged,
  "wants a signature, but does not compare it": forged.filter((name) => name !== "missing-signature"),
  "writes the parsed body again to verify it": ["changed-body", "other-formatting", "crlf"],
  "reads the body as Latin-1 to verify it": [
    "unicode",
    "split-character",
    "decomposed-text",
    "line-separator",
  ],
  "joins the chunks of a body as text": ["split-character"],
  "looks headers up as the sender writes them": ["lower-case-headers"],
  "turns CRLF into LF": ["crlf"],
  "normalizes text": ["decomposed-text"],
  "drops line separators": ["line-separator"],
  "stores texts as Postgres does": ["null-character"],
  "compares the beginning": ["missing-signature", "truncated-signature"],
  "compares buffers of any length": ["missing-signature", "truncated-signature", "malformed-signature"],
  "verifies only if there is a signature": ["missing-signature", "truncated-signature"],
  "refuses duplicates": repeats,
  "takes the types it knows": ["other-events", "unknown-event"],
  "refuses fields it does not know": ["extra-fields"],
  "needs a customer": ["bare-event"],
  "refuses events older than five minutes": ["old-event"],
  "takes GET as well": ["get-request"],
  "takes 100 kB": ["large-body"],
  "says yes to everything, and ignores what is not signed": [...forged, "get-request"],
  // Their answers are those of good ones; see below.
  "knows an event by its delivery id": [],
  "handles duplicates again": [],
  "works before it verifies": [],
};

/** What the state shows beside that, of these hazards. */
const SHOWN_BY_STATE: [bug: string, only: string[], shown: Record<string, string[]>][] = [
  ["no bug", [...repeats, "test-delivery", "wrong-signature"], {}],
  ["knows an event by its delivery id", repeats, { fail: ["late-retry"] }],
  ["handles duplicates again", repeats, { fail: repeats }],
  ["looks first and writes later", repeats, { fail: ["duplicate-at-once"] }],
  ["works before it verifies", ["missing-signature"], { fail: ["missing-signature"] }],
  [
    "says yes to everything, and ignores what is not signed",
    ["wrong-signature", "get-request"],
    { warn: ["wrong-signature", "get-request"] },
  ],
];

describe("receivers with a bug", () => {
  test.each(Object.entries(SHOWN_BY))("%s", async (bug, shown) => {
    const report = await tryReceiver(await start(bug));
    const { skipped = [], fail = [], unknown = [] } = verdictsOf(report);
    expect(unknown).toEqual(unseen.filter((name) => !fail.includes(name)));
    expect({ fail, skipped }).toEqual({
      fail: report.hazards.map(({ name }) => name).filter((name) => shown.includes(name)),
      skipped: [],
    });
    expect(report.verdict).toBe(shown.length > 0 ? "fail" : "unknown");
  });

  test("every bug is tried", () => {
    const useless = ["redirects", "never answers", "is not there", "has another secret"];
    const tried = [...Object.keys(SHOWN_BY), ...SHOWN_BY_STATE.map(([bug]) => bug), ...useless];
    expect([...new Set(tried)].sort()).toEqual(Object.keys(BUGS).sort());
  });

  test("a state shows what cannot be seen from outside", async () => {
    const found = await Promise.all(
      SHOWN_BY_STATE.map(async ([bug, only]) => {
        const report = await tryReceiver(await start(bug), { state: true, only });
        return [bug, only, verdictsOf(report)];
      }),
    );
    expect(found).toEqual(SHOWN_BY_STATE);
  });
});

describe("receivers with the bugs of a framework", () => {
  test("express.json() in place of the bytes", async () => {
    expect(verdictsOf(await tryReceiver(await startFile("bad-express.mjs")))).toEqual({
      fail: ["changed-body", "other-formatting", "large-body", "crlf"],
      unknown: unseen,
    });
  });

  test.skipIf(!hasPython)("a comparison of texts in Python, and exceptions left to http.server", async () => {
    expect(verdictsOf(await tryReceiver(await startFile("bad.py")))).toEqual({
      fail: ["missing-signature", "malformed-signature"],
      warn: ["not-an-event"],
      unknown: unseen,
    });
  });
});

describe("receivers that do not take a valid event", () => {
  test.each([
    ["redirects", 10_000, "answered 308 to /webhooks/", "follows no redirects"],
    ["never answers", 200, "did not answer within 200 ms", "do the work afterwards"],
    ["is not there", 10_000, "answered 404", "Nothing accepts a POST at this path"],
    ["has another secret", 10_000, "answered 401", "secrets differ"],
  ])("%s: all else is skipped, and the advice fits", async (bug, timeout, detail, advice) => {
    const { hazards, counts, finding } = await tryReceiver(await start(bug), { timeout });
    expect(counts).toMatchObject({ fail: 1, pass: 0, warn: 0, skipped: hazards.length - 1 });
    expect(hazards[0]).toMatchObject({ name: "valid-event", summary: expect.stringContaining(detail) });
    expect(hazards[0]!.fix).toContain(advice);
    expect(finding).toContain("does not accept a valid event");
  });
});

describe("receivers that a reader would copy", () => {
  beforeAll(() => {
    vi.stubEnv("SANDGLASS_WEBHOOK_SECRET", SECRET);
    return () => vi.unstubAllEnvs();
  });

  test("pass every hazard, and their state shows that nothing is handled twice", async () => {
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

  test.skipIf(!hasPython)("a handler of Python's http.server passes every hazard", async () => {
    const report = await tryReceiver(await startFile("receiver.py"), { state: true });
    expect(verdictsOf(report)).toEqual({});
  });

  test("a route handler of Next.js passes every hazard that its answers show", async () => {
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
