import { describe, expect, test } from "vitest";
import { verifySignature } from "../../src/index.ts";
import { EVENT_TYPES } from "../../src/payments/webhooks/event-types.ts";
import { type CheckOptions, checkSubscriber } from "../../src/trial/check/check.ts";
import { HAZARDS } from "../../src/trial/hazards/index.ts";
import { type Received, startSubscriber } from "../support/subscriber.ts";
import { SECRET } from "./support/start.ts";

const AT = Date.UTC(2026, 5, 1, 12);
const REFUSED = new Set([
  "wrong-signature",
  "missing-signature",
  "truncated-signature",
  "malformed-signature",
  "changed-body",
]);

/** All requests that are sent to a handler that accepts any request. */
async function sentBy(options: Partial<CheckOptions> = {}) {
  const subscriber = await startSubscriber(204);
  const report = await checkSubscriber({
    url: subscriber.url,
    secret: SECRET,
    seed: "one",
    at: AT,
    event: "payment.completed",
    headerPrefix: "X-Platform-",
    deliveryId: "attempt",
    timeout: 10_000,
    ...options,
  });
  const sent = subscriber.received.map(({ method, path, headers: { host: _host, ...headers }, body }) => ({
    method,
    path,
    headers,
    body,
  }));
  return { sent, report };
}

const header = ({ headers }: Pick<Received, "headers">, name: string) =>
  String(headers[`x-platform-${name}`]);
const dataOf = ({ body }: Pick<Received, "body">) => JSON.parse(body).data;

describe("the requests that check sends", () => {
  test("check sends the same requests for the same seed, and different ids for another seed", async () => {
    const [first, again, few, other] = await Promise.all([
      sentBy(),
      sentBy(),
      sentBy({ only: ["late-retry"] }),
      sentBy({ seed: "two", only: ["late-retry"] }),
    ]);
    const settled = (sent: typeof first.sent) => sent.map((it) => JSON.stringify(it)).sort();
    expect(settled(again.sent)).toEqual(settled(first.sent));
    expect(settled(first.sent)).toEqual(expect.arrayContaining(settled(few.sent)));
    const ids = new Set(few.sent.map((it) => dataOf(it).id));
    for (const it of other.sent) expect(ids.has(dataOf(it).id)).toBe(false);
  });

  test("check sends the platform's headers and bytes, correctly signed unless a hazard requires otherwise", async () => {
    const { sent, report } = await sentBy();
    const exchanges = report.hazards.flatMap(({ name, exchanges }) =>
      exchanges.map((it) => ({ name, ...it })),
    );
    expect(sent.length).toBe(exchanges.length);
    const posts = sent.filter(({ method }) => method === "POST");
    for (const post of posts) {
      expect(post.path).toBe("/webhooks");
      expect(post.headers).toMatchObject({
        "content-type": "application/json",
        "user-agent": "Sandglass/1",
        "x-platform-webhook-id": expect.stringMatching(/^wh_/),
        "x-platform-delivery-id": expect.stringMatching(/^del_/),
        "x-platform-timestamp": expect.stringMatching(/^2026-06-01T1[12]:\d\d:\d\d\.000Z$/),
      });
    }
    const signed = posts.filter((it) => verifySignature(it.body, header(it, "signature"), SECRET));
    const rightly = exchanges.filter(({ name, sent: it }) => it.method === "POST" && !REFUSED.has(name));
    expect(signed.length).toBe(rightly.length);
    expect(JSON.stringify(report)).not.toContain(SECRET);
  });

  test("each hazard in check sends the expected ids, attempts, ages and order", async () => {
    const { report } = await sentBy();
    const requests = (name: string) =>
      report.hazards.find((it) => it.name === name)!.exchanges.map(({ sent }) => sent);
    const id = (it: { headers: Record<string, string> }) => it.headers["X-Platform-Delivery-Id"];
    const timestamp = (it: { headers: Record<string, string> }) =>
      Date.parse(it.headers["X-Platform-Timestamp"]!);

    const [first, same] = requests("duplicate") as [never, never];
    expect(same).toEqual({ ...(first as object), what: "the same delivery again" });
    const [attempt, retry] = requests("late-retry") as [ReturnType<typeof requests>[0], never];
    expect((retry as typeof attempt).body).toBe(attempt.body);
    expect(id(retry)).not.toBe(id(attempt));
    expect(timestamp(retry) - timestamp(attempt)).toBe(60_000);
    const [old] = requests("old-event") as [typeof attempt];
    expect(timestamp(old) - Date.parse(JSON.parse(old.body!).timestamp)).toBe(71 * 60_000);
    expect(requests("reordered-events").map(({ what }) => what)).toEqual([
      "checkout.completed",
      "payment.completed",
      "payment.failed",
    ]);
    expect(requests("malformed-signature").map(({ what }) => what)).toEqual([
      "64 characters that are not hex digits",
      "64 non-ASCII characters",
      "128 hex digits",
    ]);
    const [large] = requests("large-body") as [typeof attempt];
    expect(large.body_bytes).toBe(1_000_000);
    const [trial] = requests("test-delivery") as [typeof attempt];
    expect(trial.headers["X-Platform-Test"]).toBe("true");
    const [pretty] = requests("other-formatting") as [typeof attempt];
    expect(pretty.body).toMatch(/^\{\n "event": /);
  });

  test.each(["payment.failed", "checkout.completed", "checkout.expired"] as const)(
    "check --event sends events of type %s with custom headers",
    async (event) => {
      const { sent, report } = await sentBy({ event, headerPrefix: "Acme-", deliveryId: "event" });
      const valid = report.hazards[0]!.exchanges[0]!.sent;
      expect(valid.headers).toMatchObject({ "Acme-Event": event });
      expect(JSON.parse(valid.body!).event).toBe(event);
      expect(report.hazards.map(({ name }) => name)).toEqual(HAZARDS.map(({ name }) => name));
      const other = report.hazards.find(({ name }) => name === "other-events")!.exchanges;
      // The order ensures that a completed checkout finds its payment.
      expect(other.map(({ sent: { what } }) => what)).toEqual(EVENT_TYPES);
      expect(sent.every(({ headers }) => headers["x-platform-event"] === undefined)).toBe(true);
      const [attempt, retry] = report.hazards.find(({ name }) => name === "late-retry")!.exchanges;
      expect(retry!.sent.headers["Acme-Delivery-Id"]).toBe(attempt!.sent.headers["Acme-Delivery-Id"]);
    },
  );
});
