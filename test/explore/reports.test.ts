import { beforeAll, describe, expect, it } from "vitest";
import { headline, mainDifference } from "../../src/trial/findings/headline.ts";
import { partingRows } from "../../src/trial/findings/parting.ts";
import { explorationLines, UNPAINTED } from "../../src/trial/findings/report.ts";
import { surveyVerdict, surveyWords, verdictWords } from "../../src/trial/findings/verdict.ts";
import { levelView } from "../../src/trial/findings/view.ts";
import { trialHtml } from "../../src/trial/report/html.ts";
import { trialJunit } from "../../src/trial/report/junit.ts";
import { trialOf } from "../../src/trial/report/trial.ts";
import type { Exploration, Survey } from "../../src/trial/schedules/exploration.ts";
import { readJunit } from "../reports/read-junit.ts";
import { correctShop, exploreShop, lastWriteWins, makeShop } from "./handlers.ts";

const linesOf = (exploration: Exploration, width = 80) =>
  explorationLines(exploration, { paint: UNPAINTED, width });

/** Wraps an exploration as the result of a single story. */
const only = (exploration: Exploration): Survey => ({
  explorations: [exploration],
  unplayed: [],
  wallMs: 2_000,
});
const explorationHtml = (exploration: Exploration) => trialHtml(trialOf({ survey: only(exploration) }));
const explorationJunit = (exploration: Exploration) => trialJunit(trialOf({ survey: only(exploration) }));

let found: Exploration;
let clean: Exploration;
let flaky: Exploration;
beforeAll(async () => {
  found = await exploreShop(lastWriteWins(), "late-payment", 2);
  clean = await exploreShop(correctShop(), "checkout");
  let requests = 0;
  const random = makeShop((_event, shop) => {
    requests += 1;
    shop.revenue = requests;
    return undefined;
  });
  flaky = await exploreShop(random, "checkout");
});

describe("the terminal report", () => {
  it("the terminal report shows a finding with its attempts, state, cause and two timelines in 80 columns", () => {
    expect(
      linesOf(found)
        .join("\n")
        .replaceAll(/…\w{4}/g, "…"),
    ).toMatchInlineSnapshot(`
      "Story late-payment: 2 events, 2 attempts in the calm run. State has 3 fields.
      1 deviation   1 of 16 schedules tried   found

      A paid order ends up cancelled.
         1  09:00:20  checkout.expired   attempt 1  lost: the request never arrives
         2  09:00:40  payment.completed  attempt 1  200
         3  09:01:20  checkout.expired   attempt 2  200
        State  orders.order-7.status   expected "paid", got "cancelled"
        What each delivery changed
         2  payment.completed
              when all goes well  orders.order-7.status: "cancelled" → "paid"
                                  orders.order-7.payments: 0 → 1
                                  revenue: 0 → 2500000
              as found            orders.order-7: nothing → {"status":"paid","payment…
                                  revenue: 0 → 2500000
         3  checkout.expired  ← the runs diverge here
              when all goes well  orders.order-7: nothing → {"status":"cancelled","pa…
              as found            orders.order-7.status: "paid" → "cancelled"
      Why: checkout.expired is lost, and its retry arrives after payment.completed.
           After payment.completed, checkout.expired changes orders.order-7.status
           from "paid" to "cancelled". checkout.expired happened at 09:00:20, and
           payment.completed at 09:00:40: compare the timestamps in the bodies, not
           those in the headers, or read the session again before you change an order.

      When everything goes well
      Virtual time       15 Jan 09:00      09:00:20         09:00:40
      State              +────────────────────────────────────────────────────────────
      Failures 0/10                                         │
      Attempts                             checkout.expired …
                                         (200)              │
                                                            payment.completed …
                                                          (200)
                                                         now│

      As found
      Virtual time       15 Jan 09:00      09:00:20         09:00:40             │
      State              +────────────────────────────────────────────────────────────
      Failures 0/10                        ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁                    │
      Attempts                             checkout.expired …                │
                                        [lost]─────────────────────────────────(200)
                                                            payment.completed …
                                                          (200)                  │
                                                                              now│

      (200) ● delivered  [503] ■ failed  [lost] the request or its response was lost
      (…) ○ in progress  <2> ◇ planned, or would follow if all fail  3× several in one
      × not made  h by hand  r resend  t test  + created  ~ updated  ■ ░ disabled
      ▶ enabled  ✉ e-mail"
    `);
    for (const line of linesOf(found)) expect(line.length).toBeLessThanOrEqual(80);
  });

  it("the terminal report says how many schedules were tried if nothing was found", () => {
    const [head, level, , verdict] = linesOf(clean);
    expect(head).toBe("Story checkout: 2 events, 2 attempts in the calm run. State has 3 fields.");
    expect(level).toMatch(
      /^1 deviation {3}(\d+) of \1 schedules tried(?:, \d+ looks? like others)? {3}nothing found$/,
    );
    expect(verdict).toMatch(/^No difference with up to 1 deviation: all \d+ schedules tried in /);
  });

  it("the terminal report does not count ignored fields in the state", () => {
    const fields = (...ignore: string[]) => /State has .*$/.exec(linesOf({ ...clean, ignore })[0]!)?.[0];
    expect(fields("revenue")).toBe("State has 2 fields.");
    expect(fields("orders.*.status", "revenue")).toBe("State has 1 field.");
    expect(fields("orders")).toBe("State has 1 field.");
    expect(linesOf({ ...clean, ignore: ["orders.*.status", "ordrs.*"] })[1]).toBe(
      "The state has nothing at: ordrs.*",
    );
  });

  it("the terminal report prints what to ignore if two calm runs differ", () => {
    const text = linesOf(flaky).join("\n");
    expect(text).toContain("The subscriber is not deterministic: two calm runs ended differently.");
    expect(text).toMatch(/State {2}revenue {3}one run \d+, another \d+/);
    expect(text).toContain("subject.ignore");
  });

  it("the terminal report prints which schedules were not tried within the budget", () => {
    const [first, ...rest] = found.levels;
    const stopped: Exploration = {
      ...found,
      finding: null,
      stopped: "budget",
      wallMs: 60_000,
      levels: [
        { ...first!, schedules: 11, tried: 11 },
        { ...rest[0]!, schedules: 75, tried: 40 },
        { ...first!, deviations: 3, schedules: null, tried: 0 },
      ],
    };
    expect(linesOf(stopped).slice(1)).toEqual([
      "1 deviation   11 of 11 schedules tried   nothing found",
      "2 deviations  40 of 75 schedules tried   cut off",
      "3 deviations  not started",
      "",
      "No difference in 51 schedules, including all with up to 1 deviation. Not all schedules with more deviations were tried in 1 min; --budget extends that.",
    ]);
    expect(verdictWords({ ...stopped, stopped: "cancelled" })).toMatch(/It was cancelled\.$/);
  });
});

