import { signal } from "@preact/signals";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { describeTimer } from "../../src/timeline/entries.ts";
import { type Api, ApiError, createApi } from "../../ui/api.ts";
import type { AdvancePreview, DueTimer, JournalEntry } from "../../ui/api-types.ts";
import type { Live } from "../../ui/live.ts";
import { describeEntry, tallyPreview } from "../../ui/models/describe.ts";
import { createJournal, KEPT_ENTRIES } from "../../ui/models/journal.ts";
import { createLedger, ledgerLine } from "../../ui/models/ledger.ts";
import { money, tokenOf } from "../../ui/models/payments.ts";
import { createPrefs } from "../../ui/models/prefs.ts";
import { createRefresher } from "../../ui/models/refresh.ts";
import { createToasts } from "../../ui/models/toasts.ts";
import { entry } from "./support/entries.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("calls from the page", () => {
  const answering = (status: number, body: unknown) => {
    const asked: [string, RequestInit][] = [];
    const fetcher = (async (url: URL, init: RequestInit) => {
      asked.push([String(url), init]);
      return new Response(typeof body === "string" ? body : JSON.stringify(body), { status });
    }) as unknown as typeof fetch;
    return { api: createApi("http://127.0.0.1:4400/w/demo/", fetcher), asked };
  };

  test("the page calls its own world, and sends only parameters that have a value", async () => {
    const { api, asked } = answering(200, { data: [], total_count: 0 });
    await api.events({ types: "a&b", order: "", limit: 2 });
    expect(asked[0]![0]).toBe("http://127.0.0.1:4400/w/demo/_sandbox/events?types=a%26b&limit=2");
    await api.test("wh/1");
    expect(asked[1]![0]).toContain("/webhooks/wh%2F1/test");
    await api.retry("del_1");
    expect(asked[2]![1]).toMatchObject({ method: "POST", body: null });
  });

  test.each([
    [{ error: { code: "invalid_state", message: "No.", hint: "Try again." } }, "No.", "Try again."],
    [{ error: { code: "invalid_field_value", message: "Bad.", param: "amount" } }, "Bad.", ""],
    ["<html>", "The server returned 409.", ""],
  ])("the page shows why the server rejected a call: %o", async (body, message, hint) => {
    const { api } = answering(409, body);
    await expect(api.status()).rejects.toMatchObject({ status: 409, message, hint });
  });

  test("the page reports a server that does not respond", async () => {
    const api = createApi("http://127.0.0.1:1/", async () => {
      throw new TypeError("fetch failed");
    });
    await expect(api.status()).rejects.toMatchObject({
      code: "unreachable",
      message: "The sandbox does not respond.",
    });
  });
});

describe("descriptions of journal entries", () => {
  test("the page describes an entry with a link to its object", () => {
    const failed = entry(1, {
      type: "delivery.failed",
      data: {
        id: "del_1",
        webhook_id: "wh_1",
        event: "payment.completed",
        attempt: 2,
        error: "timeout",
        response_code: null,
      },
    });
    expect(describeEntry(failed)).toEqual({
      tone: "bad",
      title: "Attempt 2 of payment.completed failed",
      detail: "timeout",
      href: "#/webhooks/wh_1/del_1",
    });
    const unknown = entry(2, { type: "constructor", data: { id: "<b>" } });
    expect(describeEntry(unknown)).toEqual({
      tone: "plain",
      title: "Constructor",
      detail: "<b>",
      href: "#/log/entry/2",
    });
  });

  test("the page describes the timers of a dry run", () => {
    const timer = (kind: string): DueTimer => ({
      due_at: "2026-01-15T09:01:00.000Z",
      kind,
      key: "k",
      seeded: false,
      payload: { event: "payment.completed", attempt: 2, webhook_id: "wh_1" },
    });
    expect(describeTimer(timer("webhooks.attempt"))).toBe("Attempt 2 of payment.completed");
    expect(describeTimer(timer("payments.session_expiry"))).toBe("A checkout session expires");
    expect(describeTimer(timer("game.something"))).toBe("game.something");
    const preview = (attempts: { least: number; most: number }, events: Record<string, number>) =>
      tallyPreview({ would_fire_count: 1, would_cause: { attempts, events } } as AdvancePreview);
    expect(preview({ least: 2, most: 2 }, { "checkout.expired": 1 })).toBe("1 session expired, 2 attempts");
    expect(preview({ least: 1, most: 4 }, {})).toBe("1 to 4 attempts");
    expect(preview({ least: 0, most: 0 }, {})).toBe("1 step");
  });
});

