import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { folderOf, runCli } from "../support/cli.ts";
import { ACME, checkGithub, type Event, startAcme, startGithub } from "./evidence.ts";
import { BUGS, badReceiver } from "./receivers/bad.ts";
import { SECRET, startReceiver } from "./support/start.ts";
import { tryReceiver, verdictsOf } from "./support/try.ts";

/**
 * Stores one event of each type for each number.
 * @param onRepeat the status for an event that was already handled
 */
function createOrders(onRepeat = 200) {
  const events = new Set<string>();
  const numbers = new Set<string>();
  return {
    state: () => ({ orders: numbers.size, events: events.size }),
    take({ id, type, data }: Event): number {
      if (events.has(id)) return onRepeat;
      const key = `${type} ${data.number}`;
      if (numbers.has(key)) return 409;
      numbers.add(key);
      events.add(id);
      return 200;
    },
  };
}

describe("a handler that recognizes events by a field that the sender's file does not name", () => {
  test("check reports the field by which a handler identifies events, and varies it in later events", async () => {
    const { take } = createOrders();
    const report = await (await startAcme(take)).check();
    const { warn, fail = [], skipped = [] } = verdictsOf(report);
    expect({ warn, fail, skipped }).toEqual({ warn: ["valid-event"], fail: [], skipped: [] });
    expect(report.hazards[0]!.summary).toBe(
      "It returned 409 to a second event, though it accepted the first, but handled one with another body.data.number: it recognizes events by that field, which is not listed under about in acme's sender file. Later events have different values there.",
    );
  });

  test("check fails a handler that identifies events by an undeclared field only for its real bugs", async () => {
    const { take } = createOrders(409);
    const { fail } = verdictsOf(await (await startAcme(take)).check());
    expect(fail).toEqual(["duplicate", "duplicate-at-once", "late-retry"]);
  });

  test("check reports the undeclared field even if only the state shows that the handler ignores the second event", async () => {
    const { take, state } = createOrders();
    const ignoring = await startAcme((event) => Math.min(take(event), 200), state);
    const only = ["duplicate", "extra-fields"];
    const report = await ignoring.check({ state: ignoring.stateUrl, only });
    expect(verdictsOf(report)).toEqual({ warn: ["valid-event"] });
    expect(report.hazards[0]!.summary).toContain(
      "did nothing visible, but handled one with another body.data.number",
    );
  });

  test("check varies only the local part of an email address if a handler identifies events by it", async () => {
    const emails = new Set<string>();
    const report = await (
      await startAcme(({ data: { email = "" } }) => {
        const isNew = !emails.has(email);
        emails.add(email);
        return isNew ? 200 : 422;
      })
    ).check({ only: ["extra-fields"] });
    expect(report.hazards[0]!.summary).toContain("with another body.data.email");
    for (const email of emails) expect(email).toMatch(/^ada(\+[\w-]+)?@example\.com$/);
  });
});

test("check ignores an error response that valid events also get, and accepts any other error response as evidence", async () => {
  let count = 0;
  const report = await (
    await startAcme(() => {
      count += 1;
      return count === 1 ? 200 : 422;
    })
  ).check({ only: ["wrong-signature", "extra-fields", "duplicate"] });
  expect(verdictsOf(report)).toEqual({ fail: ["valid-event"], skipped: ["extra-fields", "duplicate"] });
  expect(report.hazards[2]!.summary).toBe(
    "It returned 422, as it does to valid events, which proves nothing.",
  );
  expect(report.finding).toContain("accepts valid events only at first");
});

describe("a handler that catches its own exceptions and returns 200", () => {
  const only = ["wrong-signature", "extra-fields", "unicode", "split-character"];

  test("check warns if a handler returns 200 but the state does not change", async () => {
    const swallowing = await startAcme(() => 200, undefined, "ignored");
    const report = await swallowing.check({ state: swallowing.stateUrl, only });
    expect(verdictsOf(report)).toEqual({
      warn: ["valid-event"],
      unknown: ["extra-fields", "unicode", "split-character"],
    });
    expect(report).toMatchObject({ verdict: "unknown" });
    expect(report.hazards[0]!.summary).toBe(
      "Nothing changed in the state: your server returned 200 to every valid event: ignored.",
    );
    expect(report.finding).toBe(report.hazards[0]!.summary);
  });

  test("check reports events that changed nothing as unknown, and judges the others by the state", async () => {
    const handled = new Set<string>();
    const narrow = await startAcme(
      (event) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that its database accepts
        if (/^[\x00-\x7f]*$/.test(JSON.stringify(event))) handled.add(event.id);
        return 200;
      },
      () => ({ handled: handled.size }),
    );
    const report = await narrow.check({ state: narrow.stateUrl, only });
    expect(verdictsOf(report)).toEqual({ unknown: ["unicode", "split-character"] });
    const summaries = report.hazards.map(({ name, summary }) => [name, summary]);
    expect(summaries).toEqual([
      ["valid-event", "returned 200 to each of 2; its state shows both"],
      ["wrong-signature", "returned 401"],
      ["extra-fields", "returned 200; its state changed"],
      ["unicode", "returned 200, but did nothing visible"],
      ["split-character", "returned 200 to each of 3, but did nothing visible"],
    ]);
  });

  test("check notes for each pass that it saw only the response if no state is configured", async () => {
    const { url, sender, check: run } = await startAcme(() => 200);
    const { hazards } = await run({ only });
    for (const { name, verdict, note } of hazards) {
      expect(verdict).toBe("pass");
      expect(note).toEqual(
        name === "wrong-signature" ? null : expect.stringContaining("Only the response was seen"),
      );
    }
    const args = ["check", url, "--sender", sender, "--secret", SECRET, "--only", "extra-fields"];
    const { stdout } = await runCli(args);
    expect(stdout.replaceAll("\n", " ")).toContain(
      "A pass only judges the response, not whether your server did anything. To check that, pass --state <url>",
    );
  });
});

