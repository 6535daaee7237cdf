import { connect } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { listenByEvents, listenBySocket } from "../support/live.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";

const seqsOf = (entries: { seq: number }[]) => entries.map(({ seq }) => seq);
const upTo = (last: number, first = 1) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** Adds a number of entries to the journal, each with about the given number of bytes. */
function grow({ sandbox }: TestSandbox, entries: number, bytes = 10): void {
  const text = "x".repeat(bytes);
  sandbox.world.store.transaction(() => {
    for (let count = 0; count < entries; count += 1) sandbox.journal.append("test.entry", { text });
  });
}

/** Follows the journal over a socket that reads only when told to. */
function followRaw(url: string, query: string) {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  socket.write(`GET /_sandbox/live${query} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\n\r\n`);
  const entries = () => [...text.matchAll(/^id: (\d+)@.*\nevent: (.*)$/gm)];
  return {
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    connected: () => text.includes(": connected"),
    closed: () => socket.closed,
    seqs: () => entries().map(([, seq]) => Number(seq)),
    types: () => entries().map(([, , type]) => type),
  };
}

describe.each([
  ["a WebSocket", listenBySocket],
  ["server-sent events", listenByEvents],
] as const)("live streams of a large journal over %s", (_name, listen) => {
  test("a live stream follows a journal larger than 8 MiB without a gap", async () => {
    const sandbox = await startSandbox();
    grow(sandbox, 1_300, 8_000);
    const live = await listen(sandbox.url, "?after=0");
    grow(sandbox, 2);
    expect(seqsOf(await live.heard(1_302))).toEqual(upTo(1_302));
  });

  test("a live stream reports removed entries and sends the rest", async () => {
    const sandbox = await startSandbox({ worlds: { journalEntries: 1_000 } });
    grow(sandbox, 3_500);
    const live = await listen(sandbox.url, "?after=10");
    const [notice, ...entries] = await live.heard(1_501);
    expect(notice).toEqual({
      type: "notice",
      data: {
        message:
          "The entries from 11 to 2000 were removed. The journal now starts with 2001; worlds.journalEntries in the configuration sets how many it stores.",
      },
    });
    expect(seqsOf(entries)).toEqual(upTo(3_500, 2_001).slice(0, entries.length));
  });
});

test("a client that pauses reading a live stream misses no entry", async () => {
  const sandbox = await startSandbox();
  const live = followRaw(sandbox.url, "?after=0");
  await expect.poll(live.connected).toBe(true);
  live.pause();
  grow(sandbox, 1_800, 8_000);
  await sandbox.createLink();
  live.resume();
  await expect.poll(() => live.seqs().length).toBe(1_801);
  expect(live.seqs()).toEqual(upTo(1_801));
});

test("a live stream continues after a reset that happened while its client did not read", async () => {
  const sandbox = await startSandbox();
  const live = followRaw(sandbox.url, "?after=0");
  await expect.poll(live.connected).toBe(true);
  live.pause();
  grow(sandbox, 1_800, 8_000);
  await sandbox.createLink();
  await sandbox.control("POST", "/reset", {});
  await sandbox.createLink();
  live.resume();
  await expect.poll(() => live.types().at(-1)).toBe("payment_link.created");
  const before = live.types().indexOf("world.reset");
  expect(before).toBeLessThan(1_800);
  expect(live.seqs()).toEqual([...upTo(before), 1, 2]);
  expect(live.closed()).toBe(false);
});

describe("journals that exceed their size limit", () => {
  test("a journal over its size limit removes its oldest entries and reports which ones", async () => {
    const sandbox = await startSandbox({ worlds: { journalEntries: 1_000 } });
    const events = async (query: string) => (await sandbox.control("GET", `/events${query}`)).body;
    grow(sandbox, 1_999);
    expect(await events("?after=0&limit=1")).toMatchObject({ data: [{ seq: 1 }], note: null });
    grow(sandbox, 1);
    const { data, note } = await events("?after=0&limit=10000");
    expect(seqsOf(data)).toEqual(upTo(2_000, 1_001));
    expect(note).toMatch(/^The entries from 1 to 1000 were removed\./);
    for (const [query, isCut] of [
      ["?after=999", true],
      ["?after=1000", false],
      ["?order=desc&limit=10", false],
      ["?order=desc&limit=10&before=1005", true],
      ["?order=desc&limit=10&before=1005&after=1000", false],
    ] as const)
      expect((await events(query)).note !== null, query).toBe(isCut);
    expect((await sandbox.control("GET", "/status")).body.last_seq).toBe(2_000);
  });

  test("removing journal entries leaves timelines unchanged", async () => {
    const sandbox = await startSandbox({
      worlds: { journalEntries: 1_000 },
      webhooks: { disableAfter: { consecutive: 2 } },
    });
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    const link = await sandbox.createLink();
    await sandbox.pay({ payment_link_id: link.id });
    await sandbox.control("PUT", `/webhooks/${hook.id}/fault`, { kind: "status", status: 503 });
    await sandbox.pay({ payment_link_id: link.id });
    await sandbox.advance("2h");
    const before = await sandbox.timeline(hook.id);
    expect(before.changes.length).toBeGreaterThan(1);
    grow(sandbox, 3_000);
    expect((await sandbox.journal("webhook.*")).length).toBe(0);
    expect(await sandbox.timeline(hook.id)).toEqual(before);
  });

  test("a restored journal over the limit shrinks step by step", async () => {
    const large = await startSandbox();
    grow(large, 9_000);
    const snapshot = await large.sandbox.snapshot();
    const sandbox = await startSandbox({ worlds: { journalEntries: 1_000 } });
    const restore = () => sandbox.sandbox.restore(snapshot, "large");
    await restore();
    const first = () => sandbox.sandbox.journal.firstSeq();
    const sizes = [1_000, 1_000, 1_000].map((entries) => {
      grow(sandbox, entries);
      return first();
    });
    expect(sizes).toEqual([2_001, 4_001, 6_001]);
    await restore();
    expect(first()).toBe(1);
  });
});
