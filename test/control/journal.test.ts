import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { EVENT_TYPES } from "../../src/payments/webhooks/event-types.ts";
import { expectRefusal } from "../support/control-errors.ts";
import { listenByEvents, listenBySocket } from "../support/live.ts";
import { startSandbox } from "../support/sandbox.ts";
import { sharedSandbox } from "../support/shared.ts";
import { startHeldSubscriber } from "../support/webhooks.ts";

const sandbox = sharedSandbox();
const typesOf = (entries: { type: string }[]) => entries.map(({ type }) => type);
const seqsOf = (entries: { seq: number }[]) => entries.map(({ seq }) => seq);

test("GET /events lists entries in order, after a given position, by type and up to a limit", async () => {
  const sandbox = await startSandbox();
  const events = async (query = "") => (await sandbox.control("GET", `/events${query}`)).body.data;
  expect(await events()).toEqual([]);
  const link = await sandbox.createLink();
  await sandbox.advance("1m");
  await sandbox.pay({ payment_link_id: link.id });
  const all = await events();
  expect(seqsOf(all)).toEqual(all.map((_: unknown, index: number) => index + 1));
  expect(all[0]).toEqual({
    seq: 1,
    type: "payment_link.created",
    at: "2026-01-15T09:00:00.000Z",
    wall: expect.stringMatching(/Z$/),
    data: { id: link.id, organization: expect.stringMatching(/^org_/) },
  });
  expect(all[1].at).toBe("2026-01-15T09:01:00.000Z");
  expect(typesOf(all)).toEqual([
    "payment_link.created",
    "checkout.created",
    "payment.completed",
    "checkout.completed",
  ]);

  expect(await events("?after=2")).toEqual(all.slice(2));
  expect(await events("?after=2&limit=1")).toEqual([all[2]]);
  expect(await events("?after=99")).toEqual([]);
  expect(typesOf(await events("?types=checkout.*"))).toEqual(["checkout.created", "checkout.completed"]);
  expect(typesOf(await events("?types=payment.completed,%20checkout.created,"))).toEqual([
    "checkout.created",
    "payment.completed",
  ]);
  expect(await events("?types=webhook.disabled,game.*")).toEqual([]);
  expect(await events("?types=*")).toEqual(all);
  expect(await events("?types=")).toEqual(all);
  expect(seqsOf(await events("?order=desc&limit=2"))).toEqual([4, 3]);
  expect(seqsOf(await events("?order=desc&before=3"))).toEqual([2, 1]);
  expect(seqsOf(await events("?after=1&before=4"))).toEqual([2, 3]);
  expect(seqsOf(await events("?order=desc&before=4&types=checkout.*"))).toEqual([2]);
  for (const query of ["?order=up", "?before=-1"])
    expectRefusal(await sandbox.control("GET", `/events${query}`), 400, "bad_request", query);
  for (const query of ["?limit=0", "?limit=10001", "?after=-1", "?after=x", "?types=a&types=b", "?colour=1"])
    expectRefusal(await sandbox.control("GET", `/events${query}`), 400, "bad_request", query);
});

test("an entry type that cannot occur is rejected with a suggestion", async () => {
  const refusal = async (types: string) => {
    const answer = await sandbox.control("GET", `/events?types=${encodeURIComponent(types)}`);
    expectRefusal(answer, 400, "bad_request", types);
    return answer.body.error;
  };
  expect((await refusal("payment.complete")).hint).toBe("Did you mean payment.completed?");
  expect((await refusal("webhook.disabled, delivry.*")).hint).toBe("Did you mean delivery.*?");
  expect((await refusal("nonsense")).hint).toMatch(/^Journal entries: .*delivery.failed, .*world.reset, /);
  for (const types of ["payment", "payment_*.created", "*.completed", "%", "PAYMENT.*", "**", "clok"])
    expect((await refusal(types)).message).toBe(
      `types must be names of journal entries, such as webhook.disabled or delivery.*, not '${types}'.`,
    );
  const stream = await fetch(`${sandbox.url}/_sandbox/live?types=nothing`, {
    headers: { accept: "text/event-stream" },
  });
  expect(stream.status).toBe(400);
});

