import { expect, test } from "vitest";
import { folderOf } from "../support/cli.ts";
import { contractOf, operationsOf } from "../support/openapi.ts";
import { type Json, startSandbox } from "../support/sandbox.ts";
import { eventsOf } from "../support/scenarios.ts";
import { startSubscriber } from "../support/subscriber.ts";

/** Operations that respond with a stream, a file, or whatever a user configured. The last one accepts a file. */
const UNTYPED = [
  "GET /live",
  "POST /inbox/{name}",
  "GET /report",
  "GET /report.html",
  "GET /snapshots/{name}/download",
  "POST /snapshots/upload",
  "GET /scenarios/runs/{id}/events",
  "GET /scenarios/runs/{id}/report.html",
];

async function storyCalls(call: Call, id: string): Promise<void> {
  const { data } = await call("GET", "/webhooks/{id}/stories", `/webhooks/${id}/stories`);
  const { name } = data[0];
  const outline = await call("GET", "/webhooks/{id}/stories/{story}", `/webhooks/${id}/stories/${name}`);
  expect(outline.events.length).toBeGreaterThan(0);
  await call("POST", "/webhooks/{id}/stories/{story}", `/webhooks/${id}/stories/${name}`, {});
  await call("POST", "/webhooks/{id}/stories/{story}", `/webhooks/${id}/stories/none`, {});
  const finding = { webhook_id: id, story: name, schedule: ["lost@1"] };
  const saved = await call("POST", "/findings", "/findings", finding);
  await call("POST", "/findings", "/findings", { ...finding, webhook_id: "wh_none" });
  await call("GET", "/findings");
  await call("POST", "/findings/{name}/play", `/findings/${saved.name}/play`, { webhook_id: id });
  await call("POST", "/findings/{name}/play", "/findings/none/play", { webhook_id: id });
}