describe("a handler that acts on only some event types", () => {
  test("check judges a handler by the first event type that changes the state", async () => {
    const report = await checkGithub(await startGithub("push"));
    expect(verdictsOf(report)).toEqual({});
    expect(report.event).toBe("push");
    expect(report.hazards[0]!.summary).toBe(
      "returned 200 to each of 2; its state shows both. The others are of this type, because ping changed nothing",
    );
  });

  test("check judges a handler by an event type that it accepts, and reports the types that it rejected", async () => {
    const picky = await startAcme(
      ({ type }) => (type === "order.sent" ? 200 : 422),
      undefined,
      "No such type",
    );
    const report = await picky.check({ only: ["extra-fields"] });
    expect(verdictsOf(report)).toEqual({});
    expect(report.event).toBe("order.sent");
    expect(report.hazards[0]!.summary).toBe(
      "returned 200 to each of 2. It returned 422 to order.paid: No such type",
    );
  });

  test("check prints the error response if a handler rejects every event type", async () => {
    const report = await (await startAcme(() => 403, undefined, "Go away")).check();
    const words = "It returned 403 to every valid event: Go away.";
    expect(report.hazards[0]).toMatchObject({ verdict: "fail", summary: words });
    expect(report.finding).toBe(`${words} Nothing else could be checked.`);
  });
});

describe("two concurrent requests", () => {
  /** A pool of shared connections: one is already open, and others are opened when needed, which takes a long time. */
  function createPool() {
    const idle = [1];
    const turns = async (count: number) => {
      for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
    };
    return async (work: (query: <T>(run: () => T) => Promise<T>) => Promise<void>) => {
      const connection = idle.pop();
      if (connection === undefined) await turns(5_000);
      await work(async (run) => {
        await turns(200);
        return run();
      });
      idle.push(1);
    };
  }

  const startPooled = async (isUnique: boolean) => {
    const pool = createPool();
    const seen = new Set<string>();
    let handled = 0;
    return startAcme(
      async ({ id }) => {
        await pool(async (query) => {
          const isNew = await query(() => {
            const isSeen = seen.has(id);
            if (isUnique) seen.add(id);
            return !isSeen;
          });
          if (!isNew) return;
          await query(() => {
            seen.add(id);
            handled += 1;
          });
        });
        return 200;
      },
      () => ({ handled }),
    );
  };

  test("check opens all connections of a pool before it races two requests, and finds a check-then-write bug", async () => {
    const racy = await startPooled(false);
    const report = await racy.check({ state: racy.stateUrl, only: ["duplicate-at-once"] });
    expect(verdictsOf(report)).toEqual({ fail: ["duplicate-at-once"] });
  });

  test("check repeats its pair of concurrent requests five times and reports how many events were handled once", async () => {
    const right = await startPooled(true);
    const report = await right.check({ state: right.stateUrl, only: ["duplicate-at-once"] });
    expect(verdictsOf(report)).toEqual({});
    expect(report.hazards[1]!.summary).toBe(
      "returned 200 to each of 15; its state shows that each of 5 events was handled once",
    );
  });
});

test("check says what a forged event can do and which id to store, based on the sender's file", async () => {
  const sender = join(folderOf(), "acme.yaml");
  const users = ACME.replace("total: 2500 } } }", "} } }")
    .replaceAll(/, total: 2500/g, "")
    .replace("id: body.id\n", "");
  for (const [file, forged, stored] of [
    [ACME, "mark an order as paid", "Store the event's id (body.id) of"],
    [users, "make up events, such as order.paid", "Store a hash of the raw body of"],
  ] as const) {
    const { url } = await startReceiver((_request, response) => void response.end());
    writeFileSync(sender, file);
    const report = await check({
      subscriber: url,
      sender,
      secret: SECRET,
      only: ["wrong-signature", "duplicate"],
    });
    expect(report.finding).toContain(`anyone who knows its address can ${forged}.`);
    expect(report.hazards.at(-1)!.fix).toContain(stored);
  }
});

test("check --events sends the data in the given file", async () => {
  const seen: Event[] = [];
  const { url, sender } = await startAcme((event) => {
    seen.push(event);
    return 200;
  });
  const events = join(folderOf(), "events.yaml");
  writeFileSync(
    events,
    "- { type: order.sent, data: { data: { number: B-7, email: grace@example.com } } }\n- { type: order.sent, data: { data: { number: C-8 } } }\n",
  );
  const args = ["check", url, "--sender", sender, "--secret", SECRET, "--events", events];
  const { code } = await runCli([...args, "--only", "duplicate"]);
  expect(code).toBe(0);
  expect(seen.length).toBeGreaterThan(2);
  for (const { data } of seen)
    expect(data).toMatchObject({ number: "B-7", email: "grace@example.com", total: 2500 });
});

test("a correct handler passes every platform hazard whose effect is visible in its state", async () => {
  const good = await startReceiver(badReceiver(BUGS["no bug"]!, SECRET));
  const report = await tryReceiver(good, { state: true });
  expect(verdictsOf(report)).toEqual({ unknown: ["reordered-events"] });
  const silent = report.hazards.filter(({ note }) => note !== null).map(({ name }) => name);
  expect(silent).toEqual(["other-events", "unknown-event", "reordered-events"]);
});
