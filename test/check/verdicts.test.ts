import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EventAmounts } from "../../src/trial/check/amounts.ts";
import { mustBeQuick } from "../../src/trial/check/judge.ts";
import type { Answer } from "../../src/trial/hazards/hazard.ts";
import { listenForTest } from "../support/listen.ts";
import { SELF_SIGNED } from "../support/self-signed.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { BUGS, badReceiver } from "./receivers/bad.ts";
import { SECRET, startReceiver } from "./support/start.ts";
import { tryReceiver, verdictsOf } from "./support/try.ts";
import { good, startCorrect } from "./verdicts.ts";

const NOWHERE = "http://127.0.0.1:1/";

describe("a server that stops", () => {
  test("check reports a server that crashes, keeps the earlier results and skips the remaining hazards", async () => {
    const take = badReceiver(BUGS["no bug"]!, SECRET);
    let left = 5;
    const server = createServer((request, response) => {
      left -= 1;
      if (left > 0) return take(request, response);
      server.close();
      request.destroy();
    });
    const url = `http://127.0.0.1:${await listenForTest(server)}/webhooks`;
    const report = await tryReceiver({ url, stateUrl: "" });
    const { fail, skipped } = verdictsOf(report);
    expect(fail).toEqual(["missing-signature"]);
    expect(report.hazards[2]!.summary).toContain("it did until this hazard");
    expect(skipped).toHaveLength(report.hazards.length - 3);
  });

  test("check detects during the next hazard that a server crashed after its response", async () => {
    let left = 2;
    const subscriber = await startSubscriber((_received, response) => {
      left -= 1;
      response.writeHead(204).end();
      if (left === 0) response.once("finish", () => void subscriber.close());
    });
    const report = await tryReceiver(
      { url: subscriber.url, stateUrl: "" },
      { only: ["unicode", "duplicate"] },
    );
    expect(verdictsOf(report)).toEqual({ fail: ["unicode"], skipped: ["duplicate"] });
    expect(report.hazards[1]!.summary).toContain("valid-event was the last hazard that it responded to");
  });

  test("check reports an error if the server was never running", async () => {
    await expect(tryReceiver({ url: NOWHERE, stateUrl: "" })).rejects.toMatchObject({ code: "unreachable" });
    const unknown = "http://nowhere.invalid/";
    await expect(tryReceiver({ url: unknown, stateUrl: "" })).rejects.toMatchObject({ code: "unreachable" });
  });
});

describe("a server behind HTTPS", () => {
  test("check reports an untrusted certificate as an error, and plain HTTP on an HTTPS port as a failure", async () => {
    const server = createTlsServer(SELF_SIGNED, badReceiver(BUGS["no bug"]!, SECRET));
    const host = `127.0.0.1:${await listenForTest(server)}`;
    const secure = tryReceiver({ url: `https://${host}/`, stateUrl: "" });
    await expect(secure).rejects.toMatchObject({
      code: "unreachable",
      hint: expect.stringContaining("NODE_EXTRA_CA_CERTS"),
    });
    const { hazards } = await tryReceiver({ url: `http://${host}/`, stateUrl: "" });
    expect(hazards[0]).toMatchObject({ verdict: "fail", fix: expect.stringContaining("https") });
  });
});