describe("an advance on the page", () => {
  /** A stage that shows everything immediately, and a world that can always be saved. */
  const parts = (api: Api, messages = createToasts()) => ({
    api,
    toasts: messages,
    undo: { save: async () => undefined, ended: () => undefined, kept: () => undefined },
    stage: {
      until: signal<number | undefined>(undefined),
      expect: () => undefined,
      skip: () => undefined,
      arrive: async (_to?: number, _seq?: number, start?: () => void) => start?.(),
    },
  });
  const answers = (over: Partial<Api> = {}) =>
    ({
      preview: async (request: unknown) => ({ from: "a", to: "b", dry_run: true, would_fire: [], request }),
      advance: async () => ({
        from: "2026-01-15T09:00:00.000Z",
        to: "2026-01-15T10:00:00.000Z",
        wall_ms: 84,
        reached: true,
        cancelled: false,
        ledger: [entry(1, { type: "delivery.started" }), entry(2, { type: "delivery.failed" })],
      }),
      ...over,
    }) as unknown as Api;

  test("the page previews an advance once the pointer rests, and shows only the latest preview", async () => {
    const asked: unknown[] = [];
    const ledger = createLedger(
      parts(
        answers({
          preview: (async (request: unknown) => {
            asked.push(request);
            return { from: "a", to: "b", dry_run: true, would_fire: [] };
          }) as never,
        }),
      ),
    );
    ledger.consider({ by: "1m" });
    ledger.consider({ by: "1h" });
    await vi.advanceTimersByTimeAsync(200);
    expect(asked).toEqual([{ by: "1h" }]);
    expect(ledger.preview.value?.answer).toBeDefined();
    ledger.forget();
    expect(ledger.preview.value).toBeUndefined();
  });

  test("an advance on the page ends with a summary, and quick successive advances run one after another", async () => {
    const taken: unknown[] = [];
    const { advance } = answers();
    const api = answers({
      advance: ((request: unknown) => {
        taken.push(request);
        return advance({});
      }) as never,
    });
    const ledger = createLedger(parts(api));
    void ledger.advance({ by: "1h" });
    const second = ledger.advance({ by: "1d" });
    await vi.advanceTimersByTimeAsync(0);
    await second;
    expect(taken).toEqual([{ by: "1h" }, { by: "1d" }]);
    expect(ledger.busy.value).toBeUndefined();
    expect(ledgerLine(ledger.last.value!)).toBe("Advanced 1 h in 84 ms: 1 attempt failed.");
    expect(ledgerLine({ ...ledger.last.value!, reached: false })).toMatch(
      /the awaited entry did not happen\.$/,
    );
    expect(ledger.last.value!.entries.map(({ type }) => type)).toEqual(["delivery.failed"]);
  });

  test("consecutive advances share one summary, with the worst result first", async () => {
    const at = (hours: number) => new Date(Date.UTC(2026, 0, 15, 9 + hours)).toISOString();
    const caused = [
      [entry(1, { type: "checkout.expired" }), entry(2, { type: "delivery.failed" })],
      [entry(3, { type: "webhook.disabled" })],
      [],
    ];
    let hours = 0;
    const api = answers({
      advance: (async () => {
        hours += 1;
        return {
          from: at(hours - 1),
          to: at(hours),
          wall_ms: 10,
          reached: true,
          cancelled: false,
          ledger: caused[hours - 1],
        };
      }) as never,
    });
    const ledger = createLedger(parts(api));
    void ledger.advance({ by: "1h" });
    await ledger.advance({ by: "1h" });
    const both = "1 endpoint disabled, 1 attempt failed, 1 session expired";
    expect(ledgerLine(ledger.last.value!)).toBe(`Advanced 2 h in 20 ms: ${both}.`);
    await vi.advanceTimersByTimeAsync(60_000);
    await ledger.advance({ by: "1h" });
    expect(ledgerLine(ledger.last.value!)).toBe(`Advanced 3 h in 30 ms: ${both}.`);
  });

  test("a stopped advance is reported as stopped, and cancels the advances queued behind it", async () => {
    const taken: unknown[] = [];
    let end = () => {};
    const { advance } = answers();
    const api = answers({
      advance: ((request: unknown) => {
        taken.push(request);
        return new Promise((resolve) => {
          end = () => resolve(advance({}).then((whole) => ({ ...whole, reached: false, cancelled: true })));
        });
      }) as never,
      cancelAdvance: async () => end(),
    });
    const ledger = createLedger(parts(api));
    void ledger.advance({ by: "1h" });
    const second = ledger.advance({ by: "1d" });
    await vi.advanceTimersByTimeAsync(0);
    void ledger.cancel();
    expect(ledger.ending.value).toBe(true);
    await vi.advanceTimersByTimeAsync(0);
    await second;
    expect(taken).toEqual([{ by: "1h" }]);
    expect([ledger.busy.value, ledger.ending.value]).toEqual([undefined, false]);
    expect(ledgerLine(ledger.last.value!)).toMatch(/: 1 attempt failed; it was stopped there\.$/);
  });

  test("the page shows why the server rejected an advance", async () => {
    const messages = createToasts();
    const ledger = createLedger(
      parts(
        answers({
          advance: async () => Promise.reject(new ApiError(400, { message: "Not back.", hint: "Reset." })),
        }),
        messages,
      ),
    );
    await ledger.advance({ to: "2020-01-01" });
    expect(messages.list.value).toMatchObject([{ tone: "bad", text: "Not back.", hint: "Reset." }]);
    expect(ledger.busy.value).toBeUndefined();
  });
});