test("every control API call matches its OpenAPI document", async () => {
  const sandbox = await startSandbox({ share: true, host: "127.0.0.1", findings: folderOf() });
  const document = (await sandbox.call("GET", "/_sandbox/openapi.json")).body;
  const { check, seen } = contractOf(document);
  const call = async (method: string, path: string, target = path, body?: unknown): Promise<Json> =>
    check(method, path, await sandbox.control(method, target, body));

  const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
  const link = await sandbox.createLink();
  await call("GET", "/status");
  await call("GET", "/clock");
  await call("GET", "/mail");
  await call("POST", "/share/cookie");
  const shown = sandbox.served.shareLink!.split("#token=")[1]!;
  const headers = { "x-sandbox-token": shown };
  check("POST", "/share/cookie", await sandbox.call("POST", "/_sandbox/share/cookie", { headers }));
  await call("PUT", "/webhooks/{id}/fault", `/webhooks/${hook.id}/fault`, {
    sequence: [500, "timeout", 200],
  });
  await call("GET", "/webhooks/{id}/fault", `/webhooks/${hook.id}/fault`);
  const spare = await call("POST", "/webhooks", "/webhooks", { url: hook.url, another: true });
  for (const id of [spare.id, "wh_none"]) {
    await call("POST", "/webhooks/{id}/test", `/webhooks/${id}/test`);
    await call("GET", "/webhooks/{id}/deliveries", `/webhooks/${id}/deliveries`);
    await call("DELETE", "/webhooks/{id}", `/webhooks/${id}`);
  }
  const { session } = await call("POST", "/payments", "/payments", { payment_link_id: link.id });
  expect(session.status).toBe("completed");
  await call("GET", "/payments/{id}", `/payments/${session.id}`);
  await call("GET", "/links", "/links?search=a&active=true&sort=current_uses&limit=1");
  await call("GET", "/links", "/links?organization=none");
  await call("POST", "/links", "/links", { name: "Tea" });
  await call("POST", "/links", "/links", { name: "" });
  for (const name of [link.id, "none"]) {
    await call("GET", "/links/{link}", `/links/${name}`);
    await call("POST", "/links/{link}/sessions", `/links/${name}/sessions`, { expires_in: 600 });
    await call("GET", "/sessions", `/sessions?link=${name}&status=active`);
  }
  for (const id of [session.id, "cs_none"]) await call("GET", "/sessions/{id}", `/sessions/${id}`);
  for (const id of [session.transaction_id, "txn_none"])
    await call("GET", "/transactions/{id}", `/transactions/${id}`);
  for (const game of ["lantern-keeper", "chess"]) {
    await call("GET", "/game/scores", `/game/scores?game=${game}&limit=2`);
    await call("GET", "/game/channels", `/game/channels?game=${game}&limit=1`);
    await call("GET", "/game/rules", `/game/rules?game=${game}`);
  }
  await call("GET", "/payments/{id}", "/payments/cs_none");
  await call("POST", "/payments", "/payments", { payment_link_id: link.id, outcome: "failed" });
  await call("POST", "/payments", "/payments", { payment_link_id: link.id, amount: "1" });
  await call("POST", "/payments", "/payments", {});
  await call("POST", "/webhooks/{id}/outage", `/webhooks/${hook.id}/outage`, { duration: "2m" });
  await call("POST", "/webhooks/{id}/outage", `/webhooks/${hook.id}/outage`, { duration: 0 });
  await call("GET", "/webhooks/{id}/timeline", `/webhooks/${hook.id}/timeline`);
  const dry = await call("POST", "/clock/advance", "/clock/advance", { by: "2h", dryRun: true });
  expect(dry.would_fire.length).toBeGreaterThan(0);
  await call("POST", "/clock/advance", "/clock/advance", { by: "90s" });
  await call("POST", "/clock/advance", "/clock/advance", { until: "idle" });
  await call("POST", "/clock/advance", "/clock/advance", { by: "1h", to: "2027-01-01" });
  await call("DELETE", "/webhooks/{id}/fault", `/webhooks/${hook.id}/fault`);
  await call("GET", "/webhooks/{id}/fault", `/webhooks/${hook.id}/fault`);
  await deliveryCalls(call, (await sandbox.timeline(hook.id)).attempts, hook.id);
  await storyCalls(call, hook.id);
  await senderCalls(call, hook.url);
  const open = await sandbox.openSession();
  await call("POST", "/sessions/{id}/expire", `/sessions/${open.id}/expire`);
  await call("POST", "/sessions/{id}/expire", `/sessions/${open.id}/expire`);
  await call("GET", "/webhooks");
  const exported = await call("GET", "/export");
  expect(exported).toMatchObject({ history: "none", webhooks: [{ id: hook.id }] });
  await call("POST", "/webhooks", "/webhooks", { url: hook.url, secret: "whsec_mine" });
  await call("POST", "/webhooks", "/webhooks", { url: "http://example.com/" });
  await call("PATCH", "/webhooks/{id}", `/webhooks/${hook.id}`, { headers: { "X-Tenant": "acme" } });
  await call("PATCH", "/webhooks/{id}", `/webhooks/${hook.id}`, { url: "" });
  await call("POST", "/webhooks/{id}/disable", `/webhooks/${hook.id}/disable`);
  await call("POST", "/webhooks/{id}/disable", `/webhooks/${hook.id}/disable`);
  await call("POST", "/webhooks/{id}/enable", `/webhooks/${hook.id}/enable`);
  await call("GET", "/webhooks/{id}/timeline", `/webhooks/${hook.id}/timeline?limit=1`);
  await call("PUT", "/faults/{area}", "/faults/platform", { status: 503, match: "GET /products*", times: 2 });
  await call("PUT", "/faults/{area}", "/faults/nowhere", { status: 503 });
  expect((await call("GET", "/faults")).data).toHaveLength(1);
  await call("GET", "/faults/{area}", "/faults/platform");
  await call("GET", "/faults/{area}", "/faults/game");
  await call("GET", "/faults/{area}", "/faults/nowhere");
  await call("DELETE", "/faults/{area}", "/faults/platform");
  await call("GET", "/inbox");
  const { data } = await call("GET", "/inbox/{name}", "/inbox/shop");
  expect(data.length).toBeGreaterThan(0);
  await call("PUT", "/inbox/{name}/behaviour", "/inbox/shop/behaviour", {
    status: 503,
    sequence: [500],
    body: "no",
  });
  await call("GET", "/inbox/{name}/behaviour", "/inbox/shop/behaviour");
  await call("GET", "/inbox/{name}/behaviour", "/inbox/nobody/behaviour");
  const address = `0x${"12".repeat(20)}`;
  const token = { address, name: "Coin", decimals: "6" };
  await call("PUT", "/data/addresses/{address}", `/data/addresses/${address}`, {
    chain_id: 10,
    tokens: [{ token }],
  });
  await call("PUT", "/data/addresses/{address}", "/data/addresses/me.eth", { tokens: [] });
  await call("PUT", "/data/addresses/{address}", `/data/addresses/${address}`, { tokens: [{ token: {} }] });
  const known = await call("GET", "/data/addresses");
  expect(known.data.length).toBeGreaterThan(10);
  await call("PUT", "/data/providers/{name}", "/data/providers/indexer", {
    state: "slow",
    latency: "1m",
    times: 9,
  });
  await call("PUT", "/data/providers/{name}", "/data/providers/nobody", { state: "down" });
  await call("GET", "/data/providers");
  for (const path of [`/explorer/addresses/${address}/tokens`, "/insights/v1/tokens/lookup?symbol=USDC"])
    expect((await sandbox.call("GET", `/data${path}`)).status).toBe(200);
  const cache = await call("GET", "/data/cache");
  expect(cache.data).toHaveLength(2);
  await call("DELETE", "/data/cache", `/data/cache?address=${address}`);
  await call("DELETE", "/data/cache", "/data/cache?chain=1");
  await call("DELETE", "/data/addresses/{address}", `/data/addresses/${address}`);
  await call("DELETE", "/data/addresses/{address}", "/data/addresses/me.eth");
  await gameCalls(call);
  await call("GET", "/events", "/events?limit=10000");
  await call("GET", "/events", "/events?limit=0");
  const requests = await call("GET", "/requests");
  await call("GET", "/requests/{id}", `/requests/${requests.data[0].id}`);
  await call("GET", "/requests/{id}", "/requests/999999");
  await call("PUT", "/clock", "/clock", { mode: "scaled", rate: 60 });
  await call("DELETE", "/clock/advance");
  await call("POST", "/clock/pause");
  await call("POST", "/clock/resume");
  await call("PUT", "/clock", "/clock", { mode: "paused", now: "2027-01-01T00:00:00Z" });
  await worldCalls(call);
  const { id } = await call("POST", "/scenarios/{name}/runs", "/scenarios/retry-and-recover/runs", {});
  await eventsOf(sandbox, id);
  const { report } = await call("GET", "/scenarios/runs/{id}", `/scenarios/runs/${id}`);
  expect(report.status).toBe("passed");
  await call("POST", "/scenarios/{name}/runs", "/scenarios/retry-and-recover/runs", {
    params: { status: "no" },
  });
  await call("POST", "/scenarios/{name}/runs", "/scenarios/none/runs", {});
  await call("GET", "/scenarios");
  await call("GET", "/scenarios/runs");
  await call("DELETE", "/scenarios/runs/{id}", `/scenarios/runs/${id}`);
  await call("GET", "/scenarios/runs/{id}", `/scenarios/runs/${id}`);
  await call("POST", "/undo", "/undo");
  await call("POST", "/reset", "/reset", {});
  await call("POST", "/undo", "/undo");

  const documented = operationsOf(document).map(({ method, path }) => `${method} ${path}`);
  const untested = documented.filter((operation) => !seen.has(operation) && !UNTYPED.includes(operation));
  expect(untested, "calls that this test does not make").toEqual([]);
});

