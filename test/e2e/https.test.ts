import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { overHttp } from "../../src/client/transport.ts";
import { createSandbox } from "../../src/index.ts";
import { runBuiltCli, serveCli, startCli } from "../support/built.ts";
import { ISSUED, issuedFiles } from "../support/certificates.ts";
import { environment, expectMisuse, folderOf, runCli } from "../support/cli.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { startSandbox } from "../support/sandbox.ts";
import { SELF_SIGNED } from "../support/self-signed.ts";
import { secureFolder, startSecureSubscriber } from "./https.ts";

const run = promisify(execFile);

describe("a sandbox on HTTPS", () => {
  test("an HTTPS sandbox is trusted by its own clients, worlds and inboxes", async () => {
    await using sandbox = await createSandbox({ https: issuedFiles(), seed: "empty" });
    expect(sandbox.url).toMatch(/^https:\/\/127\.0\.0\.1:/);
    await using world = await sandbox.open();
    const inbox = world.inbox("shop");
    await world.webhooks.create(inbox.url);
    const link = await world.payments.createLink({ name: "Tea", amount: "2500000" });
    expect(link.url).toMatch(/^https:/);
    await world.payments.pay(link.id);
    expect(await inbox.messages()).toHaveLength(2);
  });

  test("an HTTPS sandbox also serves the live stream and an area's own port over HTTPS", async () => {
    const port = await portOfItsOwn();
    const { url } = await startSandbox({
      https: issuedFiles(),
      host: "localhost",
      ports: { platform: port },
    });
    const opened = await new Promise<string>((resolve) => {
      const socket = new WebSocket(`${url.replace("https", "wss")}/_sandbox/live`, { ca: ISSUED.ca });
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

  test("a call without TLS to an HTTPS sandbox is rejected, and the hint suggests https://", async () => {
    const { url } = await startSandbox({ https: issuedFiles() });
    const call = overHttp(url.replace("https", "http"))({ method: "GET", path: "/_sandbox/status" });
    await expect(call).rejects.toMatchObject({
      code: "unreachable",
      hint: expect.stringContaining("https://"),
    });
    expect((await overHttp(url)({ method: "GET", path: "/_sandbox/status" })).status).toBe(200);
  });

  test("a command that encounters an untrusted certificate reports it", async () => {
    const { url } = await startSecureSubscriber(SELF_SIGNED);
    const { origin } = new URL(url);
    expectMisuse(
      await runCli(["advance", "1h", "--url", origin]),
      /certificate that is not trusted here \(DEPTH_ZERO/,
    );
  });

  test.each<[what: string, https: unknown, message: RegExp, hint: RegExp]>([
    ["is true", true, /https must be \{ key, cert, ca \} with your own files, not true/, /mkcert localhost/],
    ["has no key", { cert: "a.pem" }, /https\.key is required/, /Add it/],
    ["names a missing file", { key: "a.pem", cert: "b.pem" }, /https\.key .*a\.pem: no such file/, /mkcert/],
  ])("the https setting is rejected if it %s", async (_what, https, message, hint) => {
    await expect(createSandbox({ https: https as never })).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
  });

  test("the https setting is rejected if its key and certificate do not match", async () => {
    const https = issuedFiles();
    writeFileSync(https.key, SELF_SIGNED.key);
    await expect(createSandbox({ https })).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringMatching(/does not match the certificate/),
    });
    await expect(createSandbox({ https, port: false })).rejects.toMatchObject({ code: "invalid_config" });
  });
});

describe("the configured CA", () => {
  test("commands, connect() and child processes of exec trust the configured CA, and env prints it", async () => {
    const { cwd, ca } = secureFolder();
    const { url } = await serveCli([], { cwd });
    expect(url).toMatch(/^https:/);
    const elsewhere = await runBuiltCli(["status", "--url", url], { cwd: folderOf() });
    expect(elsewhere).toMatchObject({ code: 0, stderr: "" });
    const printed = await runBuiltCli(["env", "--json"], { cwd });
    expect(JSON.parse(printed.stdout)).toMatchObject({ SANDGLASS_URL: url, NODE_EXTRA_CA_CERTS: ca });
    const client = join(process.cwd(), "dist/client.js");
    writeFileSync(
      join(cwd, "connect.mjs"),
      `import { connect } from ${JSON.stringify(client)};
const sandbox = await connect(${JSON.stringify(url)});
console.log((await sandbox.clock.state()).mode);
await sandbox.close();`,
    );
    const script =
      "fetch(process.env.SANDGLASS_URL + '/_sandbox/clock').then((it) => console.log(it.status))";
    const exec = await runBuiltCli(["exec", "--", process.execPath, "-e", script], { cwd });
    expect(exec).toMatchObject({ code: 0, stdout: "200\n" });
    const connected = await run(process.execPath, ["connect.mjs"], { cwd, env: environment({ cwd }) });
    expect(connected).toMatchObject({ stdout: "live\n", stderr: "" });
  });

  test("deliveries trust the configured CA and no other certificate [fidelity: Deliveries › Certificates]", async () => {
    const [trusted, other] = [await startSecureSubscriber(), await startSecureSubscriber(SELF_SIGNED)];
    await using sandbox = await createSandbox({ https: issuedFiles(), seed: "empty" });
    for (const { url } of [trusted, other]) await sandbox.webhooks.create(url);
    const link = await sandbox.payments.createLink({ name: "Tea", amount: "2500000" });
    const { deliveries } = await sandbox.payments.pay(link.id);
    const results = deliveries.map(({ url, error }) => [url, error]);
    expect(results).toEqual(
      expect.arrayContaining([
        [trusted.url, null],
        [other.url, "tls"],
      ]),
    );
    expect(trusted.received).toEqual(["/hooks", "/hooks"]);
    expect(other.received).toEqual([]);
  });
});

test("pay, listen and the timeline report an untrusted certificate with the same advice as check", async () => {
  const { url } = await startSecureSubscriber(SELF_SIGNED);
  const sandbox = await startSandbox();
  const env = { SANDGLASS_URL: sandbox.url };
  const advice =
    /Make Node trust the subscriber's certificate: start Sandglass with NODE_EXTRA_CA_CERTS=ca\.pem\./;
  const listening = startCli(["listen", "--forward-to", url], { env });
  await listening.saw(/whsec_/);
  const paid = await runCli(["pay", (await sandbox.createLink()).id], { env });
  expect(paid.stdout).toMatch(/failed, no trusted TLS connection/);
  await listening.saw(/no trusted TLS connection/);
  await listening.saw(advice);
  const drawn = await runCli(["webhooks", "timeline", "last"], { env });
  const checked = await runCli(["check", url, "--secret", "whsec_test"]);
  for (const text of [paid.stdout, drawn.stdout, checked.stderr]) expect(text).toMatch(advice);
});

test("the error about --https mentions mkcert", async () => {
  const flag = await runCli(["--https"]);
  expectMisuse(flag, /--https was removed/);
  expect(flag.stderr).toContain("mkcert localhost 127.0.0.1 ::1");
});