it.each([
  [3, 0],
  [4, 1],
])(
  "the report for a delivery with %d changes omits %d of them, and says how many it omits",
  (all, leftOut) => {
    const finding = found.finding!;
    const changes = Array.from({ length: all }, (_, index) => ({
      ...{ path: `orders.order-${index}`, expected: 0, actual: 1 },
    }));
    const steps = finding.steps.map((one) => ({ ...one, calm: changes }));
    const { calm } = partingRows({ ...finding, steps })[0]!;
    expect(calm).toHaveLength(all - leftOut + Math.min(leftOut, 1));
    expect(calm.filter((line) => line === "and 1 more change")).toHaveLength(leftOut);
  },
);

describe("the HTML report", () => {
  it("the HTML report contains both timelines of a finding, and needs no script or other file", () => {
    const markup = explorationHtml(found);
    expect(markup).toContain("<h1><bdi>A paid order ends up cancelled</bdi></h1>");
    expect(markup.match(/<svg class="timeline" viewBox/g)).toHaveLength(2);
    // The report follows the order in which people read: what happened, where, what the result was, and why. The rest
    // is collapsed.
    expect(markup).toMatch(
      /What happens<.*When everything goes well<\/h3>.*As found<\/h3>.*Where it goes wrong<.*The state in the end<.*Why, and the fix<.*<details class="rest"><summary>3 attempts in order<.*<details class="card rest"><summary><h2>What was tried</s,
    );
    const rows = [...markup.matchAll(/<tr class="\w+"><td[^>]*>\d.*?<\/tr>/g)].map(([row]) => row);
    expect(
      rows.map((row) =>
        row
          .replace(/<[^>]*>/g, " ")
          .replace(/\s+/g, " ")
          .trim(),
      ),
    ).toEqual([
      expect.stringMatching(
        /^3 checkout\.expired orders\.order-7: nothing → .*: &quot;paid&quot; → &quot;cancelled&quot;$/,
      ),
      "1 2026-01-15 09:00:20 checkout.expired 1 lost: the request never arrives",
      "2 2026-01-15 09:00:40 payment.completed 1 200",
      "3 2026-01-15 09:01:20 checkout.expired 2 200",
    ]);
    expect(markup).toMatch(
      /<h2>The state in the end<\/h2>.*orders\.order-7\.status.*&quot;paid&quot;.*&quot;cancelled&quot;/,
    );
    expect(markup).not.toMatch(/<script|<link rel="stylesheet|<img|@import|url\((?!data:)/);
  });

  it("the HTML report begins with the evidence for its headline, and collapses all other failures", () => {
    const hazard = (name: string) => ({
      ...{ name, verdict: "fail", title: `The hazard ${name}`, summary: "It failed." },
      ...{ exchanges: [], why: "", fix: "", assumed: [] },
    });
    const check = {
      ...{ verdict: "fail", hazards: [hazard("slow"), hazard("large")], counts: { pass: 0 } },
      ...{ unknown_calls: [], left_out: [], finding: null, url: "", sender: "", event: "", seed: "", at: "" },
      duration_ms: 1,
    } as never;
    const both = trialHtml(trialOf({ survey: only(found), check }));
    expect(both).toMatch(/<h1><bdi>A paid order ends up cancelled<.*What happens<.*The hazard slow</s);
    expect(both.match(/<details[^>]* open/g)).toBeNull();
    const alone = trialHtml(trialOf({ check }));
    expect(alone).toMatch(
      /<h1><bdi>The hazard slow: It failed<.*<details class="scenario failed" open><summary>.*The hazard slow</s,
    );
    expect(alone.match(/<details[^>]* open/g)).toHaveLength(1);
  });

  it("the HTML report escapes the subscriber's data", () => {
    const { finding } = found;
    const hostile = explorationHtml({
      ...found,
      finding: {
        ...finding!,
        differences: [{ path: "<script>alert(1)</script>", expected: "<b>", actual: "</bdi><i>" }],
      },
    });
    expect(hostile).not.toMatch(/<script|<b>&|<i>/);
    expect(hostile).toContain("&lt;script&gt;");
  });

  it("the HTML report shows a pass if there is no finding, and a failure if the subscriber is non-deterministic", () => {
    expect(explorationHtml(clean)).toMatch(/<h1><bdi>No difference found<\/bdi><\/h1>.*passed/);
    expect(explorationHtml(flaky)).toMatch(/not deterministic<\/bdi><\/h1>.*failed/);
  });
});

describe("the JUnit report", () => {
  const casesOf = async (exploration: Exploration) => {
    const { children } = await readJunit(explorationJunit(exploration));
    return children[0]!.children
      .filter(({ name }) => name === "testcase")
      .map(({ attributes, children: parts }) => [
        attributes.name,
        parts[0]?.name,
        parts[0]?.attributes.message,
      ]);
  };

  it("the JUnit report has one test case for each number of deviations", async () => {
    expect(await casesOf(found)).toEqual([
      ["late-payment: 1 deviation", "failure", "A paid order ends up cancelled."],
      ["late-payment: 2 deviations", "skipped", "Not tried, because fewer deviations were enough."],
    ]);
    expect(await casesOf(clean)).toEqual([["checkout: 1 deviation", "system-out", undefined]]);
    expect(await casesOf(flaky)).toEqual([
      ["checkout: 1 deviation", "failure", "The subscriber is not deterministic."],
    ]);
    const cut = {
      ...clean,
      stopped: "budget" as const,
      levels: [{ ...clean.levels[0]!, tried: 3, schedules: 12 }],
    };
    const [level] = clean.levels;
    const incomplete = { ...cut, levels: [level!, { ...cut.levels[0]!, deviations: 2 }] };
    expect(await casesOf(incomplete)).toEqual([
      ["checkout: 1 deviation", "system-out", undefined],
      [
        "checkout: 2 deviations",
        "skipped",
        "3 of 12 schedules tried. The budget ran out; --budget extends it.",
      ],
    ]);
    // If too little was tried for a verdict, the report must not look like a success.
    expect(await casesOf(cut)).toEqual([
      ["checkout: 1 deviation", "failure", expect.stringMatching(/^Inconclusive: The budget ran out after /)],
    ]);
  });
});

it("requests at the same instant overlap only if the schedule says so [fidelity: Deliveries › Explore]", async () => {
  let open = 0;
  let most = 0;
  const patient = makeShop(async () => {
    open += 1;
    most = Math.max(most, open);
    await new Promise((resolve) => setImmediate(resolve));
    open -= 1;
    return undefined;
  });
  const state = () => ({ most });
  const reset = () => {
    most = 0;
  };
  const { finding } = await exploreShop({ ...patient, reset, state: state as never }, "checkout");
  expect(finding!.run.schedule).toEqual([{ at: 0, kind: "overlap" }]);
  expect(finding!.differences).toEqual([{ path: "most", expected: 1, actual: 2 }]);
});

describe("an exploration that compared no state", () => {
  const uncompared = (): Exploration => ({
    ...clean,
    levels: clean.levels.map((level) => ({ ...level, undelivered: level.tried })),
  });

  it("an exploration that compared no state never passes in any report", async () => {
    const reason = /No state was compared: each of the 25 schedules left an event undelivered/;
    expect(linesOf(uncompared()).at(-1)).toMatch(/^Inconclusive: No state was compared/);
    expect(explorationHtml(uncompared())).toMatch(/Cannot tell whether there is a difference<.*failed/s);
    expect(explorationHtml(uncompared())).toMatch(reason);
    expect(explorationJunit(uncompared())).toMatch(/<failure message="Inconclusive: .*type="inconclusive">/);
    expect(uncompared().levels.map(levelView)).toMatchObject([{ tried: 25, compared: 0 }]);
  });

  it("the verdict is inconclusive if one story compared no state, even if another is complete", () => {
    const survey = { explorations: [clean, uncompared()], unplayed: [], wallMs: 2_000 };
    expect(surveyVerdict(survey)).toBe("inconclusive");
    expect(surveyVerdict({ ...survey, explorations: [uncompared(), found] })).toBe("found");
    expect(surveyWords(survey)).toMatch(
      /^Inconclusive: checkout: No state was .* No difference in checkout: /,
    );
  });

  it("the verdict counts the schedules that were not compared", () => {
    const levels = clean.levels.map((level) => ({ ...level, undelivered: 2 }));
    expect(verdictWords({ ...clean, levels })).toMatch(
      /all 25 schedules tried in .*\. 2 left something undelivered and were not compared\.$/,
    );
  });
});

describe("the headline of a finding", () => {
  it.each<[first: string, path: string, expected: unknown, actual: unknown]>([
    ["an amount", "accounts.ada.credits", 205, 105],
    ["an entry with an amount", "payments.1", { event_id: "evt_1", amount: 5 }, undefined],
    ["a timestamp", "orders.order-7.cancelled_at", "a time of the run", null],
    ["an entry in another table", "mails.7", undefined, { subject: "Thanks" }],
  ])(
    "the headline mentions %s rather than a missing record of a handled event",
    (_first, path, expected, actual) => {
      const run = { refused: [], attempts: [{ ...found.calm.attempts[0]!, id: "del_1", eventId: "evt_1" }] };
      const records = [
        { path: "processed.evt_1", expected: { id: "evt_1", created: 1_768_467_600 }, actual: undefined },
        { path: "handled.3", expected: { id: 3, delivery: "del_1" }, actual: undefined },
      ];
      const differences = [...records, { path, expected, actual }];
      expect(mainDifference(differences, run)?.path).toBe(path);
    },
  );

  it.each<[path: string, expected: unknown, actual: unknown, words: string]>([
    ["orders.order-7.status", "paid", "cancelled", "A paid order ends up cancelled."],
    ["order.status", "open", "cancelled", "An open order ends up cancelled."],
    ["orders[0].state", "paid", "open", "A paid order ends up open."],
    ["status", "paid", "open", 'Status ends up as "open" instead of "paid".'],
    ["revenue", 2, 4, "Revenue is counted twice."],
    ["orders.order-7.payments", 1, 2, "Payments of order-7 are counted twice."],
    ["orders.order-7.payments", 1, 3, "Payments of order-7 are counted three times."],
    ["totalRevenue", 5, 0, "Total revenue ends up as 0 instead of 5."],
    ["orders.order-7", { status: "paid" }, undefined, "order-7 is missing from orders."],
    ["orders.none", undefined, { status: "paid" }, "Orders ends up with an unexpected none."],
    ["orders.cs_0ykWCMIe5bVSHMSw.payments", 1, 2, "Payments in orders are counted twice."],
    ["orders.cs_0ykWCMIe5bVSHMSw", undefined, { n: 1 }, "Orders has an entry too many."],
    ["mails[1]", undefined, "Thanks", "Mails has an entry too many."],
    ["mails[0]", "Thanks", undefined, "Mails lacks an entry."],
    ["orders.order-7.shipped", true, false, "Shipped of order-7 ends up as false instead of true."],
    ["", 1, "x", 'The state ends up as "x" instead of 1.'],
  ])(
    "the headline is a sentence for the field %s if %j is expected and the result is %j",
    (path, expected, actual, words) => {
      expect(
        headline({ differences: [{ path, expected, actual }], invariant: null, run: { refused: [] } }),
      ).toBe(words);
    },
  );

  it("the headline prefers the status field, and names the invariant if nothing differs", () => {
    const differences = [
      { path: "revenue", expected: 1, actual: 2 },
      { path: "orders.order-7.status", expected: "paid", actual: "cancelled" },
    ];
    expect(headline({ differences, invariant: null, run: { refused: [] } })).toBe(
      "A paid order ends up cancelled.",
    );
    const invariant = { message: "An order is paid twice\nat line 3", after: null };
    expect(headline({ differences: [], invariant, run: { refused: [] } })).toBe("An order is paid twice.");
  });
});