describe("a state URL", () => {
  const only = ["duplicate"];

  test("check reports an error if the state URL does not respond", async () => {
    const { url } = await good();
    const wrong = tryReceiver({ url, stateUrl: url }, { state: true, only });
    await expect(wrong).rejects.toMatchObject({
      code: "unreachable",
      message: expect.stringContaining("405"),
    });
  });

  test("check reports an error if the state changes without a request", async () => {
    const { url } = await good();
    let count = 0;
    const clock = await startSubscriber((_request, response) => {
      count += 1;
      response.end(String(count));
    });
    const wrong = tryReceiver({ url, stateUrl: clock.url }, { state: true, only });
    await expect(wrong).rejects.toMatchObject({ code: "bad_request" });
  });

  test("check warns if the state never changes, and waits for late changes", async () => {
    const blind = await startSubscriber((_request, response) => response.end("0"));
    let handled = 0;
    const slow = await startSubscriber((_request, response) => {
      response.writeHead(202).end();
      setTimeout(() => {
        handled += 1;
      }, 60);
    });
    const state = await startSubscriber((_request, response) => response.end(JSON.stringify({ handled })));
    const { url } = await good();
    const [unseen, late] = await Promise.all([
      tryReceiver({ url, stateUrl: blind.url }, { state: true, only }),
      tryReceiver({ url: slow.url, stateUrl: state.url }, { state: true, only }),
    ]);
    expect(verdictsOf(unseen)).toEqual({ warn: ["valid-event"], unknown: only });
    expect(unseen.hazards[1]!.note).toContain("payment.completed about txn_");
    expect(verdictsOf(late)).toEqual({ fail: ["duplicate"] });
  });
});

describe("a handler that defers an event", () => {
  test("check reports a hazard as unknown if the handler counts duplicates in a field of the order", async () => {
    const orders: Record<string, { payments: number }> = {};
    const counting = await startCorrect(
      (_event, { id }) => {
        orders[id] = { payments: (orders[id]?.payments ?? 0) + 1 };
        return 204;
      },
      () => ({ orders }),
    );
    const result = await tryReceiver(counting, { only: ["duplicate-at-once"], state: true });
    expect(verdictsOf(result)).toEqual({ unknown: ["duplicate-at-once"] });
  });

  test("check passes a handler that defers an event until its payment arrives, and fails one that always rejects", async () => {
    const paid = new Set<string>();
    const only = ["other-events", "reordered-events"];
    const patient = await startCorrect(
      (event, { client_reference_id: order, checkoutSession }) => {
        if (event === "payment.completed") paid.add(String(checkoutSession?.clientReferenceId));
        return event === "checkout.completed" && !paid.has(String(order)) ? 503 : 204;
      },
      () => ({ paid: paid.size }),
    );
    expect(verdictsOf(await tryReceiver(patient, { only, state: true }))).toEqual({});
    const never = await startCorrect(
      (event) => (event === "checkout.completed" ? 503 : 204),
      () => ({}),
    );
    // A handler that rejects a type in any order reveals nothing about how it handles the order of events.
    expect(verdictsOf(await tryReceiver(never, { only }))).toEqual({
      fail: ["other-events"],
      unknown: ["reordered-events"],
    });
  });
});

describe("a handler that returns 200 for an empty ping and for GET", () => {
  test("a 200 response to an empty request passes missing-signature, and a 200 response to GET only causes a warning", async () => {
    const right = badReceiver(BUGS["no bug"]!, SECRET);
    const pinged = await startReceiver((request, response) => {
      const { method, url, headers } = request;
      const isPing = method === "GET" || headers["content-length"] === "0";
      if (isPing && url !== "/state" && headers["x-platform-signature"] === undefined) response.end("ready");
      else if (method === "GET" && url !== "/state") response.end("ready");
      else right(request, response);
    });
    const only = ["missing-signature", "get-request"];
    const report = await tryReceiver(pinged, { only, state: true });
    expect(verdictsOf(report)).toEqual({ warn: ["get-request"] });
    expect(report.hazards[1]!.summary).toBe(
      "returned 401, and 200 to an empty request, which is not an event",
    );
    const blind = await startSubscriber((_request, response) => response.end("0"));
    const unseen = await tryReceiver({ ...pinged, stateUrl: blind.url }, { only, state: true });
    expect(verdictsOf(unseen)).toEqual({ warn: ["valid-event", "get-request"] });
    expect(verdictsOf(await tryReceiver(pinged, { only }))).toEqual({ fail: ["get-request"] });
  });

  test("missing-signature fails if an empty request changes the state, or if an unsigned event is accepted", async () => {
    let handled = 0;
    const right = badReceiver(BUGS["no bug"]!, SECRET);
    const counting = await startReceiver((request, response) => {
      if (request.method === "GET") return void response.end(JSON.stringify({ handled }));
      response.once("finish", () => {
        if (response.statusCode < 300) handled += 1;
      });
      return request.headers["content-length"] === "0" ? void response.end() : right(request, response);
    });
    const only = ["missing-signature"];
    const started = await startReceiver(badReceiver(BUGS["verifies only if there is a signature"]!, SECRET));
    for (const report of [
      await tryReceiver(counting, { only, state: true }),
      await tryReceiver(started, { only }),
    ])
      expect(verdictsOf(report).fail).toEqual(only);
  });
});