describe("messages on the page", () => {
  test("bad news stays on the page, and good news disappears after a while", async () => {
    const messages = createToasts();
    messages.done("one");
    messages.done("two");
    messages.fail(new Error("broken"));
    expect(messages.list.value.map(({ text }) => text)).toEqual(["broken"]);
    messages.done("three");
    expect(messages.list.value.map(({ text }) => text)).toEqual(["broken", "three"]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(messages.list.value.map(({ text }) => text)).toEqual(["broken"]);
    messages.dismiss(messages.list.value[0]!.id);
    expect(messages.list.value).toEqual([]);
  });

  test("a message can undo its change, or says why it cannot", async () => {
    const messages = createToasts();
    let undone = 0;
    messages.done("done", async () => {
      undone += 1;
    });
    await messages.undo(messages.list.value[0]!);
    expect({ undone, text: messages.list.value[0]!.text }).toEqual({ undone: 1, text: "Undone." });
    messages.done("done", async () => Promise.reject(new Error("too late")));
    await messages.undo(messages.list.value[0]!);
    expect(messages.list.value.at(-1)).toMatchObject({ tone: "bad", text: "too late" });
  });
});

test("the page stores the latest journal entries without duplicates", () => {
  let hear: (entries: JournalEntry[]) => void = () => {};
  let replace = () => {};
  const live = {
    onEntries: (listener: typeof hear) => {
      hear = listener;
      return () => {};
    },
    onReplaced: (listener: () => void) => {
      replace = listener;
      return () => {};
    },
  } as unknown as Live;
  const journal = createJournal(live);
  const seqs = () => journal.entries.value.map(({ seq }) => seq);
  hear([entry(5), entry(6)]);
  journal.prepend([entry(3), entry(4), entry(5)]);
  hear([entry(6), entry(7)]);
  expect(seqs()).toEqual([3, 4, 5, 6, 7]);
  hear(Array.from({ length: KEPT_ENTRIES }, (_, index) => entry(index + 8)));
  expect(journal.entries.value).toHaveLength(KEPT_ENTRIES);
  expect(seqs().at(-1)).toBe(KEPT_ENTRIES + 7);
  replace();
  expect(seqs()).toEqual([]);
});

test("the page never reads the same list twice concurrently, and reads it again if asked to in the meantime", async () => {
  let reads = 0;
  const refresher = createRefresher(async () => {
    reads += 1;
    await new Promise((resolve) => setTimeout(resolve, 50));
  });
  for (let count = 0; count < 100; count += 1) refresher.ask();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(reads).toBe(2);
  refresher.close();
  refresher.ask();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(reads).toBe(2);
});

describe("page preferences", () => {
  const keeping = (text: string | null) => {
    const kept = { text };
    return {
      kept,
      keep: {
        getItem: () => kept.text,
        setItem: (_key: string, value: string) => {
          kept.text = value;
        },
      },
    };
  };

  test("the page saves a preference and restores it", () => {
    const { keep, kept } = keeping(null);
    const prefs = createPrefs(keep);
    expect([prefs.theme.value, prefs.presenting.value]).toEqual(["system", false]);
    prefs.nextTheme();
    prefs.togglePresenting();
    expect(JSON.parse(kept.text!)).toEqual({ theme: "light", presenting: true, letters: true });
    const again = createPrefs(keep);
    expect([again.theme.value, again.presenting.value]).toEqual(["light", true]);
  });

  test.each(["not json", "null", '{"theme":"pink"}', "[]"])(
    "the page ignores invalid settings: %s",
    (text) => {
      const prefs = createPrefs(keeping(text).keep);
      expect([prefs.theme.value, prefs.presenting.value]).toEqual(["system", false]);
    },
  );

  test("preferences work in a browser without storage", () => {
    const closed = () => {
      throw new Error("denied");
    };
    const prefs = createPrefs({ getItem: closed, setItem: closed });
    prefs.nextTheme();
    expect(prefs.theme.value).toBe("light");
  });
});

test("the page shows exact amounts, and parses them as users type them", () => {
  const usdc = { chain_id: 1, token_address: "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48" };
  expect(money({ ...usdc, amount: "12500000" })).toBe("12.50 USDC");
  expect(tokenOf(usdc).parse("1,000.50")).toBe("1000500000");
  expect(tokenOf(usdc).parse("1.2345678")).toBeUndefined();
});
