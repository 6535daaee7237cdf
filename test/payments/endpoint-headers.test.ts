import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox } from "../../src/index.ts";
import { folderOf, readJsonAt, runAt, runCli } from "../support/cli.ts";
import { startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";

const HEADERS = { "X-Tenant": "acme", Authorization: "Basic dTpw" };

const pay = async (sandbox: TestSandbox) => sandbox.pay({ payment_link_id: (await sandbox.createLink()).id });

describe("an endpoint's custom headers", () => {
  test("an endpoint's custom headers are sent and recorded with every delivery", async () => {
    const sandbox = await startSandbox({ seed: "empty" });
    const subscriber = await startSubscriber();
    const { status, body } = await sandbox.control("POST", "/webhooks", {
      url: subscriber.url,
      headers: HEADERS,
    });
    expect({ status, headers: body.headers }).toEqual({ status: 200, headers: HEADERS });
    await pay(sandbox);
    await sandbox.control("POST", `/webhooks/${body.id}/test`);
    await subscriber.arrived(3);
    for (const { headers } of subscriber.received)
      expect(headers).toMatchObject({
        "x-tenant": "acme",
        authorization: "Basic dTpw",
        "content-type": "application/json",
        "x-platform-webhook-id": body.id,
      });
    const [delivery] = await sandbox.deliveries(body.id);
    expect(delivery.request_headers).toMatchObject(HEADERS);
  });

  test("registering an endpoint again replaces its headers, preserves them if omitted, and clears them with {}", async () => {
    const sandbox = await startSandbox({ seed: "empty" });
    const { url } = await startSubscriber();
    const register = async (headers?: object) =>
      (await sandbox.control("POST", "/webhooks", { url, ...(headers && { headers }) })).body;
    const first = await register(HEADERS);
    expect(await register()).toMatchObject({ id: first.id, created: false, headers: HEADERS });
    expect(await register({ "X-Tenant": "other" })).toMatchObject({
      id: first.id,
      headers: { "X-Tenant": "other" },
    });
    expect((await register({})).headers).toEqual({});
  });

  test("the platform's API ignores custom endpoint headers", async () => {
    const sandbox = await startSandbox({ seed: "empty" });
    const { url } = await startSubscriber();
    const created = await sandbox.api("POST", "/webhooks", { body: { url, headers: HEADERS } });
    const [listed] = (await sandbox.control("GET", "/webhooks")).body.data;
    expect(listed?.headers ?? {}).toEqual({});
    expect(created.body).not.toHaveProperty("headers");
    const { id } = (await sandbox.control("POST", "/webhooks", { url, headers: HEADERS })).body;
    expect((await sandbox.api("GET", `/webhooks/${id}`)).body).not.toHaveProperty("headers");
  });

  test("snapshots, forks, the configuration, fixtures and exports include an endpoint's custom headers", async () => {
    const subscriber = await startSubscriber();
    await using sandbox = await createSandbox({
      seed: "empty",
      webhooks: { endpoints: [{ url: subscriber.url, headers: HEADERS }] },
    });
    const headersOf = async (one: typeof sandbox) =>
      (await one.webhooks.list()).map(({ headers }) => headers);
    expect(await headersOf(sandbox)).toEqual([HEADERS]);
    const other = await sandbox.webhooks.create({ url: `${subscriber.url}/b`, headers: { "X-Other": "1" } });
    expect(other.headers).toEqual({ "X-Other": "1" });
    const before = await sandbox.snapshot("before");
    await sandbox.webhooks.delete(other.id);
    await sandbox.restore(before);
    expect(await headersOf(sandbox)).toEqual([HEADERS, { "X-Other": "1" }]);
    const folder = join(folderOf(), "fixtures");
    expect(await runAt(sandbox, "export", folder)).toMatchObject({ code: 0 });
    await using again = await createSandbox({ from: folder });
    expect(
      (await headersOf(again)).toSorted((a, b) => Object.keys(b).length - Object.keys(a).length),
    ).toEqual([HEADERS, { "X-Other": "1" }]);
  });

  test("sandglass webhooks create --header sets an endpoint's custom headers", async () => {
    const sandbox = await startSandbox({ seed: "empty" });
    const url = "http://127.0.0.1:3000/webhooks";
    const args = ["webhooks", "create", url, "--header", "X-Tenant: acme", "--header", "X-Token:a=b: c"];
    expect((await readJsonAt(sandbox, ...args)).headers).toEqual({ "X-Tenant": "acme", "X-Token": "a=b: c" });
    const wrong = await runCli(["webhooks", "create", url, "--header", "X-Tenant"], {
      env: { SANDGLASS_URL: sandbox.url },
    });
    expect(wrong.stderr).toContain("For example: --header 'X-Tenant: acme'");
  });
});

const many = (length: number) => Object.fromEntries(Array.from({ length }, (_, at) => [`X-${at}`, ""]));

describe("forbidden endpoint headers", () => {
  const sets = /must be omitted \(every delivery sets it\)/;
  test("an endpoint header that Sandglass sets, or that HTTP forbids, is rejected everywhere", async () => {
    const wrong: [headers: Record<string, string>, message: RegExp][] = [
      [{ "x-platform-signature": "a" }, sets],
      [
        { "X-A": "a\r\nX-B: b" },
        /headers\.X-A must be a single-line string of at most 1000 printable ASCII characters/,
      ],
      [{ "Content-Type": "text/plain" }, sets],
      [{ "content-length": "1" }, sets],
      [{ HOST: "example.com" }, sets],
      [{ "Transfer-Encoding": "chunked" }, sets],
      [{ Connection: "close" }, sets],
      [{ "User-Agent": "mine" }, sets],
      [{ "X-Sandbox-Token": "a" }, sets],
      [{ "X-PLATFORM-EVENT": "a" }, sets],
      [{ "X-A": "é" }, /printable ASCII/],
      [{ "X-A": "a".repeat(1_001) }, /at most 1000/],
      [{ "X A": "a" }, /headers must be an object whose header names have 1 to 100 letters/],
      [{ "": "a" }, /whose header names have/],
      [{ "X-A": "1", "x-a": "2" }, /differ in more than case/],
      [many(21), /headers must be at most 20 headers/],
    ];
    const sandbox = await startSandbox({ seed: "empty" });
    const url = "http://127.0.0.1:3000/webhooks";
    for (const [index, [headers, message]] of wrong.entries()) {
      const { status, body } = await sandbox.control("POST", "/webhooks", { url, headers });
      expect(status).toBe(400);
      expect(body.error.message).toMatch(message);
      // All three endpoints use the same check, so testing two of them in full is enough.
      if (index >= 2) continue;
      await expect(startSandbox({ webhooks: { endpoints: [{ url, headers }] } })).rejects.toThrow(message);
      const folder = folderOf();
      writeFileSync(join(folder, "webhooks.json"), JSON.stringify({ webhooks: [{ url, headers }] }));
      await expect(startSandbox({ seed: undefined as never, from: folder })).rejects.toThrow(message);
    }
    const headers = many(20);
    const { body } = await sandbox.control("POST", "/webhooks", { url, headers });
    expect(body.headers).toEqual(headers);
  });

  test("an endpoint rejects headers that its sender or headerPrefix reserves", async () => {
    const sandbox = await startSandbox({
      seed: "empty",
      senders: ["stripe"],
      webhooks: { headerPrefix: "X-Acme-" },
    });
    const register = async (headers: object, sender?: string) =>
      (await sandbox.control("POST", "/webhooks", { url: "http://127.0.0.1:3000/", headers, sender })).status;
    expect(await register({ "X-Platform-Signature": "a" })).toBe(200);
    expect(await register({ "X-Acme-Signature": "a" })).toBe(400);
    expect(await register({ "X-Acme-Signature": "a" }, "stripe")).toBe(200);
    expect(await register({ "stripe-signature": "a" }, "stripe")).toBe(400);
  });
});