describe("unusual responses", () => {
  test("check warns, rather than passing the handler, if only a rate limit rejected a forgery", async () => {
    let count = 0;
    const limited = await startSubscriber((_request, response) => {
      count += 1;
      response.writeHead(count > 2 ? 429 : 204).end();
    });
    const report = await tryReceiver(
      { url: limited.url, stateUrl: "" },
      { only: ["wrong-signature", "unicode"] },
    );
    expect(verdictsOf(report)).toEqual({
      ...{ fail: ["valid-event"], warn: ["wrong-signature"], skipped: ["unicode"] },
    });
    for (const { fix } of report.hazards.slice(0, 2)) expect(fix).toContain("rate limit");
  });

  test("check only warns about a forgery if one variant of it is rejected with 429", async () => {
    let count = 0;
    const limited = await startSubscriber((_request, response) => {
      count += 1;
      response.writeHead(count <= 2 ? 204 : count === 4 ? 429 : 401).end();
    });
    const report = await tryReceiver({ url: limited.url, stateUrl: "" }, { only: ["malformed-signature"] });
    expect(report.hazards.at(-1)!.exchanges.map(({ came_back: { status } }) => status)).toEqual([
      401, 429, 401,
    ]);
    expect(verdictsOf(report)).toEqual({ warn: ["malformed-signature"] });
  });

  test("check accepts 501 as the response to an unsupported method because Python's http.server returns it", async () => {
    const server = await startSubscriber(({ method }, response) =>
      response.writeHead(method === "POST" ? 204 : 501).end(),
    );
    const report = await tryReceiver({ url: server.url, stateUrl: "" }, { only: ["get-request"] });
    expect(verdictsOf(report)).toEqual({});
  });

  test("check stores only the start of a long response, and fails a response that is cut off", async () => {
    const long = await startSubscriber((_request, response) => response.end("x".repeat(100_000)));
    const { hazards } = await tryReceiver({ url: long.url, stateUrl: "" }, { only: ["unicode"] });
    expect(hazards[1]!.exchanges[0]!.came_back.body.length).toBeLessThan(2_100);

    const cut = await startSubscriber((_request, response) => {
      response.writeHead(200, { "content-length": "10" });
      response.write("abc", () => response.destroy());
    });
    const report = await tryReceiver({ url: cut.url, stateUrl: "" });
    expect(report.hazards[0]).toMatchObject({
      verdict: "fail",
      summary: expect.stringContaining("returned 200, but"),
    });
  });

  test.each([
    [100, "pass"],
    [5_000, "pass"],
    [5_001, "warn"],
  ])("check gives a response that takes %i ms the verdict %s", (durationMs, verdict) => {
    const answer = { request: { what: "an event" }, status: 204, error: null, durationMs } as Answer;
    expect(mustBeQuick({ answers: [], state: null, accepted: [answer] }).verdict).toBe(verdict);
  });
});

/** The amounts that one event changes, judging by the state before and after it. */
function amountsOf(before: unknown, after: unknown): EventAmounts {
  const amounts = new EventAmounts();
  amounts.learnFirst(before, after);
  return amounts;
}

