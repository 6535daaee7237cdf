import { describe, expect, test } from "vitest";
import { apply, makeShop } from "../explore/handlers.ts";
import { serveShop } from "../explore/server.ts";
import { startSandbox } from "../support/sandbox.ts";

const correct = () =>
  makeShop((event, shop, seen) => {
    if (event.isTest || seen.has(event.key)) return undefined;
    seen.add(event.key);
    apply(event, shop);
    return undefined;
  });

/** What is sent to explore a shop. */
const bodyFor = ({ url, origin }: { url: string; origin: string }) => ({
  subscriber: url,
  state: `${origin}/state`,
  reset: `${origin}/reset`,
  secret: "whsec_test",
});

describe("an exploration over HTTP", () => {
  test("has a result, a saved scenario and a page once it has ended", async () => {
    const sandbox = await startSandbox();
    const counting = makeShop((event, shop) => {
      if (!event.isTest) apply(event, shop);
      return undefined;
    });
    const started = await sandbox.control("POST", "/explorations", bodyFor(await serveShop(counting)));
    expect(started.status).toBe(201);
    expect(started.body).toMatchObject({ id: "exp_1", status: "running", story: null, result: null });
    expect(started.body).toMatchObject({ ignore: [], deviations: 2, own_secret: true });
    expect(JSON.stringify(started.body)).not.toContain("whsec_test");
    const { body } = await sandbox.control("GET", "/explorations/exp_1?wait=1m");
    expect(body).toMatchObject({ status: "found", error: null });
    const { finding, levels } = body.result;
    expect(finding).toMatchObject({
      title: "Payments of order-7 are counted twice.",
      deviations: [{ attempt: 1, kind: "answer-lost" }],
      scenario: { name: "explore-payments-order-7-counted-twice" },
    });
    expect(finding.scenario.text).toContain('kind: "reset", passThrough: true');
    expect(finding.timelines.calm.attempts).toHaveLength(2);
    expect(finding.timelines.found.attempts).toHaveLength(3);
    expect(finding.lost).toEqual([finding.timelines.found.attempts[0].delivery_id]);
    expect(levels).toHaveLength(2);
    expect(
      body.result.stories.map((one: { name: string; verdict: string | null }) => [one.name, one.verdict]),
    ).toEqual([
      ["checkout", "found"],
      ...["late-payment", "expiry-race", "refused-then-paid", "twice-paid", "two-customers", "rush"].map(
        (name) => [name, null],
      ),
    ]);
    const page = await fetch(`${sandbox.url}/_sandbox/explorations/exp_1/report.html`);
    expect(page.headers.get("content-type")).toMatch(/^text\/html/);
    expect(await page.text()).toContain("Payments of order-7 are counted twice");
    expect((await sandbox.control("GET", "/explorations")).body.data).toMatchObject([
      { id: "exp_1", status: "found", result: null },
    ]);
  });

  test("one runs at a time, and another one can start once it is cancelled", async () => {
    const sandbox = await startSandbox();
    // The first request is never answered, so the exploration is under way until it is cancelled.
    const silent = bodyFor(await serveShop(correct(), { reset: () => true }));
    expect((await sandbox.control("POST", "/explorations", silent)).status).toBe(201);
    const second = await sandbox.control("POST", "/explorations", silent);
    expect([second.status, second.body.error.code]).toEqual([409, "invalid_state"]);
    expect(second.body.error.hint).toContain("DELETE /_sandbox/explorations/exp_1");
    const early = await fetch(`${sandbox.url}/_sandbox/explorations/exp_1/report.html`);
    expect(early.status).toBe(409);
    expect((await sandbox.control("DELETE", "/explorations/exp_1")).body).toEqual({
      id: "exp_1",
      deleted: true,
    });
    expect((await sandbox.control("GET", "/explorations/exp_1")).status).toBe(404);
    expect((await sandbox.control("POST", "/explorations", silent)).body.id).toBe("exp_2");
  });

  test("a subscriber that refuses everything is an error, with a hint", async () => {
    const sandbox = await startSandbox();
    const refusing = makeShop(() => 500);
    await sandbox.control("POST", "/explorations", bodyFor(await serveShop(refusing)));
    const { body } = await sandbox.control("GET", "/explorations/exp_1?wait=1m");
    expect(body).toMatchObject({ status: "failed", result: null });
    expect(body.error.message).toContain("payment.completed");
    expect(body.error.hint).toMatch(/\S/);
  });

  test("takes no shell command, in a shared sandbox or any other", async () => {
    const sandbox = await startSandbox({ share: true, host: "127.0.0.1" });
    const body = { ...bodyFor(await serveShop(correct())), reset: "touch /tmp/owned" };
    const refused = await sandbox.control("POST", "/explorations", body);
    expect([refused.status, refused.body.error.code]).toEqual([400, "bad_request"]);
    expect(refused.body.error.message).toBe("reset must be an http or https URL, not 'touch /tmp/owned'.");
    expect(refused.body.error.hint).toContain("command line");
    expect((await sandbox.control("GET", "/explorations")).body).toEqual({ data: [] });
  });

  test("calls no other machine, neither for the state nor to reset", async () => {
    const sandbox = await startSandbox();
    const good = bodyFor(await serveShop(correct()));
    for (const field of ["subscriber", "state", "reset"]) {
      const body = { ...good, [field]: "https://shop.example/x" };
      const refused = await sandbox.control("POST", "/explorations", body);
      expect([refused.status, refused.body.error.code], field).toEqual([400, "bad_request"]);
      expect(refused.body.error.message).toMatch(
        new RegExp(`^${field} is https://shop.example/x, which is not on`),
      );
    }
  });

  test("two that are asked for at once do not both begin", async () => {
    const sandbox = await startSandbox();
    const body = bodyFor(await serveShop(correct()));
    const answers = await Promise.all([1, 2].map(() => sandbox.control("POST", "/explorations", body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  });
});