describe.each([
  ["a WebSocket", listenBySocket],
  ["server-sent events", listenByEvents],
] as const)("live streams over %s", (_name, listen) => {
  test("a live stream sends each entry once, exactly as written", async () => {
    const sandbox = await startSandbox();
    await sandbox.createLink({ name: "Before" });
    const live = await listen(sandbox.url);
    const link = await sandbox.createLink({ name: "After" });
    await sandbox.pay({ payment_link_id: link.id });
    await live.heard(4);
    expect(live.entries).toEqual((await sandbox.journal()).slice(1));
  });

  test("a live stream replays the entries after a given position, then continues without a gap", async () => {
    const sandbox = await startSandbox();
    for (let count = 0; count < 1_005; count += 1) sandbox.sandbox.journal.append("test.entry", { count });
    const live = await listen(sandbox.url, "?after=3");
    sandbox.sandbox.journal.append("test.entry", { count: "last" });
    const entries = await live.heard(1_003);
    expect(seqsOf(entries)).toEqual(Array.from({ length: 1_003 }, (_, index) => index + 4));
    const everything = await listen(sandbox.url, "?after=0");
    expect(await everything.heard(1_006)).toHaveLength(1_006);
  });

  test("a live stream sends only the requested types", async () => {
    const sandbox = await startSandbox();
    await sandbox.pay({ session_id: (await sandbox.openSession()).id });
    const live = await listen(sandbox.url, "?after=0&types=checkout.*,product.created");
    await sandbox.api("POST", "/widgets", { body: { name: "Buy" } });
    await sandbox.api("POST", "/products", { body: { name: "Mug" } });
    expect(typesOf(await live.heard(3))).toEqual([
      "checkout.created",
      "checkout.completed",
      "product.created",
    ]);
  });

  test("a live stream with clock=true sends the clock's state first and after every change", async () => {
    const sandbox = await startSandbox();
    await sandbox.createLink();
    const live = await listen(sandbox.url, "?clock=true");
    const clocks = () => live.entries.filter(({ type }) => type === "clock").map(({ data }) => data);
    await expect.poll(clocks).toEqual([
      {
        mode: "paused",
        rate: 1,
        now: "2026-01-15T09:00:00.000Z",
        next_due: null,
        next_own_due: null,
        last_seq: 1,
        advance: null,
      },
    ]);
    await sandbox.openSession({ expires_in: 600 });
    await expect
      .poll(() => clocks().at(-1))
      .toMatchObject({ next_due: "2026-01-15T09:10:00.000Z", next_own_due: "2026-01-15T09:10:00.000Z" });
    await sandbox.advance("5m");
    await expect.poll(() => clocks().at(-1)!.now).toBe("2026-01-15T09:05:00.000Z");
    await sandbox.control("PUT", "/clock", { mode: "scaled", rate: 60 });
    await expect.poll(() => clocks().at(-1)).toMatchObject({ mode: "scaled", rate: 60 });
    await sandbox.control("POST", "/reset", {});
    await expect.poll(() => clocks().at(-1)).toMatchObject({ next_due: null, last_seq: 1 });
    expect(await sandbox.journal("clock")).toEqual([]);
  });

  test("a live stream sends the next due time of your own data, and API calls on request", async () => {
    const sandbox = await startSandbox({ seed: "sandglass" });
    const live = await listen(sandbox.url, "?clock=true&calls=true");
    const newest = (type: string) => live.entries.findLast((one) => one.type === type)?.data;
    await expect.poll(() => newest("clock")).toMatchObject({ next_own_due: null });
    expect(newest("clock")!.next_due).not.toBeNull();
    await sandbox.openSession({ expires_in: 86_400 });
    await expect.poll(() => newest("clock")).toMatchObject({ next_own_due: "2026-01-16T09:00:00.000Z" });
    expect(String(newest("clock")!.next_due) < "2026-01-16T09:00:00.000Z").toBe(true);
    await expect.poll(() => newest("calls")).toEqual({ last: 1 });
    await sandbox.control("GET", "/status");
    await sandbox.api("GET", "/products");
    await expect.poll(() => newest("calls")).toEqual({ last: 2 });
  });

  test("a live stream sends the progress of an advance while it runs", async () => {
    const sandbox = await startSandbox();
    const subscriber = await startHeldSubscriber();
    await sandbox.createWebhook(subscriber.url, { events: ["checkout.expired"] });
    await sandbox.openSession({ expires_in: 600 });
    const live = await listen(sandbox.url, "?clock=true");
    const progress = () => live.entries.findLast(({ type }) => type === "clock")?.data.advance;
    for (const [request, to] of [
      [{ by: "1h" }, "2026-01-15T10:00:00.000Z"],
      [{ until: "idle" }, null],
    ] as const) {
      const before = subscriber.open.length;
      const advancing = sandbox.advance(request);
      await subscriber.arrived(before + 1);
      await expect.poll(progress).toMatchObject({ to, entries: 2, waiting: 1 });
      subscriber.open[before]!.answer(200);
      await advancing;
      await expect.poll(progress).toBeNull();
      await sandbox.openSession({ expires_in: 600 });
    }
  });
});