async function senderCalls(call: Call, url: string): Promise<void> {
  await call("GET", "/senders");
  await call("POST", "/webhooks", "/webhooks", { url, sender: "github" });
  await call("POST", "/senders/{name}/events", "/senders/github/events", { type: "push" });
  await call("POST", "/senders/{name}/events", "/senders/github/events", { type: "none" });
  await call("POST", "/senders/{name}/events", "/senders/nobody/events", { type: "push" });
  await call("POST", "/senders/{name}/stories/{story}", "/senders/github/stories/issue");
  await call("POST", "/senders/{name}/stories/{story}", "/senders/github/stories/none");
}

async function deliveryCalls(call: Call, attempts: Json[], webhookId: string): Promise<void> {
  const { url } = await startSubscriber(401);
  const refusing = await call("POST", "/webhooks", "/webhooks", { url });
  const tested = await call("POST", "/webhooks/{id}/test", `/webhooks/${refusing.id}/test`);
  const { delivery_id: refused } = tested;
  await call("POST", "/deliveries/{id}/diagnosis", `/deliveries/${refused}/diagnosis`);
  await call("DELETE", "/webhooks/{id}", `/webhooks/${refusing.id}`);
  const delivered = attempts.find(({ status }) => status === "success");
  const failed = attempts.find(({ status }) => status === "failed");
  for (const id of [delivered.delivery_id, delivered.event_id, failed.delivery_id, "del_none"]) {
    await call("GET", "/deliveries/{id}", `/deliveries/${id}`);
    await call("POST", "/deliveries/{id}/diagnosis", `/deliveries/${id}/diagnosis`);
    await call("POST", "/deliveries/{id}/resend", `/deliveries/${id}/resend`, { webhook_id: webhookId });
    await call("POST", "/deliveries/{id}/retry", `/deliveries/${id}/retry`);
  }
  await call("POST", "/deliveries/retry", "/deliveries/retry", { since: "2h", webhook_id: webhookId });
  await call("POST", "/deliveries/retry", "/deliveries/retry", { since: "soon" });
}

const GAME_LISTS = ["games", "players", "sessions", "channels", "rules", "notifications"].map(
  (name) => `/game/${name}`,
);

type Call = (method: string, path: string, target?: string, body?: unknown) => Promise<Json>;

