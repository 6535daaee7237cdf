import { describe, expect, test } from "vitest";
import { verifySignature } from "../../src/index.ts";
import { type Json, startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";

const SECRET = "whsec_mine";
const REGISTERED = { description: "my server", events: ["payment.completed"] };

async function register(sandbox: TestSandbox, body: Json, key?: string): Promise<Json> {
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const answer = await sandbox.call("POST", "/_sandbox/webhooks", { body, headers });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

/** An endpoint as it appears in the list. */
const asListed = ({ created: _created, ...endpoint }: Json): Json => endpoint;

const listed = async (sandbox: TestSandbox): Promise<Json[]> =>
  (await sandbox.control("GET", "/webhooks")).body.data;

test("an endpoint registered with a secret uses it to sign deliveries", async () => {
  const sandbox = await startSandbox();
  const subscriber = await startSubscriber();
  const endpoint = await register(sandbox, { ...REGISTERED, url: subscriber.url, secret: SECRET });
  expect(endpoint).toMatchObject({ url: subscriber.url, ...REGISTERED, status: "enabled", secret: SECRET });
  expect(await listed(sandbox)).toEqual([asListed(endpoint)]);
  await sandbox.pay({ payment_link_id: (await sandbox.createLink()).id });
  await subscriber.arrived(1);
  const [{ body, headers }] = subscriber.received as [(typeof subscriber.received)[0]];
  expect(verifySignature(body, String(headers["x-platform-signature"]), SECRET)).toBe(true);
});

/** Ways to refer to this machine that no endpoint may use, and the suggested spelling of each. */
const OTHERWISE: [given: string, written: string][] = [
  ["http://0.0.0.0:3000/webhooks", "http://127.0.0.1:3000/webhooks"],
  ["0.0.0.0:3000/webhooks", "http://127.0.0.1:3000/webhooks"],
  ["http://[::]:3000/", "http://127.0.0.1:3000/"],
  ["http://localhost.:3000/webhooks?a=1", "http://127.0.0.1:3000/webhooks?a=1"],
  ["http://shop.localhost./webhooks", "http://127.0.0.1/webhooks"],
  ["http://[::ffff:127.0.0.1]:3000/webhooks", "http://127.0.0.1:3000/webhooks"],
  ["3000", "http://127.0.0.1:3000"],
  [":3000/webhooks", "http://127.0.0.1:3000/webhooks"],
  ["http://3000/webhooks", "http://127.0.0.1:3000/webhooks"],
];

test("an unusual URL for this machine is rejected with a hint that gives the spelling to use instead", async () => {
  const sandbox = await startSandbox({ seed: "empty" });
  for (const [url, written] of OTHERWISE) {
    const answer = await sandbox.call("POST", "/_sandbox/webhooks", { body: { url } });
    expect(answer.status, url).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(`Write ${written}`);
    const strict = await sandbox.api("POST", "/webhooks", { body: { url } });
    if (url.startsWith("http")) expect(strict.text).toContain("must name this machine as 127.0.0.1");
    expect(strict.status, url).toBe(400);
    await expect(startSandbox({ webhooks: { endpoints: [{ url }] } })).rejects.toMatchObject({
      code: "invalid_config",
      hint: `Write ${written}`,
    });
  }
  expect(await listed(sandbox)).toEqual([]);
});

test("a URL without a scheme is treated as http", async () => {
  const url = "http://localhost:3000/webhooks";
  const sandbox = await startSandbox({
    seed: "empty",
    webhooks: { endpoints: [{ url: "localhost:4000/webhooks" }] },
  });
  const endpoint = await register(sandbox, { url: "localhost:3000/webhooks" });
  expect(endpoint).toMatchObject({ url, created: true });
  expect(await register(sandbox, { url })).toMatchObject({ id: endpoint.id, created: false });
  expect((await listed(sandbox)).map((one) => one.url)).toEqual(["http://localhost:4000/webhooks", url]);
});

describe("endpoints registered again for the same URL", () => {
  test("registering an endpoint again returns the same one, enabled and with the new secret", async () => {
    const sandbox = await startSandbox();
    const { url } = await startSubscriber();
    const first = await register(sandbox, { ...REGISTERED, url });
    expect(first.created).toBe(true);
    expect(await register(sandbox, { ...REGISTERED, url })).toEqual({ ...first, created: false });
    await sandbox.control("POST", `/webhooks/${first.id}/disable`);
    const second = await register(sandbox, { ...REGISTERED, url, secret: SECRET });
    expect(second).toMatchObject({
      id: first.id,
      created: false,
      status: "enabled",
      consecutive_failures: 0,
      events: REGISTERED.events,
      secret: SECRET,
    });
    expect(await listed(sandbox)).toEqual([asListed(second)]);
    const { changes } = await sandbox.timeline(first.id);
    expect(changes.map(({ type, reason }: Json) => [type, reason])).toEqual([
      ["created", null],
      ["disabled", "dashboard"],
      ["updated", "secret"],
      ["enabled", "dashboard"],
    ]);
  });

  test("an endpoint registered again after its deletion has a new id and the same secret", async () => {
    const sandbox = await startSandbox();
    const { url } = await startSubscriber();
    const first = await register(sandbox, { ...REGISTERED, url });
    await sandbox.api("DELETE", `/webhooks/${first.id}`);
    const second = await register(sandbox, { ...REGISTERED, url });
    expect(second.id).not.toBe(first.id);
    expect(second.secret).toBe(first.secret);
    expect(await listed(sandbox)).toEqual([asListed(second)]);
  });

  test("registering with other events, another description or another: true creates a second endpoint", async () => {
    const sandbox = await startSandbox();
    const { url } = await startSubscriber();
    const first = await register(sandbox, { ...REGISTERED, url });
    const ids = [first.id];
    for (const change of [{ events: ["payment.failed"] }, { description: "another" }, { another: true }]) {
      const second = await register(sandbox, { ...REGISTERED, url, ...change });
      expect(second).toMatchObject({ created: true });
      expect(second.secret === first.secret).toBe(!("another" in change));
      ids.push(second.id);
    }
    expect((await listed(sandbox)).map(({ id }) => id).sort()).toEqual(ids.sort());
  });

  test("registering a URL leaves an endpoint created through the API unchanged and shares its secret", async () => {
    const sandbox = await startSandbox();
    const { url } = await startSubscriber();
    const theirs = await sandbox.createWebhook(url);
    const endpoint = await register(sandbox, { ...REGISTERED, url });
    expect(endpoint.id).not.toBe(theirs.id);
    expect(endpoint.secret).toBe(theirs.secret);
    expect(await sandbox.webhook(theirs.id)).toMatchObject({ events: ["*"], description: null });
  });
});

test("an endpoint belongs to the given organization, or otherwise to that of the API key", async () => {
  const sandbox = await startSandbox();
  const { url } = await startSubscriber();
  const main = await register(sandbox, { url });
  const other = await register(sandbox, { url }, sandbox.keys.other);
  const { organizations } = (await sandbox.control("GET", "/status")).body;
  expect([main.organization, other.organization]).toEqual(organizations.map(({ id }: Json) => id));
  expect(other.id).not.toBe(main.id);
  expect(other.secret).not.toBe(main.secret);
  const named = await register(sandbox, { url, organization: organizations[1].id });
  expect(named).toMatchObject({ id: other.id, created: false });
});

test("a configured secret takes precedence over the URL's previous one", async () => {
  const sandbox = await startSandbox({ webhooks: { secret: "whsec_configured" } });
  const { url } = await startSubscriber();
  const first = await register(sandbox, { url, secret: SECRET });
  await sandbox.api("DELETE", `/webhooks/${first.id}`);
  expect(await register(sandbox, { url })).toMatchObject({ secret: "whsec_configured" });
});

test("an invalid registration is rejected without repeating the secret", async () => {
  const sandbox = await startSandbox();
  const url = "http://127.0.0.1:1/hook";
  const long = "s".repeat(201);
  const manyUnknown = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`unknown_${index + 1}`, index]),
  );
  for (const [body, headers, code, says] of [
    [{}, {}, "bad_request", "Missing required field: url"],
    [{ url, secret: "" }, {}, "bad_request", "The secret has 0 characters"],
    [{ url, secret: long }, {}, "bad_request", "The secret has 201 characters"],
    [{ url, secret: "a\nb" }, {}, "bad_request", "The secret has a control character"],
    [{ url, name: "x" }, {}, "bad_request", "Unknown field: name"],
    [{ url, evnts: [] }, {}, "bad_request", "Unknown field: evnts. Did you mean events?"],
    [{ url, organization: "org_none" }, {}, "not_found", "There is no organization org_none"],
    [{ url, ...manyUnknown }, {}, "bad_request", "Unknown field: unknown_1"],
    [{ url: "http://example.com/" }, {}, "invalid_field_value", "url must be https"],
    [{ url, events: ["tea.ready"] }, {}, "invalid_field_value", "tea.ready"],
    [{ url }, { authorization: "Bearer sk_wrong" }, "key_invalid", "API key"],
  ] as const) {
    const answer = await sandbox.call("POST", "/_sandbox/webhooks", { body, headers });
    expect(answer.status, says).toBeGreaterThanOrEqual(400);
    expect(answer.body.error).toMatchObject({ code, message: expect.stringContaining(says) });
    expect(answer.text).not.toContain(long);
  }
  expect(await listed(sandbox)).toEqual([]);
});
