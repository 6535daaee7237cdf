import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { explore } from "../../src/index.ts";
import { folderOf, runCli } from "../support/cli.ts";
import { acmeFile, serveLastWins, shop } from "./senders.ts";

const RANK = ["order.created", "order.paid"];
const lastWins = () => shop((orders, { type, data }) => void orders.set(data.order, type));
const forwardOnly = (readsAll?: boolean) =>
  shop((orders, { type, data }) => {
    const present = RANK.indexOf(orders.get(data.order) ?? "");
    if (RANK.indexOf(type) > present) orders.set(data.order, type);
  }, readsAll);
const counts = () =>
  shop((orders, { type }) => void orders.set(type, String(Number(orders.get(type) ?? 0) + 1)));

test("explore finds a handler that relies on the order of a sender's events, and lists what it assumed about the sender", async () => {
  const { failure } = await explore({
    ...lastWins().options,
    sender: acmeFile(),
    events: "order.created,order.paid@20s",
  });
  expect(failure?.deviations).toEqual([{ attempt: 1, kind: "lost" }]);
  const story = failure?.story.replace(/\s+/g, " ");
  expect(story).toContain("order.created happened at 09:00:00, and order.paid at 09:00:20");
  expect(story).toContain("This relies on facts that acme does not publish: retries.delays.");
});

test("explore passes a handler that accepts events in any order, and signs each request when it is sent", async () => {
  const { options, times } = forwardOnly();
  const result = await explore({ ...options, sender: acmeFile() });
  expect(result.verdict).toBe("nothing_found");
  // Most schedules are replayed from a recording, which contains requests of an earlier run.
  expect([...times.values()].map(({ size }) => size > 5)).toEqual([true, true]);
});

test("explore finds a handler that counts duplicates only if the sender retries", async () => {
  const events = "order.created,order.paid@1m";
  const found = await explore({ ...counts().options, sender: acmeFile(), events });
  expect(found.failure?.deviations).toEqual([{ attempt: 1, kind: "answer-lost" }]);
  const { options } = counts();
  const never = await explore({ ...options, sender: acmeFile("retries: {}"), events });
  expect(never).toMatchObject({ verdict: "nothing_found", failure: null });
});

test("explore never delivers a newer event first for a sender that preserves the order", async () => {
  const inOrder = acmeFile("retries: { delays: [1h, 4h] }\norder: endpoint");
  const result = await explore({ ...lastWins().options, sender: inOrder, deviations: 1 });
  expect(result.verdict).toBe("nothing_found");
});

test('a response status that means "gone" stops a sender\'s deliveries', async () => {
  const { options } = shop((orders, { type, data }, seen) => {
    if (type === "order.created") orders.set(data.order, type);
    const isFirst = !seen.has("gone");
    if (type === "order.created" && isFirst) seen.add("gone");
    else orders.set(data.order, "asked again");
    return 410;
  });
  const gone = acmeFile("retries: { delays: [1h] }\ngone: 410");
  await expect(explore({ ...options, sender: gone })).rejects.toMatchObject({
    message: expect.stringContaining("returned 410"),
  });
});

const line = (time: string, id: string, type: string, status = 200) =>
  JSON.stringify({
    ...{ time, method: "POST", path: "/webhooks", headers: {}, status },
    body: JSON.stringify({ id, type, created: 1, data: { order: "order_77" } }),
  });

test.each([
  ["github", "issue", "issue", "updated_at"],
  ["github", "pull-request", "pull_request", "updated_at"],
  ["clerk", "user", "data", "updated_at"],
  ["paddle", "subscription", "data", "updated_at"],
  ["linear", "issue", "data", "updatedAt"],
])(
  "explore passes a handler that keeps the latest change of %s's objects in the story %s",
  async (sender, story, place, changedAt) => {
    const objects = new Map<string, { at: string; text: string }>();
    const result = await explore({
      ...{ sender, story, deviations: 1 },
      reset: () => objects.clear(),
      state: () => JSON.stringify([...objects].sort()),
      async subscriber(request) {
        const object = ((await request.json()) as Record<string, Record<string, string> | undefined>)[place];
        const at = String(object?.[changedAt] ?? "");
        if (object === undefined || at <= (objects.get(String(object.id))?.at ?? "")) return new Response();
        objects.set(String(object.id), { at, text: JSON.stringify(object) });
        return new Response();
      },
    });
    expect(result.failure?.story).toBeUndefined();
    expect(result.verdict).toBe("nothing_found");
  },
);

