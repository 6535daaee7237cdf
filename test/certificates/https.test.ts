import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { openAuthority } from "../../src/certificates/authority.ts";
import { connect } from "../../src/client/index.ts";
import { overHttp } from "../../src/client/transport.ts";
import { createSandbox } from "../../src/index.ts";
import { readAuthority } from "../../src/runtime/authority-files.ts";
import { ownAuthority } from "../support/authority.ts";
import { runBuiltCli, serveCli } from "../support/built.ts";
import { expectMisuse, folderOf, runCli } from "../support/cli.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { startSandbox } from "../support/sandbox.ts";

/** A subscriber on HTTPS, with a certificate. */
async function startSecureSubscriber(certificate: { cert: string; key: string }) {
  const received: string[] = [];
  const server = createServer(certificate, (request, response) => {
    received.push(request.url!);
    response.end();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `https://localhost:${(server.address() as AddressInfo).port}/hooks`, received };
}

describe("a sandbox on HTTPS", () => {
  test("is trusted by its own clients, worlds, scenarios and inboxes", async () => {
    ownAuthority();
    await using sandbox = await createSandbox({ https: true, seed: "empty" });
    expect(sandbox.url).toMatch(/^https:\/\/127\.0\.0\.1:/);
    await using world = await sandbox.open();
    const inbox = world.inbox("shop");
    await world.webhooks.create(inbox.url);
    const link = await world.payments.createLink({ name: "Tea", amount: "2500000" });
    expect(link.url).toMatch(/^https:/);
    await world.payments.pay(link.id);
    expect(await inbox.messages()).toHaveLength(2);
    await using again = await connect(sandbox.url);
    expect((await again.clock.state()).mode).toBe("paused");
  });

  test("holds the live stream, areas' own ports and every address to it", async () => {
    ownAuthority();
    const port = await portOfItsOwn();
    const { url } = await startSandbox({ https: true, host: "localhost", ports: { platform: port } });
    const ca = readAuthority()!;
    const opened = await new Promise<string>((resolve) => {
      const socket = new WebSocket(`${url.replace("https", "wss")}/_sandbox/live`, { ca });
      onTestFinished(() => socket.terminate());
      socket.on("open", () => resolve("open"));
      socket.on("error", (error) => resolve(error.message));
    });
    expect(opened).toBe("open");
    const own = `https://localhost:${port}`;
    const answer = await overHttp(own)({ method: "GET", path: "/api/v1/payment-links" });
    expect(answer.status).toBe(401);
    const upgraded = await overHttp(url)({
      method: "GET",
      path: "/_sandbox/status",
      headers: { connection: "Upgrade", upgrade: "h2c" },
    });
    expect(upgraded.status).toBe(200);
  });

  test("tells those who call it without TLS", async () => {
    ownAuthority();
    const { url } = await startSandbox({ https: true });
    const call = overHttp(url.replace("https", "http"))({ method: "GET", path: "/_sandbox/status" });
    await expect(call).rejects.toMatchObject({
      code: "unreachable",
      hint: expect.stringContaining("https://"),
    });
    expect((await overHttp(url)({ method: "GET", path: "/_sandbox/status" })).status).toBe(200);
  });

  test("is not trusted without the authority", async () => {
    ownAuthority();
    const { url } = await startSandbox({ https: true });
    ownAuthority();
    await expect(connect(url)).rejects.toMatchObject({ code: "unreachable" });
  });

  test("has certificates of real time, whatever its own clock shows", async () => {
    ownAuthority();
    const { url } = await startSandbox({ https: true, startAt: "1999-01-01T00:00:00Z" });
    expect((await overHttp(url)({ method: "GET", path: "/_sandbox/status" })).status).toBe(200);
  });

  test("needs a port, and a name that the authority can vouch for", async () => {
    ownAuthority();
    await expect(createSandbox({ https: true, port: false })).rejects.toMatchObject({
      code: "invalid_config",
    });
    for (const config of [{ publicUrl: "https://sandbox.example" }, { host: "192.0.2.77" }])
      await expect(startSandbox({ https: true, ...config })).rejects.toMatchObject({
        code: "bad_request",
        hint: expect.stringContaining("proxy"),
      });
    const anywhere = await startSandbox({ https: true, host: "0.0.0.0", share: true });
    expect((await overHttp(anywhere.url)({ method: "GET", path: "/_sandbox/status" })).status).toBe(200);
  });
});

test("webhooks reach a subscriber whose certificate the authority issued, and no other", async () => {
  ownAuthority();
  const issued = await (await openAuthority(Date.now())).issue([]);
  const subscriber = await startSecureSubscriber(issued);
  const sandbox = await startSandbox();
  await sandbox.createWebhook(subscriber.url);
  const { id } = await sandbox.createLink();
  const pay = async () =>
    (await sandbox.control("POST", "/payments", { payment_link_id: id })).body.deliveries;
  expect((await pay()).map(({ status }: { status: string }) => status)).toEqual(["success", "success"]);
  expect(subscriber.received).toEqual(["/hooks", "/hooks"]);

  ownAuthority();
  const other = await startSandbox();
  await other.createWebhook(subscriber.url);
  const link = await other.createLink();
  const { deliveries } = (await other.control("POST", "/payments", { payment_link_id: link.id })).body;
  expect(deliveries[0]).toMatchObject({ status: "failed", error: "tls" });
});

describe("on the command line", () => {
  test("--https is trusted by commands, and env and exec hand the authority on to Node", async () => {
    const env = { SANDGLASS_CA_DIR: ownAuthority() };
    const { url } = await serveCli(["--https"], { env });
    expect(url).toMatch(/^https:/);
    const pay = await runBuiltCli(["pay", "coffee", "--url", url], { env });
    expect(pay).toMatchObject({ code: 0, stderr: "" });
    const printed = await runBuiltCli(["env", "--json", "--url", url], { env });
    const file = join(env.SANDGLASS_CA_DIR, "ca.pem");
    expect(JSON.parse(printed.stdout)).toMatchObject({ SANDGLASS_URL: url, NODE_EXTRA_CA_CERTS: file });
    const cwd = folderOf({ "sandbox.config.json": '{"https": true}' });
    const script =
      "fetch(process.env.SANDGLASS_URL + '/_sandbox/clock').then((it) => console.log(it.status))";
    const exec = await runBuiltCli(["exec", "--", process.execPath, "-e", script], { env, cwd });
    expect(exec).toMatchObject({ code: 0, stdout: "200\n" });
  });

  test("`sandglass certificate` says how to trust the authority, and issues certificates", async () => {
    const env = { SANDGLASS_CA_DIR: ownAuthority() };
    const cwd = folderOf();
    const { stdout } = await runCli(["certificate"], { env });
    for (const way of ["NODE_EXTRA_CA_CERTS", "curl --cacert", "SSL_CERT_FILE", "certutil", "security add"])
      expect(stdout).toContain(way);
    const args = ["certificate", "--out", "certs", "--name", "shop.localhost", "--json"];
    const issued = JSON.parse((await runCli(args, { env, cwd })).stdout);
    expect(issued).toEqual({
      authority: { file: join(env.SANDGLASS_CA_DIR, "ca.pem"), valid_until: expect.any(String) },
      cert: join("certs", "cert.pem"),
      key: join("certs", "key.pem"),
    });
    expectMisuse(await runCli(["certificate", "--name", "shop.localhost"], { env }), /--out is missing/);
    expectMisuse(
      await runCli(["certificate", "--out", cwd, "--name", "example.com"], { env }),
      /cannot vouch for 'example.com'/,
    );
  });
});