async function gameCalls(call: Call): Promise<void> {
  const address = `0x${"a".repeat(40)}`;
  const minted = await call("POST", "/game/tokens", "/game/tokens", { address, expiresIn: "1h" });
  await call("GET", "/game/signature", "/game/signature?nonce=n");
  await call("POST", "/game/tokens", "/game/tokens", { player: "nobody" });
  await call("POST", "/game/tokens", "/game/tokens", { expiresIn: "soon" });
  const { data: channels } = await call("GET", "/game/channels");
  const message = { channel: channels[0].id, from: address, content: "hi" };
  await call("POST", "/game/messages", "/game/messages", message);
  await call("POST", "/game/messages", "/game/messages", { ...message, from: undefined });
  await call("POST", "/game/messages", "/game/messages", { ...message, channel: "nowhere" });
  for (const path of GAME_LISTS) await call("GET", path);
  for (const status of ["ended", "ended before", "unknown"]) {
    const id = status === "unknown" ? "x" : minted.session_id;
    await call("DELETE", "/game/sessions/{id}", `/game/sessions/${id}`);
  }
  await call("DELETE", "/game/players/{id}", `/game/players/${minted.player.id}`);
  await call("DELETE", "/game/players/{id}", `/game/players/${minted.player.id}`);
}

async function worldCalls(call: Call): Promise<void> {
  await call("POST", "/snapshots", "/snapshots", { name: "one" });
  await call("POST", "/snapshots", "/snapshots", {});
  await call("POST", "/snapshots", "/snapshots", { name: "a/b" });
  await call("GET", "/snapshots");
  await call("POST", "/snapshots/{name}/restore", "/snapshots/one/restore");
  await call("POST", "/snapshots/{name}/restore", "/snapshots/none/restore");
  await call("POST", "/worlds", "/worlds", { name: "fork", from: "one" });
  await call("POST", "/worlds", "/worlds", { name: "fork" });
  await call("POST", "/worlds", "/worlds", { from: "none" });
  await call("GET", "/worlds");
  for (const name of ["fork", "fork", "default"]) await call("DELETE", "/worlds/{name}", `/worlds/${name}`);
  for (const name of ["one", "one"]) await call("DELETE", "/snapshots/{name}", `/snapshots/${name}`);
}

test("every error response from the control API matches its OpenAPI document, including those for streams and files", async () => {
  const sandbox = await startSandbox();
  const document = (await sandbox.call("GET", "/_sandbox/openapi.json")).body;
  const { check } = contractOf(document);
  const headers = { accept: "text/event-stream" };
  for (const [path, target, status] of [
    ["/live", "/live?after=x", 400],
    ["/report.html", "/report.html?after=-1", 400],
    ["/scenarios/runs/{id}/events", "/scenarios/runs/nope/events", 404],
    ["/scenarios/runs/{id}/report.html", "/scenarios/runs/nope/report.html", 404],
    ["/snapshots/{name}/download", "/snapshots/nope/download", 404],
  ] as const) {
    const answer = await sandbox.call("GET", `/_sandbox${target}`, { headers });
    expect(answer.status, target).toBe(status);
    check("GET", path, answer);
  }
  let sizes = 0;
  for (const { method, path } of operationsOf(document)) {
    // An inbox accepts any body.
    if (method === "GET" || path === "/inbox/{name}") continue;
    const target = `/_sandbox${path.replace(/\{\w+\}/g, "nope")}`;
    const send = (type: string, body: string) =>
      sandbox.call(method, target, { body, headers: { "content-type": type } });
    const answer = await send("text/plain", "{}");
    expect(answer.status, `${method} ${path}`).toBe(415);
    check(method, path, answer);
    // All operations except uploads have the same limit, so testing a few is enough.
    if (path === "/snapshots/upload" || sizes >= 5) continue;
    sizes += 1;
    const large = await send("application/json", " ".repeat(1024 * 1024 + 1));
    expect(large.status, `${method} ${path}`).toBe(413);
    check(method, path, large);
  }
});

test("every GET response from the control API matches its OpenAPI document for the default seed", async () => {
  const sandbox = await startSandbox({ seed: "sandglass" });
  const document = (await sandbox.call("GET", "/_sandbox/openapi.json")).body;
  const { check } = contractOf(document);
  for (const path of [
    "/status",
    "/webhooks",
    "/mail",
    "/events",
    "/inbox",
    "/requests",
    "/clock",
    ...GAME_LISTS,
  ])
    check("GET", path, await sandbox.control("GET", path));
  for (const { id } of (await sandbox.control("GET", "/webhooks")).body.data)
    check("GET", "/webhooks/{id}/timeline", await sandbox.control("GET", `/webhooks/${id}/timeline`));
});