test("an EventSource that reconnects with Last-Event-ID gets the entries that it missed", async () => {
  const sandbox = await startSandbox();
  for (let count = 0; count < 3; count += 1) await sandbox.createLink();
  const first = await listenByEvents(sandbox.url, "?after=1");
  expect(first.response.headers.get("content-type")).toMatch(/^text\/event-stream/);
  await first.heard(2);
  expect({ ids: first.ids, names: first.names }).toEqual({
    ids: first.entries.map(({ seq, wall }) => `${seq}@${wall}`),
    names: ["payment_link.created", "payment_link.created"],
  });
  first.close();
  await sandbox.createLink();
  for (const id of [first.ids[1]!, "3"]) {
    const again = await listenByEvents(sandbox.url, "?after=1", { "last-event-id": id });
    expect(seqsOf(await again.heard(1)), id).toEqual([4]);
  }
});

describe("reconnections after the journal is replaced", () => {
  test.each([
    ["a restore", "/snapshots/cut/restore", "world.restored", 4],
    ["a reset", "/reset", "world.reset", 1],
    ["an undo", "/undo", "world.undone", 1],
  ])(
    "a client that reconnects to a live stream after %s continues with the entry for that change",
    async (_, path, type, seq) => {
      const sandbox = await startSandbox();
      await sandbox.control("POST", "/reset", {});
      const createLinks = async (count: number) => {
        for (let made = 0; made < count; made += 1) await sandbox.createLink();
      };
      const first = await listenByEvents(sandbox.url);
      await createLinks(2);
      await sandbox.control("POST", "/snapshots", { name: "cut" });
      await createLinks(4);
      await first.heard(6);
      first.close();
      expect((await sandbox.control("POST", path, {})).status).toBe(200);

      const returning = (id: string) => [
        listenByEvents(sandbox.url, "", { "last-event-id": id }),
        listenBySocket(sandbox.url, `?after=${id}`),
      ];
      for (const listener of [...returning(first.ids[5]!), ...returning("6")])
        expect(await (await listener).heard(1)).toMatchObject([{ seq, type }]);
      // From here on, a different entry has the same seq as the last id.
      await createLinks(8);
      for (const listener of returning(first.ids[5]!))
        expect((await (await listener).heard(9))[0]).toMatchObject({ seq, type });
      const newest = (await sandbox.journal()).at(-2)!;
      for (const listener of returning(`${newest.seq}@${newest.wall}`))
        expect(seqsOf(await (await listener).heard(1))).toEqual([newest.seq + 1]);
    },
  );
});

