import { describe, expect, test } from "vitest";
import { resolveConfig } from "../../src/config/config.ts";
import { createSandbox, verifySignature } from "../../src/index.ts";
import type { EndpointConfig } from "../../src/library/config.ts";
import { type clientOf, type Json, startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";

const SHOP: EndpointConfig = { url: "/_sandbox/inbox/shop", events: ["payment.completed"] };

const listed = async (sandbox: Pick<ReturnType<typeof clientOf>, "control">): Promise<Json[]> =>
  (await sandbox.control("GET", "/webhooks")).body.data;

test("every new world has the configured endpoints and sends them its events", async () => {
  const subscriber = await startSubscriber();
  const endpoint = { url: subscriber.url, secret: "whsec_of_the_team", description: "the shop" };
  const sandbox = await startSandbox({ webhooks: { endpoints: [endpoint] } });
  const other = await sandbox.makeWorld({ name: "other", seed: "tuesday" });
  for (const world of [sandbox, other]) {
    const own = (await listed(world)).filter(({ description }) => description === "the shop");
    expect(own).toEqual([expect.objectContaining({ ...endpoint, events: ["*"], status: "enabled" })]);
    const { body: status } = await world.control("GET", "/status");
    expect(status.webhook_secret).toBe("whsec_of_the_team");
    expect((await world.timeline(own[0].id)).changes).toMatchObject([{ type: "created" }]);
  }
  await sandbox.pay({ payment_link_id: (await sandbox.createLink()).id });
  await subscriber.arrived(1);
  const [{ body, headers }] = subscriber.received as [(typeof subscriber.received)[0]];
  expect(verifySignature(body, String(headers["x-platform-signature"]), endpoint.secret)).toBe(true);
});

test("a reset restores the configured endpoints", async () => {
  const sandbox = await startSandbox({ webhooks: { endpoints: [SHOP] } });
  const before = await listed(sandbox);
  expect(before).toMatchObject([{ url: `${sandbox.url}/_sandbox/inbox/shop`, events: SHOP.events }]);
  await sandbox.api("DELETE", `/webhooks/${before[0].id}`);
  expect(await listed(sandbox)).toEqual([]);
  await sandbox.control("POST", "/reset");
  expect(await listed(sandbox)).toEqual(before);
});

test("a path given as a configured endpoint's URL is relative to each world's address", async () => {
  const sandbox = await startSandbox({ webhooks: { endpoints: [SHOP] } });
  const other = await sandbox.makeWorld({ name: "other" });
  expect(await listed(other)).toMatchObject([{ url: `${sandbox.url}/w/other/_sandbox/inbox/shop` }]);
  await other.pay({ payment_link_id: (await other.createLink()).id });
  expect((await other.control("GET", "/inbox/shop")).body.data).toMatchObject([{ signature: "valid" }]);
});

test("a fork has the original's endpoints, regardless of the configuration", async () => {
  const sandbox = await startSandbox({ webhooks: { endpoints: [SHOP] } });
  const [endpoint] = await listed(sandbox);
  await sandbox.api("DELETE", `/webhooks/${endpoint.id}`);
  const fork = await sandbox.makeWorld({ name: "fork", from: "default" });
  expect(await listed(fork)).toEqual([]);
});

test("a configured endpoint belongs to the organization that it names", async () => {
  const endpoints = [{ ...SHOP, organization: "paper-lantern-games" }, SHOP];
  const sandbox = await startSandbox({ webhooks: { endpoints } });
  const { organizations } = (await sandbox.control("GET", "/status")).body;
  expect((await listed(sandbox)).map(({ organization }) => organization).sort()).toEqual(
    organizations.map(({ id }: Json) => id).sort(),
  );
});

test("an unknown organization in a configured endpoint is rejected, and the error lists the known ones", async () => {
  await expect(
    createSandbox({ seed: "empty", webhooks: { endpoints: [{ ...SHOP, organization: "acme" }] } } as never),
  ).rejects.toMatchObject({
    code: "invalid_config",
    message: expect.stringContaining("webhooks.endpoints[0].organization"),
    hint: expect.stringContaining("northlight-coffee"),
  });
});

describe("invalid configured endpoints", () => {
  test.each<[field: string, endpoint: Json]>([
    ["webhooks.endpoints[0].url", { url: "http://shop.example/hook" }],
    ["webhooks.endpoints[0].url", { url: "ftp://localhost/" }],
    ["webhooks.endpoints[0].url", { url: "//elsewhere.example/hook" }],
    ["webhooks.endpoints[0].url", {}],
    ["webhooks.endpoints[0].events", { ...SHOP, events: [] }],
    ["webhooks.endpoints[0].events[0]", { ...SHOP, events: ["payment.complete"] }],
    ["webhooks.endpoints[0].events", { ...SHOP, events: ["*", "payment.failed"] }],
    ["webhooks.endpoints[0].secret", { ...SHOP, secret: "two\nlines" }],
  ])("an invalid configured endpoint is rejected: %s in %j", (field, endpoint) => {
    expect(() => resolveConfig({ webhooks: { endpoints: [endpoint] } }, 0)).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(field) }),
    );
  });
});
