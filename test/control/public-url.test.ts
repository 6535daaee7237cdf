import { describe, expect, onTestFinished, test } from "vitest";
import { resolveConfig } from "../../src/config/config.ts";
import { createSandbox } from "../../src/index.ts";
import { eventsOf } from "../support/scenarios.ts";
import { sharedSandbox } from "../support/shared.ts";

const PUBLIC = "https://sandbox.example:8443";
const sandbox = sharedSandbox({ publicUrl: PUBLIC });

describe("the public address", () => {
  test("links for payments, checkouts and widgets start with publicUrl", async () => {
    const { api, createLink, openSession } = sandbox;
    expect((await createLink()).url).toMatch(/^https:\/\/sandbox\.example:8443\/platform\/pay\/\w{6}$/);
    expect((await openSession()).url).toMatch(/^https:\/\/sandbox\.example:8443\/platform\/checkout\/cs_/);
    const body = { name: "Button", widget_type: "button" };
    const widget = await api("POST", "/widgets", { body });
    expect(widget.body.url).toMatch(/^https:\/\/sandbox\.example:8443\/platform\/widget\//);
  });

  test("links in the status, worlds, documents and curl commands start with publicUrl", async () => {
    const { api, call, control, url } = sandbox;
    const made = (await control("POST", "/worlds", { name: "demo" })).body;
    expect(made).toMatchObject({
      url: `${PUBLIC}/w/demo`,
      bases: { platform: `${PUBLIC}/w/demo/platform`, game: `${PUBLIC}/w/demo/game` },
    });
    expect((await control("GET", "/status")).body).toMatchObject({
      url: PUBLIC,
      bases: { platform: `${PUBLIC}/platform`, data: `${PUBLIC}/data`, game: `${PUBLIC}/game` },
    });
    expect((await control("GET", "/worlds")).body.data.map((world: { url: string }) => world.url)).toEqual([
      PUBLIC,
      `${PUBLIC}/w/demo`,
    ]);
    for (const base of ["/platform", "/data", "/game", "/_sandbox", "/w/demo/platform"]) {
      const { servers } = (await call("GET", `${base}/openapi.json`)).body;
      expect(servers).toEqual([{ url: PUBLIC + base }]);
      expect((await call("GET", `${base}/reference`)).text).toContain(`${PUBLIC}${base}`);
    }
    await api("GET", "/payment-links");
    const { data } = (await control("GET", "/requests")).body;
    expect(data.map(({ curl }: { curl: string }) => curl).join("\n")).toContain(
      `curl '${PUBLIC}/platform/api/v1/payment-links'`,
    );
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:/);
  });
});

test("an inbox is listed under publicUrl and reachable under both addresses", async () => {
  const { createWebhook, createLink, control, url } = sandbox;
  for (const base of [PUBLIC, url]) {
    const hook = await createWebhook(`${base}/_sandbox/inbox/shop`);
    expect(hook.url).toBe(`${PUBLIC}/_sandbox/inbox/shop`);
  }
  const link = await createLink();
  const { deliveries } = (await control("POST", "/payments", { payment_link_id: link.id })).body;
  expect(deliveries.map(({ status }: { status: string }) => status)).toEqual(Array(4).fill("success"));
  expect(deliveries[0].url).toBe(`${PUBLIC}/_sandbox/inbox/shop`);
  const preview = await control("POST", "/clock/advance", { by: "1h", dryRun: true });
  expect(preview.status).toBe(200);
});

test("scenario reports contain no public address", async () => {
  const { body } = await sandbox.control("POST", "/scenarios/retry-and-recover/runs", {});
  await eventsOf(sandbox, body.id);
  const { report } = (await sandbox.control("GET", `/scenarios/runs/${body.id}`)).body;
  expect(report.status).toBe("passed");
  expect(JSON.stringify(report)).not.toContain("sandbox.example");
});

test("a library sandbox with publicUrl is called at its local address", async () => {
  const sandbox = await createSandbox({ publicUrl: PUBLIC, seed: "empty" });
  onTestFinished(() => sandbox.close());
  expect(sandbox.platform.baseUrl).toBe(`${sandbox.url}/platform`);
  const world = await sandbox.open();
  expect(world.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/w\//);
  const inbox = world.inbox("shop");
  await world.webhooks.create(inbox.url);
  const link = await world.payments.createLink({ name: "Tea", amount: "2500000" });
  expect(link.url).toMatch(/^https:\/\/sandbox\.example:8443\/w\//);
  await world.payments.pay(link.id);
  expect(await inbox.messages()).toHaveLength(2);
});

test.each([
  ["sandbox.example"],
  ["ftp://sandbox.example"],
  ["https://sandbox.example/sandglass"],
  ["https://sandbox.example/?a=1"],
  ["https://sandbox.example/#token=secret"],
  ["https://user:password@sandbox.example"],
  ["https://sandbox.example:70000"],
  [""],
  [7],
])("publicUrl %j is rejected because it must consist of only a scheme, a host and a port", (publicUrl) => {
  expect(() => resolveConfig({ publicUrl: publicUrl as string }, 0)).toThrow(
    /publicUrl must be the http or https address of a server, such as .*, without a path/,
  );
});

test.each([
  ["https://Sandbox.Example/", "https://sandbox.example"],
  ["http://localhost:80", "http://localhost"],
  ["http://[::1]:4400", "http://[::1]:4400"],
])("publicUrl %s is normalized to %s", (publicUrl, read) => {
  expect(resolveConfig({ publicUrl }, 0).publicUrl).toBe(read);
});