test("HEAD on a live stream returns its headers and ends immediately", async () => {
  const { body: run } = await sandbox.control("POST", "/scenarios/retry-and-recover/runs", {});
  for (const path of ["/live?after=0", `/scenarios/runs/${run.id}/events`]) {
    const headers = { accept: "text/event-stream" };
    const head = await fetch(`${sandbox.url}/_sandbox${path}`, { method: "HEAD", headers });
    expect(head.headers.get("content-type"), path).toBe("text/event-stream; charset=utf-8");
    expect(await head.text()).toBe("");
  }
});

test("an invalid request for a live stream is rejected, and other paths ignore a WebSocket upgrade", async () => {
  expectRefusal(await sandbox.control("GET", "/live"), 400, "bad_request");
  for (const query of ["?after=x", "?after=-1", "?colour=1"]) {
    const { response } = await listenByEvents(sandbox.url, query);
    expect(response.status, query).toBe(400);
  }
  for (const [path, status] of [
    ["/live", 404],
    ["/_sandbox/status", 200],
  ] as const)
    await expect(listenBySocket(sandbox.url, "", {}, path), path).rejects.toThrow(`refused ${status}`);
});

describe("advances to an entry of an unknown type", () => {
  const ROOT = fileURLToPath(new URL("../../", import.meta.url));

  async function hintFor(until: string): Promise<string> {
    const session = await sandbox.openSession();
    const before = (await sandbox.control("GET", "/clock")).body;
    const { status, body } = await sandbox.control("POST", "/clock/advance", { until });
    expect([status, body.error.code]).toEqual([400, "bad_request"]);
    expect((await sandbox.control("GET", "/clock")).body).toEqual(before);
    const { body: same } = await sandbox.api("GET", `/checkout-sessions/${session.id}`);
    expect(same.status).toBe("active");
    return body.error.hint;
  }

  test("advancing to an entry of an unknown type is rejected with a suggestion", async () => {
    expect(await hintFor("webhook.disable")).toBe("Did you mean webhook.disabled?");
    expect(await hintFor("nonsense")).toMatch(/^Journal entries: activity\.added, /);
  });

  test("an advance accepts every entry type in the documentation and the sources", async () => {
    const named = (await hintFor("nonsense")).replace(/^.*: |\.$/g, "").split(", ");
    const page = readFileSync(join(ROOT, "docs/journal-entries.md"), "utf8");
    const table = /\| Entries \| When \|\n([\s\S]*?)\n\n/.exec(page)![1]!;
    const documented = table.split("\n").flatMap((row) => {
      const [, names = "", when = ""] = row.split("|");
      const quoted = (text: string) => [...text.matchAll(/`([\w.*]+)`/g)].map(([, name]) => name!);
      return quoted(names).flatMap((name) =>
        name.endsWith("*") ? quoted(when).map((what) => name.replace("*", what)) : [name],
      );
    });
    expect(named).toEqual([...new Set([...documented, ...EVENT_TYPES])].sort());

    const sources = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" });
    const written = sources
      .filter((name) => name.endsWith(".ts"))
      .flatMap((name) => [
        ...readFileSync(join(ROOT, "src", name), "utf8").matchAll(/journal\.append\(([^,]*),/g),
      ])
      .flatMap(([, first]) => [...first!.matchAll(/"([\w.]+)"/g)].map(([, type]) => type!));
    expect(written.length).toBeGreaterThan(40);
    expect(named).toEqual(expect.arrayContaining(written));
  });
});

test("GET /report.html shows the journal after a given position and loads no other resources [fidelity: Data › Report]", async () => {
  const sandbox = await startSandbox();
  await sandbox.createLink();
  const whole = await sandbox.call("GET", "/_sandbox/report.html");
  expect(whole.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(whole.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(whole.text).toContain("<title>World default");
  expect(whole.text).toContain("payment_link.created");

  const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
  const rest = await sandbox.call("GET", "/_sandbox/report.html?after=1&title=%3CMine%3E");
  expect(rest.text).toContain("&lt;Mine&gt;");
  expect(rest.text).toContain(hook.url);
  expect(rest.text).not.toContain("payment_link.created");
  expectRefusal(await sandbox.control("GET", "/report.html?after=x"), 400, "bad_request");
});