test("explore replays only the saved findings about the story that it is asked to explore", async () => {
  const stories = "stories: { first: [order.created, order.paid], second: [order.paid] }";
  const sender = acmeFile(`retries: { delays: [1h, 4h] }\n${stories}`);
  const cwd = dirname(sender);
  mkdirSync(join(cwd, "sandglass/findings"), { recursive: true });
  writeFileSync(
    join(cwd, "sandglass/findings/lost.yaml"),
    "finding: lost\nstory: first\nsender: acme\nschedule: [lost@1]\n",
  );
  const { url, flags } = await serveLastWins();
  const explored = async (story: string) => {
    const { stdout } = await runCli(["explore", url, "--sender", "acme.yaml", "--story", story, ...flags], {
      cwd,
    });
    return /^(?:passed|failed) {2}lost /m.test(stdout) || stdout.includes("Known: ");
  };
  expect([await explored("first"), await explored("second")]).toEqual([true, false]);
});

test("explore names the types of events that changed nothing, because they may lack what the handler looks for", async () => {
  const stories = "stories: { first: [order.created, order.paid], second: [order.paid, order.created] }";
  const sender = acmeFile(`retries: { delays: [1h, 4h] }\n${stories}`);
  const { url, flags } = await serveLastWins((type) => type === "order.paid");
  const { code, stdout } = await runCli(["explore", url, "--sender", "acme.yaml", ...flags], {
    cwd: dirname(sender),
  });
  expect([code, stdout.replaceAll(/\s+/g, " ")]).toEqual([
    0,
    expect.stringContaining(
      "The state was the same after each order.created. If your handler acts on such events",
    ),
  ]);
});

test("explore rejects an unknown story and lists those in the sender's file", async () => {
  const asked = explore({ ...lastWins().options, sender: "stripe", story: "subscriptions" });
  await expect(asked).rejects.toMatchObject({
    code: "not_found",
    message: "stripe's sender file has no story subscriptions.",
    hint: expect.stringContaining("subscription, checkout,"),
  });
});

test("a finding names its story in the sender's file, and includes days in its times if the story takes days", async () => {
  const stories =
    "stories: { late: [order.created, { type: order.created, after: 2d }, { type: order.paid, after: 2d20s }] }";
  const sender = acmeFile(`retries: { delays: [1h, 4h] }\n${stories}`);
  const { failure } = await explore({ ...lastWins().options, sender });
  expect(failure?.finding).toMatchObject({ story: "late", sender: "acme" });
  expect(failure?.finding).not.toHaveProperty("events");
  expect(failure?.story).toMatch(/ 17 Jan 09:00:20 {2}order\.paid /);
  expect(failure?.story?.replaceAll(/\s+/g, " ")).toContain("and order.paid at 17 Jan 09:00:20: compare");
});

test("explore plays a capture with its original order, gaps and bodies, and signs each event again", async () => {
  const file = join(folderOf(), "orders.ndjson");
  writeFileSync(
    file,
    [
      line("2026-06-01T12:00:00.000Z", "ev_77", "order.created", 500),
      line("2026-06-01T12:00:30.000Z", "ev_78", "order.paid"),
      line("2026-06-01T12:01:00.000Z", "ev_77", "order.created"),
      '{"time": "2026-06-01T12:0',
    ].join("\n"),
  );
  const { failure } = await explore({ ...lastWins().options, sender: acmeFile(), events: file });
  expect(failure?.differences).toEqual([
    { path: "order_77", expected: "order.paid", actual: "order.created" },
  ]);
  expect(failure?.story).toContain("09:00:30");
});

test("explore plays a list of events with their times and data", async () => {
  const file = join(folderOf(), "story.yaml");
  writeFileSync(
    file,
    "- order.created\n- { type: order.paid, after: 45s, data: { data: { order: order_5 } } }\n",
  );
  const seen = new Set<string>();
  const { options } = shop((orders, { type, data }) => {
    seen.add(data.order);
    orders.set(data.order, type);
  });
  await explore({ ...options, sender: acmeFile(), events: file, deviations: 1 });
  expect([...seen]).toEqual(["order_1", "order_5"]);
});