describe("a changing state", () => {
  const state = fc.record({ paid: fc.nat(), total: fc.nat({ max: 10 ** 9 }), orders: fc.array(fc.nat()) });
  const step = fc.record({ paid: fc.integer({ min: 1, max: 5 }), total: fc.nat({ max: 10 ** 6 }) });

  test("check infers how often an event was handled from equal steps in the state", () => {
    fc.assert(
      fc.property(state, state, step, fc.constantFrom(1, 2), (learnt, before, by, times) => {
        const stepped = (from: typeof learnt, count: number) => ({
          paid: from.paid + by.paid * count,
          total: String(from.total + by.total * count),
          orders: [...from.orders, ...new Array(count).fill(7)],
        });
        const asText = (from: typeof learnt) => ({ ...from, total: String(from.total) });
        const amounts = amountsOf(asText(learnt), stepped(learnt, 1));
        expect(amounts.timesIn(asText(before), stepped(before, times))).toBe(times === 1 ? "once" : "twice");
      }),
    );
  });

  test("check reports the count as unclear if the state changes in unequal steps or is only a string", () => {
    const single = amountsOf({ paid: 1 }, { paid: 2 });
    expect(single.timesIn({ paid: 1 }, { paid: 4 })).toBe("unclear");
    expect(single.timesIn({ paid: 1, n: 1 }, { paid: 2, n: 2 })).toBe("unclear");
    expect(amountsOf("none", "one").timesIn("one", "two")).toBe("unclear");
  });
});

describe("a handler that fails at random", () => {
  /** A correct handler that responds with 503 to the requests with the given numbers, counted from 1. */
  const flakyAt = (...numbers: number[]) => {
    const take = badReceiver(BUGS["no bug"]!, SECRET);
    let count = 0;
    return startReceiver((request, response) => {
      if (request.url === "/webhooks") count += 1;
      if (request.url === "/webhooks" && numbers.includes(count)) response.writeHead(503).end("busy");
      else take(request, response);
    });
  };

  test("check reports a hazard as flaky if a second request of the same kind succeeds", async () => {
    const report = await tryReceiver(await flakyAt(3), { only: ["unicode", "large-body"] });
    expect(verdictsOf(report)).toEqual({ flaky: ["unicode"] });
    expect(report).toMatchObject({
      verdict: "fail",
      finding: expect.stringContaining("flaky"),
      counts: { pass: 2, flaky: 1, fail: 0 },
    });
    const { summary, exchanges, fix } = report.hazards.find(({ name }) => name === "unicode")!;
    expect(summary).toBe("Flaky: it returned 503, and returned 204 to another request of the same kind.");
    expect(exchanges.map(({ came_back: { status } }) => status)).toEqual([503, 204]);
    expect(fix).toContain("at random");
    // Use a new event: a handler that recorded the first event before failing would consider it already handled.
    const ids = exchanges.map(({ sent }) => JSON.parse(sent.body!).data.id);
    expect(new Set(ids).size).toBe(2);
  });

  test.each([
    ["the valid event", [], 1, "valid-event"],
    ["the second valid event", [], 2, "valid-event"],
    ["a forged event that should be rejected", ["truncated-signature"], 4, "truncated-signature"],
    ["the second event of a pair", ["duplicate"], 4, "duplicate"],
    ["a retry", ["late-retry"], 4, "late-retry"],
  ])("check reports a single random failure as flaky: %s", async (_what, only, number, name) => {
    const report = await tryReceiver(await flakyAt(number), { only });
    expect(verdictsOf(report)).toEqual({ flaky: [name] });
  });

  test("check fails a hazard that a handler consistently fails, and reports another hazard as flaky", async () => {
    let count = 0;
    const latin = badReceiver(BUGS["reads the body as Latin-1 to verify it"]!, SECRET);
    const receiver = await startReceiver((request, response) => {
      count += 1;
      if (count === 1) response.writeHead(503).end();
      else latin(request, response);
    });
    const report = await tryReceiver(receiver, { only: ["unicode"] });
    expect(verdictsOf(report)).toEqual({ flaky: ["valid-event"], fail: ["unicode"] });
    expect(report.hazards[1]!.exchanges).toHaveLength(1);
  });

  test("check does not mistake its own retry for an event that was handled twice", async () => {
    const report = await tryReceiver(await flakyAt(4), { only: ["duplicate"], state: true });
    expect(verdictsOf(report)).toEqual({ flaky: ["duplicate"] });
  });
});
