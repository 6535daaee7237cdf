import { describe, expect, it } from "vitest";
import { verifySignature } from "../../src/index.ts";
import { type RunningCli, startCli } from "../support/built.ts";
import { type Json, startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { startHangingSubscriber } from "../support/webhooks.ts";

/** Starts `sandglass listen --json`, and returns what it prints about its endpoint. */
async function listenTo(sandbox: TestSandbox, url: string, args: string[] = [], env = {}) {
  const cli = startCli(["listen", "--json", "--forward-to", url, ...args], {
    env: { SANDGLASS_URL: sandbox.url, ...env },
  });
  const [line] = await cli.saw(/^\{"type":"listening".*\}$/m);
  return { cli, endpoint: JSON.parse(line) as Json };
}

const interrupt = async (cli: RunningCli) => {
  cli.kill("SIGINT");
  return cli.ended;
};

const payOnce = async (sandbox: TestSandbox) =>
  sandbox.pay({ payment_link_id: (await sandbox.createLink()).id });

describe("sandglass listen", () => {
  it("listen registers an endpoint, prints its deliveries and deletes it on Ctrl-C", async () => {
    const sandbox = await startSandbox();
    const subscriber = await startSubscriber();
    const cli = startCli(
      ["listen", "--forward-to", subscriber.url.replace("http://", ""), "--events", "payment.completed"],
      {
        env: { SANDGLASS_URL: sandbox.url },
      },
    );
    const [, secret] = await cli.saw(/^secret +(whsec_\w+)$/m);
    const link = await sandbox.createLink();
    await sandbox.pay({ payment_link_id: link.id });
    await cli.saw(/evt_\w{16} +delivery\.succeeded +payment\.completed, attempt 1 +status 200$/m);
    const [{ body, headers }] = subscriber.received as [(typeof subscriber.received)[0]];
    expect(verifySignature(body, String(headers["x-platform-signature"]), secret!)).toBe(true);

    subscriber.answer = 500;
    await sandbox.pay({ payment_link_id: link.id });
    await cli.saw(
      /delivery\.failed +payment\.completed, attempt 1 +status 500 +next 2026-01-15 09:01:00 \(in 1 min\)$/m,
    );

    const { code, stderr } = await interrupt(cli);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^Removed the endpoint wh_\w+\.\n$/),
    });
    expect((await sandbox.api("GET", "/webhooks")).body.data).toEqual([]);
  });

  it("listen --json prints each delivery with its payload and response, signed with SANDGLASS_WEBHOOK_SECRET", async () => {
    const sandbox = await startSandbox();
    const subscriber = await startSubscriber((_received, response) =>
      response.writeHead(500, { "x-why": "tired" }).end("not today"),
    );
    const env = { SANDGLASS_WEBHOOK_SECRET: "whsec_variable" };
    const { cli, endpoint } = await listenTo(sandbox, subscriber.url, ["--events", "payment.completed"], env);
    expect(endpoint.secret).toBe("whsec_variable");
    const { transaction } = await payOnce(sandbox);
    const [line] = await cli.saw(/^\{.*"type":"delivery\.failed".*\}$/m);
    const printed = JSON.parse(line) as Json;
    expect(printed).toMatchObject({
      type: "delivery.failed",
      data: { webhook_id: endpoint.webhook_id, event_id: expect.stringMatching(/^evt_/) },
      payload: { event: "payment.completed", data: { id: transaction.id } },
    });
    const [record] = await sandbox.deliveries(endpoint.webhook_id);
    expect(printed.delivery).toEqual(record);
    expect(record).toMatchObject({
      request_body: subscriber.received[0]!.body,
      response_code: 500,
      response_headers: { "x-why": "tired" },
      response_body: "not today",
    });
  });

  it("listen deletes its endpoint when its output is closed", async () => {
    const sandbox = await startSandbox();
    const { cli } = await listenTo(sandbox, (await startSubscriber()).url);
    cli.closeOutput();
    await payOnce(sandbox);
    const { code, stderr } = await cli.ended;
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^Removed the endpoint wh_\w+\.\n$/),
    });
    expect((await sandbox.api("GET", "/webhooks")).body.data).toEqual([]);
  });

  it("listen stays connected to an idle sandbox", async () => {
    const sandbox = await startSandbox({ settleTimeout: 500 });
    const { url } = await startHangingSubscriber();
    // Node's agent gives up on a silent connection after 5 s. Here it gives up after 200 ms, and this subscriber is
    // silent for 500 ms.
    const impatient = 'import { globalAgent } from "node:http"; globalAgent.options.timeout = 200;';
    const { cli } = await listenTo(sandbox, url, [], {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(impatient)}`,
    });
    await payOnce(sandbox);
    await cli.saw(/"type":"delivery\.unanswered"/);
    expect((await interrupt(cli)).stderr).toMatch(/^Removed the endpoint wh_\w+\.\n$/);
  });

  it("listen reuses its endpoint after a kill, and its secret after a normal exit", async () => {
    const sandbox = await startSandbox();
    const { url } = await startSubscriber();
    const first = await listenTo(sandbox, url);
    first.cli.kill("SIGKILL");
    await first.cli.ended;
    await sandbox.control("POST", `/webhooks/${first.endpoint.webhook_id}/disable`);

    const second = await listenTo(sandbox, url, ["--events", "payment.failed"]);
    expect(second.endpoint).toEqual({
      ...first.endpoint,
      webhook_id: expect.any(String),
      events: ["payment.failed"],
    });
    expect((await sandbox.api("GET", "/webhooks")).body.data).toMatchObject([{ status: "enabled" }]);
    await interrupt(second.cli);

    const third = await listenTo(sandbox, url);
    expect(third.endpoint.secret).toBe(first.endpoint.secret);
    expect((await sandbox.api("GET", "/webhooks")).body.total_count).toBe(1);
  });

  it("listen exits immediately on Ctrl-C while the sandbox is down", async () => {
    const sandbox = await startSandbox();
    const { cli } = await listenTo(sandbox, (await startSubscriber()).url);
    await sandbox.close();
    await cli.saw(/is gone; waiting/);
    expect(await interrupt(cli)).toMatchObject({ code: 0, signal: null });
  });

  it("listen registers again with its --secret after a reset, a restore and a sandbox restart", async () => {
    const { url } = await startSubscriber();
    const first = await startSandbox();
    await first.control("POST", "/snapshots", { name: "before" });
    const env = { SANDGLASS_WEBHOOK_SECRET: "whsec_variable" };
    const { cli } = await listenTo(first, url, ["--secret", "whsec_mine"], env);
    const registered = async (times: number) => {
      const [lines] = await cli.saw(new RegExp(`^(?:[^]*"type":"listening".*\\n){${times}}`));
      const last = lines.trimEnd().split("\n").at(-1)!;
      expect(JSON.parse(last)).toMatchObject({ type: "listening", secret: "whsec_mine" });
    };
    await registered(1);
    await first.control("POST", "/reset", {});
    await registered(2);
    await first.control("POST", "/snapshots/before/restore");
    await registered(3);
    await first.close();
    await cli.saw(/is gone; waiting/);
    const second = await startSandbox({ port: Number(new URL(first.url).port) });
    await registered(4);
    await payOnce(second);
    await cli.saw(/"type":"delivery\.succeeded".*"event":"payment\.completed"/);
    for (const line of cli.output.stdout.trimEnd().split("\n"))
      expect(JSON.parse(line)).toHaveProperty("type");

    const [webhook] = (await second.api("GET", "/webhooks")).body.data;
    await second.api("DELETE", `/webhooks/${webhook.id}`);
    expect(await cli.ended).toMatchObject({ code: 1, stderr: expect.stringContaining("was deleted") });
  });
});