test.each([
  [["--sender", "acmee"], "There is no sender acmee"],
  [["--sender", "stripe", "--events", "checkout.completed"], "Its events: checkout.session.completed"],
  [
    ["--sender", "stripe", "--events", "radar.early_fraud_warning.created"],
    "npx sandglass init --sender stripe",
  ],
  [["--sender", "stripe", "--events", "nowhere.ndjson"], "nowhere.ndjson"],
  [["--events", "order.paid"], "--sender"],
])("explore rejects the arguments %j and suggests a fix", async (args, words) => {
  const url = "http://127.0.0.1:1/";
  const { code, stderr } = await runCli([
    "explore",
    url,
    "--state",
    url,
    "--reset",
    url,
    "--secret",
    "x",
    ...args,
  ]);
  expect(code).toBe(2);
  expect(stderr).toContain(words);
});

test("explore finds a handler that reads only one of two signatures while a secret is being replaced", async () => {
  const sender = acmeFile("retries: { delays: [1h] }", ', also: ",v1={signature}"');
  const { failure } = await explore({ ...forwardOnly(false).options, sender });
  expect(failure?.deviations).toEqual([{ attempt: 1, kind: "secret-rotated" }]);
  expect(failure?.story).toContain("attempt 1  401, signed with two secrets");
  expect(failure?.story).toMatch(/Read every\s+signature\s+in\s+the\s+header/);
  for (const one of [
    { ...forwardOnly(true).options, sender },
    { ...forwardOnly(false).options, sender: acmeFile() },
  ])
    expect((await explore(one)).failure?.story).toBeUndefined();
});

/** Subscriptions whose state is that of the latest event to arrive. */
const acmeSubscriptions = (time: string) => {
  const file = join(folderOf(), "acme.yaml");
  writeFileSync(
    file,
    [
      "name: acme",
      "events:",
      ...["created", "updated", "deleted"].map(
        (type) => `  sub.${type}: { body: { id: ev_1a, type: sub.${type}, created: 0, status: ${type} } }`,
      ),
      "type: body.type",
      "id: body.id",
      time,
      'signature: { header: "Acme-Signature: t={time},v1={signature}", over: "{time}.{body}", time: milliseconds }',
      "retries: { delays: [1h] }",
    ].join("\n"),
  );
  return file;
};

test.each<[what: string, time: string, words: string]>([
  [
    "with the times from their bodies",
    "time: body.created",
    "sub.updated happened at 09:00:20, and sub.deleted at 09:01:00: compare the timestamps in the bodies, not those in the headers, or ask acme for its current state before you change a record.",
  ],
  [
    "without timestamps if their bodies have none",
    "",
    "The bodies do not say which happened first. Let a record move only forward, or ask acme for its current state before you change it.",
  ],
])(
  "a finding uses the sender's terms for the two events at which the runs diverge, %s",
  async (_what, time, words) => {
    const list = join(folderOf(), "story.yaml");
    const update = (after: string, status: string) =>
      `- { type: sub.updated, after: ${after}, data: { status: ${status} } }`;
    writeFileSync(
      list,
      [
        "- sub.created",
        update("20s", "past_due"),
        update("40s", "active"),
        "- { type: sub.deleted, after: 60s }",
      ].join("\n"),
    );
    let status = "";
    const { failure } = await explore({
      subscriber: async (request) => {
        const event = await request.json();
        // The handler always applies the first update, even if it arrives after the deletion.
        if (event.status === "past_due" || status !== "deleted") status = event.status;
        return new Response();
      },
      state: () => ({ sub: { status } }),
      reset() {
        status = "";
      },
      ...{ sender: acmeSubscriptions(time), events: list, deviations: 1 },
    });
    const story = failure!.story.replace(/\s+/g, " ");
    expect(failure?.deviations).toEqual([{ attempt: 2, kind: "lost" }]);
    expect(story).toContain(
      "Why: sub.updated of 09:00:20 is lost, and its retry arrives after sub.updated of 09:00:40 and sub.deleted.",
    );
    expect(story).toContain(
      'After sub.deleted, sub.updated of 09:00:20 changes sub.status from "deleted" to "past_due".',
    );
    expect(story).toContain(words);
    expect(story).not.toMatch(/the platform|the session|an order/);
  },
);

