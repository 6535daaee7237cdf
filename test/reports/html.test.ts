import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EventType } from "../../src/payments/webhooks/event-types.ts";
import { scenarioHtml, worldHtml } from "../../src/reports/html.ts";
import type { EndpointReport, ScenarioReport } from "../../src/reports/scenario-report.ts";
import type { SkipReason } from "../../src/timeline/endpoint-state.ts";
import {
  at,
  attempt,
  counted,
  endpoint,
  entry,
  failed,
  failedScenario,
  longTimeline,
  scenario,
  step,
  timeline,
} from "./reports.ts";

const MEGABYTE = 1_000_000;

/** The text of a part of a document, without its markup. */
const textOf = (markup: string) =>
  markup
    .replace(/<style>[\s\S]*?<\/style>/, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");
/** The names of a document's tags, in order. */
const tagsOf = (markup: string) => [...markup.matchAll(/<[^\s>]*/g)].map(([tag]) => tag);
const countOf = (markup: string, part: string) => markup.split(part).length - 1;
/** The timelines of a document, without those in the legend. */
const drawingsOf = (markup: string) =>
  (markup.match(/<svg class="timeline" viewBox[\s\S]*?<\/svg>/g) ?? []).join("");
const marksOf = (markup: string) =>
  [...drawingsOf(markup).matchAll(/<g class="(mark [^"]*)"/g)].map(([, kind]) => kind);

describe("an HTML report of scenarios", () => {
  test("an HTML report shows each failure first, with its step, expectation, position and hint", () => {
    const text = textOf(scenarioHtml([scenario(), failedScenario()]));
    const order = [
      "1 passed, 1 failed",
      "Retries exhausted",
      "An expectation was not met",
      "Three retries follow",
      "Received: 3",
      "scenarios/retries-exhausted.ts:31:24",
      "Advance the clock by 1 h more.",
      "Retry and recover",
    ].map((part) => text.indexOf(part));
    expect(order).not.toContain(-1);
    expect(order).toEqual([...order].sort((a, b) => a - b));
  });

  test("an HTML report shows parameters, the subscriber, steps, summaries, logs and e-mails", () => {
    const report = failedScenario({
      subscriber: "http://127.0.0.1:3000/hooks",
      log: [{ at: at(0), text: "outside of steps" }],
      calls: [
        {
          method: "GET",
          path: "/data/insights/v1/tokens/lookup",
          status: 400,
          error: { code: null, message: "symbol is required." },
        },
      ],
      mail: [{ to: "owner@example.com", subject: "Webhook endpoint disabled", created_at: at(11) }],
    });
    const text = textOf(scenarioHtml([report]));
    for (const part of [
      "status 503",
      "http://127.0.0.1:3000/hooks",
      "A payment succeeds",
      "11 min: 2 attempts failed",
      "Waiting for the retries",
      "Attempt 3 of payment.completed failed",
      "http://127.0.0.1:4400/_sandbox/inbox/shop, status 503",
      "GET /data/insights/v1/tokens/lookup 400 symbol is required.",
      "outside of steps",
      "owner@example.com",
    ])
      expect(text).toContain(part);
  });

  test("an HTML report of several failures starts with a link to each", () => {
    const markup = scenarioHtml([scenario(), failedScenario(), failedScenario({ title: "Another" })]);
    for (const [, id] of markup.matchAll(/href="#([\w-]+)"/g)) expect(countOf(markup, `id="${id}"`)).toBe(1);
    expect(countOf(markup, 'href="#scenario-')).toBe(2);
  });

  test("an HTML report expands failures, and expands a scenario if it is the only one", () => {
    const open = (markup: string) =>
      [...markup.matchAll(/<details class="scenario[^>]*>/g)].map(([tag]) => tag.endsWith(" open>"));
    expect(open(scenarioHtml([scenario(), failedScenario()]))).toEqual([true, false]);
    expect(open(scenarioHtml([scenario()]))).toEqual([true]);
  });

  test("an HTML report stays small no matter how much a scenario logs", () => {
    const text = '<&"'.repeat(3_000);
    const lines = Array.from({ length: 5_000 }, (_, index) => ({ at: at(index), text }));
    const mail = Array.from({ length: 5_000 }, (_, index) => ({
      to: text,
      subject: text,
      created_at: at(index),
    }));
    const steps = Array.from({ length: 600 }, () => step("One of many"));
    const markup = scenarioHtml([
      scenario({ log: lines, mail, steps: [...steps, step("The last", { log: lines })] }),
    ]);
    expect(Buffer.byteLength(markup)).toBeLessThan(3 * MEGABYTE);
    expect(markup).toMatch(/earlier lines are omitted/);
    expect(markup).toContain("101 earlier steps are omitted");
  });

  test("an HTML report without scenarios says so", () => {
    expect(textOf(scenarioHtml([]))).toContain("Nothing was run");
  });

  test("an HTML report is identical for equal input and loads no other resources", () => {
    const markup = scenarioHtml([failedScenario()]);
    expect(scenarioHtml([failedScenario()])).toBe(markup);
    expect(markup).not.toMatch(/<script|<link rel="stylesheet|<img|<iframe|@import|url\((?!data:)/);
    expect([...markup.matchAll(/ (?:src|href)="([^"]*)"/g)].map(([, target]) => target)).toEqual(["data:,"]);
  });
});

describe("timelines in an HTML report", () => {
  const drawn = (over: Partial<EndpointReport>) => scenarioHtml([scenario({ endpoints: [endpoint(over)] })]);

  test("a timeline shows attempts by outcome, faded marks for later attempts, changes and the counter", () => {
    const markup = drawn({ timeline: longTimeline() });
    const marks = marksOf(markup);
    for (const kind of [
      "mark attempt good test",
      "mark attempt good automatic",
      "mark attempt bad automatic",
      "mark attempt good manual",
      "mark attempt pending automatic",
      "mark planned none automatic",
      "mark forecast none automatic",
    ])
      expect(marks, kind).toContain(kind);
    for (const tone of ["none", "bad", "good"]) expect(markup).toContain(`<g class="flag ${tone}">`);
    for (const label of [
      ">200<",
      ">503<",
      ">T/O<",
      ">REF<",
      ">8/10<",
      ">disabled, if all fail<",
      ">1 d 22 h<",
    ])
      expect(markup).toContain(label);
    expect(drawingsOf(markup)).toContain('class="break"');
  });

  test("a timeline describes every mark in words", () => {
    const markup = drawn({ timeline: longTimeline() });
    const svg = drawingsOf(markup);
    expect(countOf(svg, '<g class="mark ')).toBeGreaterThan(20);
    expect(countOf(svg, '"><title>')).toBe(
      countOf(svg, '<g class="mark ') + countOf(svg, '<g class="flag ') + countOf(svg, '"disabled-at">'),
    );
    expect(svg).toContain(
      "Attempt 2 of payment.completed failed with 503 after 12 ms, at 2026-01-15 09:11:30, 2 of 10 failures in a row",
    );
    expect(svg).toContain("Manual retry of payment.completed succeeded with 200");
  });

  test("a timeline is followed by a table with the same facts", () => {
    const text = textOf(drawn({ timeline: longTimeline() }));
    expect(text).toContain("2026-01-15 09:11:30 payment.completed 2 failed with 503 2/10");
    expect(text).toContain("timed out, 30 s later");
    expect(text).toContain("not made: the endpoint was disabled");
    expect(text).toContain("would follow if all fail");
    expect(text).toContain("Endpoint disabled: too many failures in a row");
  });

  test("a timeline's table shows the counter after each attempt", () => {
    const attempts = counted([attempt(0), attempt(1), attempt(2, { status: "success" }), attempt(3)], 5);
    const counter = { consecutive_failures: 1, threshold: 10, counts: "attempts" as const };
    const markup = drawn({ timeline: timeline({ now: at(3), attempts, counter }) });
    const rows = [...markup.matchAll(/<td>(\d+)\/10<\/td>/g)].map(([, value]) => value);
    expect(rows).toEqual(["6", "7", "0", "1"]);
  });

  test("a timeline merges overlapping marks into one", () => {
    const attempts = Array.from({ length: 5 }, (_, index) =>
      attempt(1, { delivery_id: `del_${index}`, status: index < 2 ? "success" : "failed" }),
    );
    const markup = drawn({ timeline: timeline({ now: at(2), attempts }) });
    expect(markup).toContain(">5×<");
    expect(markup).toContain("5 attempts, 3 failed, at 2026-01-15 09:01:00");
  });

  test("a timeline starts with the run, and only counts seeded attempts instead of drawing them", () => {
    const before = [attempt(-3_000), attempt(-2_000), attempt(-2_000, { delivery_id: "del_x" })];
    const markup = drawn({
      timeline: timeline({
        now: at(2),
        attempts: counted([...before, attempt(1, { delivery_id: "del_now" })]),
        counter: { consecutive_failures: 4, threshold: 10, counts: "attempts" },
        changes: [
          { type: "created", reason: null, at: at(-9_000) },
          { type: "disabled", reason: "dashboard", at: at(-100) },
          { type: "enabled", reason: "dashboard", at: at(2) },
        ],
      }),
    });
    expect(marksOf(markup)).toEqual(["mark attempt bad automatic"]);
    expect(textOf(markup)).toContain("(3 attempts before are not shown)");
    expect(textOf(markup)).toContain("failed with 503 4/10");
    expect([...markup.matchAll(/class="flag (\w+)"/g)].map(([, tone]) => tone)).toEqual(["good"]);
    expect([...markup.matchAll(/class="band (\w+)"/g)].map(([, tone]) => tone)).toEqual(["bad", "good"]);
    expect(markup).not.toContain(at(-3_000));
    // The counter starts at its earlier value: 3, then 4, then 0 again.
    const curve = /<path class="curve" d="M104 (\d+)H\d+V(\d+)H\d+V(\d+)H\d+"/.exec(markup);
    const [three, four, zero] = curve!.slice(1).map(Number) as [number, number, number];
    expect(four).toBeLessThan(three);
    expect(three).toBeLessThan(zero);
  });

  test("the timeline of a seeded endpoint without failures is collapsed", () => {
    const old = [{ type: "created" as const, reason: null, at: at(-9_000) }];
    const attempts = [attempt(1, { status: "success" })];
    const calm = endpoint({
      url: "https://calm.example",
      timeline: timeline({ now: at(2), attempts, changes: old }),
    });
    const fresh = endpoint({ url: "https://fresh.example", timeline: timeline({ now: at(2), attempts }) });
    const both = scenarioHtml([scenario({ endpoints: [calm, fresh] })]);
    expect(both.indexOf("https://fresh.example")).toBeLessThan(both.indexOf("https://calm.example"));
    expect(both).toMatch(/<details class="others"><summary>1 other endpoint<\/summary>/);
    expect(scenarioHtml([scenario({ endpoints: [calm] })])).not.toContain('<details class="others">');
  });

  test("an endpoint without deliveries takes one line instead of a timeline", () => {
    const markup = drawn({ url: "https://quiet.example/hooks" });
    expect(textOf(markup)).toContain("Nothing was sent to https://quiet.example/hooks");
    expect(markup).not.toContain('<svg class="timeline" viewBox');
  });
});

describe("the page of a saved world", () => {
  const world = (over: Partial<Parameters<typeof worldHtml>[0]> = {}) =>
    worldHtml({
      title: "npm test ended with 1",
      seed: "default",
      now: at(11),
      endpoints: [],
      journal: [],
      mail: [],
      ...over,
    });

  test("the page of a saved world shows its timelines, e-mails and latest journal entries", () => {
    const text = textOf(
      world({
        endpoints: [endpoint({ timeline: longTimeline() })],
        journal: [failed(0, 1), entry("custom.thing", 1, { id: "thing_1" })],
        mail: [{ to: "owner@example.com", subject: "Webhook endpoint disabled", created_at: at(11) }],
      }),
    );
    for (const part of [
      "npm test ended with 1",
      "2026-01-15 09:11:00",
      "Custom thing thing_1",
      "owner@example.com",
      "8 of 10",
    ])
      expect(text).toContain(part);
  });

  test("the page of an unused world says that nothing happened", () => {
    expect(textOf(world())).toContain("Nothing has happened in this world.");
  });

  test("the page of a saved world stays small no matter how much happened, and says what it omits", () => {
    const hostile = '<&"\u{1f600}'.repeat(2_500);
    const markup = world({
      endpoints: Array.from({ length: 4 }, (_, index) =>
        endpoint({
          id: `wh_${index}`,
          url: `https://example.com/${hostile}`,
          timeline: timeline({
            now: at(20_000),
            attempts: Array.from({ length: 10_000 }, (_, number) =>
              attempt(number, {
                event_id: `evt_${number % 400}`,
                event: hostile as EventType,
                delivery_id: `del_${number}`,
              }),
            ),
          }),
        }),
      ),
      journal: Array.from({ length: 10_000 }, (_, index) =>
        entry("mail.sent", index, { to: hostile, subject: hostile }),
      ),
    });
    expect(Buffer.byteLength(markup)).toBeLessThan(3 * MEGABYTE);
    expect(markup).toMatch(/[\d,]+ earlier entries are omitted/);
    expect(markup).toMatch(/[\d,]+ earlier rows are omitted/);
    expect(markup).toContain("more events");
    // The latest rows are included.
    expect(markup).toContain(`<time datetime="${at(9_999)}">`);
  });
});

const HOSTILE = [
  "</script><script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  '" onload="alert(1)',
  "' onclick='alert(1)",
  "]]></title></svg><b>",
  "</style><!--",
  "مرحبا بالعالم",
  "\u202eright to left",
  "🧨👩‍👩‍👧‍👦",
  "\0\u0001\u001b[31m\u009b",
  "\ud800 half \udc00",
  "x".repeat(10_000),
  "&lt;&#0;",
];

/** A report with the same text in every place where user-provided text can appear. */
function saying(text: string): ScenarioReport {
  const events = (name: string) => ({ event: name as EventType, event_id: `evt_${name}` });
  return failedScenario({
    name: text,
    title: text,
    description: text,
    file: text,
    params: { [text]: text },
    subscriber: text,
    seed: text,
    log: [{ at: at(0), text }],
    mail: [{ to: text, subject: text, created_at: at(0) }],
    steps: [
      step(text, {
        result: "failed",
        log: [{ at: at(0), text }],
        ledger: [
          failed(0, 1, { event: text, error: text, response_code: text, next_attempt_at: text }),
          entry("mail.sent", 0, { to: text, subject: text }),
          entry("fault.set", 0, { target: text, spec: { text } }),
          entry("thing.done", 0, { id: text }),
        ],
      }),
    ],
    failure: {
      code: "error",
      message: text,
      hint: text,
      step: text,
      position: { file: text, line: 1, column: 2 },
    },
    endpoints: [
      endpoint({
        id: text,
        url: text,
        description: text,
        events: [text],
        timeline: timeline({
          now: at(1),
          attempts: [attempt(0, events(text)), attempt(1, events("other"))],
          planned: [{ ...events(text), attempt: 2, due_at: at(2) }],
          skipped: [{ ...events("third"), attempt: 1, reason: text as SkipReason, at: at(0.5) }],
          changes: [{ type: "mail", reason: text, at: at(0) }],
        }),
      }),
    ],
  });
}

describe("hostile text in a report", () => {
  const benign = tagsOf(scenarioHtml([saying("words")]));

  test.each(HOSTILE.map((text, index) => [index, text] as const))(
    "hostile text stays plain text in a report: text %d",
    (_, text) => {
      const markup = scenarioHtml([saying(text)]);
      expect(tagsOf(markup)).toEqual(benign);
      expect(markup).not.toMatch(/\son\w+=(?!&quot;)"/);
      expect(Buffer.from(markup).toString()).toBe(markup);
      expect(textOf(markup)).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    },
  );

  test("hostile text stays plain text everywhere in a report", () => {
    const someText = fc.string({
      unit: fc.constantFrom(..."<>&\"'`/=- \n\t\0a{$\u202e\ud800"),
      minLength: 1,
      maxLength: 30,
    });
    fc.assert(
      fc.property(someText, (text) => {
        expect(tagsOf(scenarioHtml([saying(`a${text}`)]))).toEqual(benign);
      }),
      { numRuns: 30 },
    );
  });
});
