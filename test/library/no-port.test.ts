import { existsSync, mkdirSync, statSync } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { WebSocket } from "ws";
import { resolveConfig } from "../../src/config/config.ts";
import { createSandbox, type Sandbox } from "../../src/index.ts";
import { folderOf } from "../support/cli.ts";
import { listenForTest } from "../support/listen.ts";
import { consumerProject } from "./consumer.ts";

const listening = () => process.getActiveResourcesInfo().filter((name) => name === "TCPServerWrap").length;

/** Sends a request through the socket with Node's own client, with the given headers. */
function get(sandbox: Sandbox, path: string, headers: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request({
      socketPath: sandbox.socketPath!,
      path,
      headers: { host: "sandglass.localhost", ...headers },
    });
    asked.on("response", (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    asked.on("error", reject).end();
  });
}

describe("sandboxes without a port", () => {
  test("a sandbox without a port listens only on a private socket, which is removed on close", async () => {
    const before = listening();
    const sandbox = await createSandbox({ port: false, seed: "empty" });
    expect(listening()).toBe(before);
    expect(sandbox.url).toBe("http://sandglass.localhost");
    const folder = dirname(sandbox.socketPath!);
    expect(statSync(folder).mode & 0o077).toBe(0);
    await sandbox.close();
    expect(existsSync(folder)).toBe(false);

    await using other = await createSandbox({ seed: "empty" });
    expect(listening()).toBe(before + 1);
    expect(other.socketPath).toBeNull();
  });

  test("a sandbox without a port serves areas, worlds and the live stream through its socket", async () => {
    await using sandbox = await createSandbox({ port: false });
    const world = await sandbox.open({ name: "mine" });
    expect(world.url).toBe("http://sandglass.localhost/w/mine");
    const authorization = `Bearer ${sandbox.keys.read}`;
    expect(await get(sandbox, "/platform/api/v1/payment-links", { authorization })).toBe(200);
    expect(await get(sandbox, "/w/mine/data/insights/v1/tokens/lookup?symbol=USDC")).toBe(200);
    expect(await get(sandbox, "/w/mine/_sandbox/status")).toBe(200);
    expect(await get(sandbox, "/_sandbox/status", { host: "evil.example" })).toBe(403);
    expect(await get(sandbox, "/_sandbox/status", { origin: "http://evil.example" })).toBe(403);
    const { short_code: code } = await sandbox.payments.link("coffee");
    expect(await get(sandbox, `/platform/pay/${code}`)).toBeLessThan(400);

    const socket = new WebSocket(
      `ws+unix:${sandbox.socketPath}:/w/mine/_sandbox/live?types=payment.completed`,
      {
        headers: { host: "sandglass.localhost" },
      },
    );
    onTestFinished(() => socket.terminate());
    await new Promise((resolve) => socket.once("open", resolve));
    const heard = new Promise((resolve) =>
      socket.once("message", (data) => resolve(JSON.parse(String(data)).type)),
    );
    await world.payments.pay("coffee");
    expect(await heard).toBe("payment.completed");
  });

  test("a sandbox without a port sends webhooks to its inboxes, to ports and to other local names", async () => {
    const got: string[] = [];
    const receiver = createServer((asked, response) => {
      got.push(`${asked.headers.host?.replace(/:\d+$/, "")}${asked.url}`);
      response.end();
    });
    const port = await listenForTest(receiver);
    await using sandbox = await createSandbox({ port: false, seed: "empty" });
    const other = await sandbox.open();
    const hooks = [
      sandbox.inbox("a").url,
      other.inbox("b").url,
      `http://127.0.0.1:${port}/ip`,
      `http://shop.localhost:${port}/name`,
      `http://sandglass.localhost:${port}/port`,
    ];
    for (const url of hooks) await sandbox.webhooks.create({ url, events: ["payment.completed"] });
    const link = await sandbox.payments.createLink({ name: "Tea", amount: "1" });
    const { deliveries } = await sandbox.payments.pay(link.id);
    expect(deliveries.map(({ status }) => status)).toEqual(hooks.map(() => "success"));
    expect(got.sort()).toEqual(["127.0.0.1/ip", "sandglass.localhost/port", "shop.localhost/name"]);
    expect(await sandbox.inbox("a").messages()).toHaveLength(1);
    expect(await other.inbox("b").messages()).toHaveLength(1);
  });

  test("twelve sandboxes without a port run side by side", async () => {
    const sandboxes = await Promise.all(
      Array.from({ length: 12 }, () => createSandbox({ port: false, seed: "empty" })),
    );
    await Promise.all(sandboxes.map((sandbox, index) => sandbox.clock.advance(index * 1_000)));
    const times = await Promise.all(sandboxes.map((sandbox) => sandbox.clock.now()));
    expect(new Set(times).size).toBe(12);
    expect(new Set(sandboxes.map(({ socketPath }) => socketPath)).size).toBe(12);
    await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
  });

  test("a sandbox without a port produces identical bytes for identical calls", async () => {
    const story = async () => {
      await using sandbox = await createSandbox({ port: false });
      const { id } = await sandbox.webhooks.create(sandbox.inbox("shop").url);
      await sandbox.payments.pay("coffee");
      return [await sandbox.webhooks.deliveries(id), await sandbox.inbox("shop").messages()].map((list) =>
        JSON.stringify(list).replace(/"duration_ms":\d+|"date":"[^"]+"/g, ""),
      );
    };
    expect(await story()).toEqual(await story());
  });
});

describe("the option port: false", () => {
  afterEach(() => void vi.unstubAllEnvs());

  test("port: false is rejected together with host or ports, and in a configuration file", async () => {
    for (const wrong of [{ host: "127.0.0.1" }, { ports: { data: 0 } }])
      await expect(createSandbox({ port: false, ...wrong })).rejects.toMatchObject({
        code: "invalid_config",
        message: expect.stringMatching(/port: false/),
        hint: expect.stringMatching(/./),
      });
    expect(() => resolveConfig({ port: false } as never, 0, "sandbox.config.ts")).toThrow(
      /sandbox\.config\.ts: port must be a whole number from 0 to 65535, not false/,
    );
  });

  test("port: false uses another temporary folder if the path is too long or missing", async () => {
    const long = join(folderOf(), "x".repeat(120));
    mkdirSync(long);
    for (const folder of [long, join(tmpdir(), "not-there")]) {
      vi.stubEnv("TMPDIR", folder);
      await using sandbox = await createSandbox({ port: false, seed: "empty" });
      expect(sandbox.socketPath).toMatch(/^\/tmp\/sandglass-\w{6}\/s$/);
      expect(await sandbox.clock.now()).toBe("2026-01-15T09:00:00.000Z");
    }
  });
});

test("an uncaught exception leaves no socket behind", async () => {
  const project = consumerProject({
    "fails.mjs": `
      import { createSandbox } from "sandglass";
      const sandbox = await createSandbox({ port: false, seed: "empty" });
      console.log(sandbox.socketPath);
      throw new Error("on purpose");`,
  });
  const { code, stdout, output } = await project.node(["fails.mjs"]);
  expect(code).toBe(1);
  expect(output).toMatch(/on purpose/);
  expect(stdout).toMatch(/sandglass-/);
  expect(existsSync(dirname(stdout.trim()))).toBe(false);
});