test("explore prints the response to a rejected event, and how to describe the sender's API", async () => {
  const { options } = shop(() => undefined);
  const refuse = (status: number) =>
    explore({
      ...options,
      sender: acmeFile(),
      subscriber: () => new Response("No such order: order_1", { status }),
    });
  for (const status of [400, 500])
    await expect(refuse(status)).rejects.toMatchObject({
      message: `Your handler returned ${status} to order.created: No such order: order_1.`,
      hint: expect.stringMatching(/If it asks acme's API [\s\S]* describe those calls under api/),
    });
});

/** Acme's sender file, with a story for each type. */
const twoStories = () =>
  acmeFile("stories: { creation: [order.created], payment: [order.paid, order.paid] }\nretries: {}");

test.each([
  ["rejects", 422, "inconclusive"],
  ["ignores", 200, "nothing_found"],
])(
  "explore continues with the other stories if a handler %s the first story's events",
  async (_what, status, verdict) => {
    const { options } = shop((orders, { id, type }) => {
      if (type === "order.created") return status;
      orders.set(id, type);
      return 204;
    });
    const result = await explore({ ...options, sender: twoStories() });
    expect(result.verdict).toBe(verdict);
    expect(result.schedules).toBeGreaterThan(0);
    if (status === 422)
      expect(result.failure?.story).toContain("creation: Your handler returned 422 to order.created");
  },
);

test("explore prints the responses to the events of every story if none changes the state", async () => {
  const { options } = shop(() => undefined);
  const subscriber = () => new Response("Nothing to do");
  await expect(explore({ ...options, subscriber, sender: twoStories() })).rejects.toMatchObject({
    code: "invalid_state",
    message:
      "Nothing changed in what state() returns: your handler returned 200 to every valid event: Nothing to do.",
  });
});

test("explore finds credits that a repeated invoice.payment_succeeded adds twice in a shipped Stripe story", async () => {
  let credits = 0;
  const { verdict, failure } = await explore({
    async subscriber(request) {
      const { type } = await request.json();
      if (type === "invoice.payment_succeeded") credits += 100;
      return { status: 200 };
    },
    state: () => ({ credits }),
    reset: () => {
      credits = 0;
    },
    ...{ sender: "stripe", story: "subscription-checkout", deviations: 1 },
  });
  expect(verdict).toBe("found");
  expect(failure!.differences).toMatchObject([{ path: "credits", expected: 100, actual: 200 }]);
});

test("explore finds a late invoice.payment_failed that marks a paid Stripe subscription as past due", async () => {
  let status = "none";
  let latest = 0;
  const { verdict, failure } = await explore({
    async subscriber(request) {
      const { type, created, data } = await request.json();
      if (type === "invoice.payment_failed") status = "past_due";
      if (!type.startsWith("customer.subscription.") || created < latest) return { status: 200 };
      [status, latest] = [data.object.status, created];
      return { status: 200 };
    },
    state: () => ({ status }),
    reset: () => {
      [status, latest] = ["none", 0];
    },
    ...{ sender: "stripe", story: "card-replaced", deviations: 1 },
  });
  expect(verdict).toBe("found");
  expect(failure!.differences).toMatchObject([{ path: "status", expected: "active", actual: "past_due" }]);
});

test("explore finds credits that get lost when a customer's two Stripe subscriptions are renewed at the same instant", async () => {
  let credits = 0;
  const seen = new Set<string>();
  const subscriptions = new Set<string>();
  const { verdict, failure } = await explore({
    async subscriber(request) {
      const { id, type, data } = await request.json();
      if (type !== "invoice.paid" || seen.has(id)) return { status: 200 };
      seen.add(id);
      subscriptions.add(data.object.lines.data[0].parent.subscription_item_details.subscription);
      const before = credits;
      await new Promise(setImmediate);
      credits = before + 100;
      return { status: 200 };
    },
    state: () => ({ credits }),
    reset: () => {
      credits = 0;
      seen.clear();
    },
    ...{ sender: "stripe", story: "renewals", deviations: 1 },
  });
  expect(verdict).toBe("found");
  expect(failure!.deviations).toMatchObject([{ kind: "overlap" }]);
  expect(failure!.differences).toMatchObject([{ path: "credits", expected: 200, actual: 100 }]);
  expect(subscriptions.size).toBe(2);
});
